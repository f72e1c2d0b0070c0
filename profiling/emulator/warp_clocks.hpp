// SPDX-License-Identifier: Apache-2.0
// Which accesses of a warp's lanes are ordered by __syncwarp: vector clocks, one a lane.
#pragma once

#include <array>
#include <cstdint>

#include "profiling/emulator/bank_model.hpp"

namespace warpgauge::emulator {

class WarpClocks {
 public:
  // The lane's present time, to be kept with an access.
  [[nodiscard]] std::uint32_t now(unsigned lane) const { return now_[lane]; }

  // Whether what `other` did at `time` has happened before what `lane` does now.
  [[nodiscard]] bool ordered(unsigned lane, unsigned other, std::uint32_t time) const {
    return known_[lane][other] >= time;
  }

  // The lanes in `mask` wait for each other: each knows from now on what any of them knew.
  void synchronize(std::uint32_t mask);

 private:
  using Times = std::array<std::uint32_t, kWarpLanes>;
  static constexpr Times filled(std::uint32_t value) {
    Times times{};
    for (auto& time : times) time = value;
    return times;
  }

  Times now_ = filled(1);
  std::array<Times, kWarpLanes> known_{};
};

}  // namespace warpgauge::emulator
