// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/warp_clocks.hpp"

#include <algorithm>

namespace warpgauge::emulator {
void WarpClocks::synchronize(std::uint32_t mask, std::uint32_t stamp) {
  Times common{};
  if (mask != ~0U) {
    for_each_lane(mask, [&](unsigned lane) {
      for (unsigned i = 0; i < kWarpLanes; ++i) common[i] = std::max(common[i], known_[lane][i]);
    });
  }
  for_each_lane(mask, [&](unsigned lane) {
    common[lane] = now_[lane];
    now_[lane] = stamp;
  });
  for_each_lane(mask, [&](unsigned lane) { known_[lane] = common; });
  uniform_ = mask == ~0U;
}

void WarpClocks::tell(unsigned lane, unsigned first_thread, ThreadClocks::Times& times) const {
  for (unsigned i = 0; i < kWarpLanes && first_thread + i < times.size(); ++i) {
    std::uint32_t& time = times[first_thread + i];
    time = std::max(time, i == lane ? now_[lane] : known_[lane][i]);
  }
}

void WarpClocks::advance(std::uint32_t mask, std::uint32_t stamp) {
  for_each_lane(mask, [&](unsigned lane) { now_[lane] = stamp; });
  uniform_ = mask == ~0U;
}

}  // namespace warpgauge::emulator
