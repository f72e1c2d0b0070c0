// SPDX-License-Identifier: Apache-2.0
// A series without its odd points: single runs that are far off all others. One of them has more
// variance than any change, and would hide them all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ci/statistics/series/change_points.hpp"

namespace warpgauge::ci {

struct UsualPoints {
  std::vector<std::size_t> indices;  // of those that are not odd, in order
  std::vector<SeriesPoint> points;   // these
};

// A point is odd if it is far from the median of the points around it, as of many more points, by
// how far nine in ten of them are (F. R. Hampel, "The Influence Curve and its Role in Robust
// Estimation", JASA 69, 1974). kFewestPoints in a row are a level, however far they are from all
// others. Where more than one in ten is far off, that is how the series scatters, and none is odd.
// Of the variances none is taken to be far above those of most.
[[nodiscard]] UsualPoints usual_points(std::span<const SeriesPoint> points);

}  // namespace warpgauge::ci
