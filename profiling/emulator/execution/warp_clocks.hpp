// SPDX-License-Identifier: Apache-2.0
// Which accesses of a warp's lanes are ordered by __syncwarp: vector clocks, one a lane. Their
// times are stamps, which the shadow of shared memory gives out, each larger than those before.
#pragma once

#include <array>
#include <cstdint>

#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

class WarpClocks {
 public:
  // The lane's present time, to be kept with an access.
  [[nodiscard]] std::uint32_t now(unsigned lane) const { return now_[lane]; }

  // Whether it is the same time for all lanes.
  [[nodiscard]] bool uniform() const { return uniform_; }

  // Whether what `other` did at `time` has happened before what `lane` does now.
  [[nodiscard]] bool ordered(unsigned lane, unsigned other, std::uint32_t time) const {
    return known_[lane][other] >= time;
  }

  // All threads of the block have met, or begin.
  void begin_epoch(std::uint32_t stamp) {
    now_.fill(stamp);
    uniform_ = true;
  }

  // The lanes in `mask` wait for each other: each knows from now on what any of them knew.
  void synchronize(std::uint32_t mask, std::uint32_t stamp);

 private:
  using Times = std::array<std::uint32_t, kWarpLanes>;

  Times now_{};
  std::array<Times, kWarpLanes> known_{};
  bool uniform_ = true;
};

}  // namespace warpgauge::emulator
