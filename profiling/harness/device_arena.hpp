// SPDX-License-Identifier: Apache-2.0
// Device memory in which each buffer begins at a random page.
//
// A kernel's time depends on which pages of physical memory hold its data, and on where in a page
// they begin (docs/explain/measurement.md). The pages that cudaMalloc gives to a process are much
// the same from call to call, and each call takes long. Out of one large allocation a process
// draws hundreds of pages, so that all processes sample alike; where data begin in a page stays.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <random>

namespace warpgauge {

class DeviceArena {
 public:
  static constexpr std::size_t kPage = std::size_t{2} << 20;  // of a GPU

  // memory: begins at a page. With 0 bytes, every buffer is refused.
  DeviceArena(void* memory, std::size_t bytes)
      : memory_(static_cast<unsigned char*>(memory)), bytes_(bytes) {}

  // nullptr if it is too large or does not fit.
  [[nodiscard]] void* take(std::size_t bytes) {
    if (bytes == 0 || bytes > bytes_ / kParts) return nullptr;
    std::uniform_int_distribution<std::size_t> pages(0, (bytes_ - bytes) / kPage);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::size_t first = pages(random_) * kPage;
      if (!is_free(first, bytes)) continue;
      taken_[first] = bytes;
      return memory_ + first;
    }
    return nullptr;
  }

  // False: it does not come from this arena.
  bool give_back(const void* data) {
    const auto* at = static_cast<const unsigned char*>(data);
    if (bytes_ == 0 || at < memory_ || at >= memory_ + bytes_) return false;
    taken_.erase(static_cast<std::size_t>(at - memory_));
    return true;
  }

 private:
  static constexpr std::size_t kParts = 8;  // the largest buffer's share: two sets of three fit
  static constexpr int kAttempts = 64;

  [[nodiscard]] bool is_free(std::size_t first, std::size_t bytes) const {
    const auto next = taken_.lower_bound(first);
    if (next != taken_.end() && next->first < first + bytes) return false;
    return next == taken_.begin() || std::prev(next)->first + std::prev(next)->second <= first;
  }

  unsigned char* memory_;
  std::size_t bytes_;
  std::map<std::size_t, std::size_t> taken_;  // bytes by where they begin
  std::minstd_rand random_{std::random_device{}()};
};

// This process's arena; nullptr until something is timed: with separate allocations, tools such as
// compute-sanitizer notice a write beyond one of them.
[[nodiscard]] inline DeviceArena*& device_arena() {
  static DeviceArena* arena = nullptr;
  return arena;
}

}  // namespace warpgauge
