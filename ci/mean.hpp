// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <span>

namespace warpgauge::ci {

// Of at least one value.
[[nodiscard]] inline double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace warpgauge::ci
