// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording/kept_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace warpgauge::inject {
namespace {

std::atomic<bool> kept{false};

}  // namespace

void keep_memory(bool keep) noexcept { kept.store(keep, std::memory_order_relaxed); }

bool keeps_memory() noexcept { return kept.load(std::memory_order_relaxed); }

}  // namespace warpgauge::inject

// Of this library alone, which shows them to nobody; the other forms of both come down to these.
void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  if (!warpgauge::inject::keeps_memory()) std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { ::operator delete(memory); }
