// SPDX-License-Identifier: Apache-2.0
// Memory that CUPTI writes its records into, all zero, as it is told that it is: it clears none
// itself while the program waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace warpgauge::inject {

class RecordBuffers {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20U;

  RecordBuffers();
  // Null: there is no memory.
  [[nodiscard]] std::uint8_t* take() noexcept;
  void give_back(std::uint8_t* buffer) noexcept;

  // Around a fork.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::vector<std::uint8_t*> free_;
};

}  // namespace warpgauge::inject
