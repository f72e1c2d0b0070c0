// SPDX-License-Identifier: Apache-2.0
// Finds which accesses of a warp's lanes __syncwarp orders: vector clocks, one per lane. Their
// times are increasing stamps from the shadow of shared memory.
#pragma once

#include <array>
#include <cstdint>

#include "profiling/emulator/execution/barriers/thread_clocks.hpp"
#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

class WarpClocks {
 public:
  // The lane's current time, which is stored with an access.
  [[nodiscard]] std::uint32_t now(unsigned lane) const { return now_[lane]; }

  // Whether all lanes have the same time.
  [[nodiscard]] bool uniform() const { return uniform_; }

  // Whether the action of `other` at `time` happens before the current action of `lane`.
  [[nodiscard]] bool ordered(unsigned lane, unsigned other, std::uint32_t time) const {
    return known_[lane][other] >= time;
  }

  // The same for two threads of the block, by barriers of some threads.
  [[nodiscard]] bool ordered_by_barriers(unsigned thread, unsigned other,
                                         std::uint32_t time) const {
    return block_ != nullptr && block_->ordered(thread, other, time);
  }

  // What barriers of some threads order.
  void follow(const ThreadClocks& block) { block_ = &block; }

  // All threads of the block start or have met at a barrier.
  void begin_epoch(std::uint32_t stamp) {
    now_.fill(stamp);
    uniform_ = true;
  }

  // The lanes in `mask` wait for each other: each takes the latest times of all of them.
  void synchronize(std::uint32_t mask, std::uint32_t stamp);

  // Adds what the lane knows of its warp, and its own time, to the times of a block's threads.
  void tell(unsigned lane, unsigned first_thread, ThreadClocks::Times& times) const;

  // The lanes in `mask` have told others of what they did: what they do next is later.
  void advance(std::uint32_t mask, std::uint32_t stamp);

 private:
  using Times = std::array<std::uint32_t, kWarpLanes>;

  Times now_{};
  std::array<Times, kWarpLanes> known_{};
  const ThreadClocks* block_ = nullptr;
  bool uniform_ = true;
};

}  // namespace warpgauge::emulator
