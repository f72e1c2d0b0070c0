// SPDX-License-Identifier: Apache-2.0
// Finds which accesses of a block's threads barriers of some of them order: vector clocks, one per
// thread, whose times are those of the warps' clocks. What __syncwarp orders within a warp is known
// there (warp_clocks.hpp); here it is only carried on to other warps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgauge::emulator {

class ThreadClocks {
 public:
  // By thread: its latest action that is known.
  using Times = std::vector<std::uint32_t>;

  // Nobody knows anything of others.
  void begin_block(unsigned threads) {
    threads_ = threads;
    in_use_ = false;
  }

  // Whether any thread has learned anything in this block.
  [[nodiscard]] bool in_use() const { return in_use_; }

  // Whether the action of `before` at `time` happens before the current action of `after`.
  [[nodiscard]] bool ordered(unsigned after, unsigned before, std::uint32_t time) const {
    return in_use_ && known_[row(after) + before] >= time;
  }

  // Adds what the thread knows to `times`.
  void tell(unsigned thread, Times& times) const {
    times.resize(threads_);
    if (in_use_) raise(times.data(), &known_[row(thread)]);
  }

  // The thread knows `times` from now on.
  void learn(unsigned thread, const Times& times) {
    if (times.empty()) return;
    if (!in_use_) known_.assign(std::size_t{threads_} * threads_, 0);
    in_use_ = true;
    raise(&known_[row(thread)], times.data());
  }

 private:
  [[nodiscard]] std::size_t row(unsigned thread) const { return std::size_t{thread} * threads_; }
  void raise(std::uint32_t* times, const std::uint32_t* others) const {
    for (unsigned i = 0; i < threads_; ++i) times[i] = std::max(times[i], others[i]);
  }

  std::vector<std::uint32_t> known_;  // a row for each thread
  unsigned threads_ = 0;
  bool in_use_ = false;
};

}  // namespace warpgauge::emulator
