// SPDX-License-Identifier: Apache-2.0
// What all trials of the statistics have in common.
#pragma once

#include <cstdint>

namespace warpgauge::ci {

inline constexpr double kAlpha = 0.01;
inline constexpr std::uint64_t kSeed = 20261121;

}  // namespace warpgauge::ci
