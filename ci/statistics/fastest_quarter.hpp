// SPDX-License-Identifier: Apache-2.0
// What a processor does while nobody slows it down. Pure functions; knows neither policy nor files.
//
// CPU time of the same code is made of two: that of a core of one's own, and up to half as much
// again where a neighbour shares it (another hardware thread, another virtual machine), for seconds
// at a time, of all benchmarks that run just then. How often that is differs from hour to hour, so
// that means of all processes differ by 5 to 12 % where the fastest ones differ by 2 %
// (docs/explain/statistics.md).
#pragma once

#include <vector>

#include "ci/statistics/statistics.hpp"

namespace warpgauge::ci {

// Whether a quarter of each session is three processes or more. Where it is not, of either side,
// all processes count: three of five are slower than five of twenty.
[[nodiscard]] bool have_quarters(const std::vector<ProcessFigures>& sessions);

// Of each session, which has one, the fastest quarter of its processes, spread so that they say
// how well their mean is known: as the mean of which the upper part is trimmed, by its winsorised
// deviation (J. W. Tukey and D. H. McLaughlin, "Less vulnerable confidence and significance
// procedures for location based on a single sample", 1963), of logarithms. All positive.
[[nodiscard]] std::vector<ProcessFigures> fastest_quarters(std::vector<ProcessFigures> sessions);

}  // namespace warpgauge::ci
