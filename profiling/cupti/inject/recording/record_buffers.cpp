// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording/record_buffers.hpp"

#include <cupti.h>

#include <cstdlib>
#include <cstring>

#include "profiling/cupti/inject/recording/kept_memory.hpp"

namespace warpgauge::inject {
namespace {

constexpr std::size_t kMostFree = 8;

std::uint8_t* cleared(void* memory) {
  if (memory != nullptr) std::memset(memory, 0, RecordBuffers::kBytes);
  return static_cast<std::uint8_t*>(memory);
}

std::uint8_t* made() {
  return cleared(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, RecordBuffers::kBytes));
}

}  // namespace

RecordBuffers::RecordBuffers() {
  free_.reserve(kMostFree);
  for (int i = 0; i < 2; ++i) {
    if (std::uint8_t* const buffer = made()) free_.push_back(buffer);
  }
}

std::uint8_t* RecordBuffers::take() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::uint8_t* const buffer = free_.back();
      free_.pop_back();
      return buffer;
    }
  }
  return made();
}

void RecordBuffers::give_back(std::uint8_t* buffer) noexcept {
  if (buffer == nullptr) return;
  cleared(buffer);
  const std::lock_guard lock(mutex_);
  if (free_.size() < kMostFree || keeps_memory()) {
    free_.push_back(buffer);
  } else {
    std::free(buffer);
  }
}

}  // namespace warpgauge::inject
