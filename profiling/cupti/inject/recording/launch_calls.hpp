// SPDX-License-Identifier: Apache-2.0
// What is known of calls that launch when they are made, and needed when their kernels have run.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace warpgauge::inject {

// Of the last million calls. Calls are numbered by CUPTI, and their kernels bear that number.
class LaunchCalls {
 public:
  struct Call {
    std::uint32_t instance = 0;  // of a range: see launches::Ranges
    std::uint32_t code = 0;      // see LaunchedCode
  };

  LaunchCalls();
  void put(std::uint32_t number, Call call) noexcept;
  [[nodiscard]] Call find(std::uint32_t number) const noexcept;

 private:
  struct Slot {
    std::atomic<std::uint64_t> number_and_instance;
    std::atomic<std::uint32_t> code;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<Slot[], Free> calls_;  // nothing where there was no memory
};

// From which call on launches are recorded.
class Beginning {
 public:
  explicit Beginning(bool at_once) : from_(at_once ? kAll : kNever) {}

  // … from the next call on, where nothing was recorded so far.
  void at_next_call() noexcept {
    std::uint64_t never = kNever;
    from_.compare_exchange_strong(never, kNext);
  }
  void called(std::uint32_t number) noexcept {
    if (from_.load(std::memory_order_relaxed) != kNext) return;
    std::uint64_t next = kNext;
    from_.compare_exchange_strong(next, number);
  }
  [[nodiscard]] bool waits() const noexcept {
    return from_.load(std::memory_order_relaxed) == kNever;
  }
  // Numbers begin again after 2^32.
  [[nodiscard]] bool includes(std::uint32_t number) const noexcept {
    const std::uint64_t from = from_.load(std::memory_order_relaxed);
    if (from >= kAll) return from == kAll;
    return number - static_cast<std::uint32_t>(from) < kHalf;
  }
  // A kernel of this call has run: when what came before is long done, all else is included.
  void ran(std::uint32_t number) noexcept {
    constexpr std::uint32_t kLong = 1U << 20U;
    std::uint64_t from = from_.load(std::memory_order_relaxed);
    if (from >= kAll || !includes(number)) return;
    if (number - static_cast<std::uint32_t>(from) > kLong) {
      from_.compare_exchange_strong(from, kAll);
    }
  }

 private:
  static constexpr std::uint32_t kHalf = 1U << 31U;
  static constexpr std::uint64_t kAll = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t kNext = kAll + 1;
  static constexpr std::uint64_t kNever = kAll + 2;

  std::atomic<std::uint64_t> from_;  // a number, or one of these
};

}  // namespace warpgauge::inject
