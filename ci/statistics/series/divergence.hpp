// SPDX-License-Identifier: Apache-2.0
// How far apart the two parts of a series are, wherever it is split. Knows nothing of significance.
//
// The divergence of E-divisive with means, in one dimension and with the exponent 1: D. S.
// Matteson, N. A. James, "A Nonparametric Approach for Multiple Change Point Analysis of
// Multivariate Data", JASA 109, 2014.
#pragma once

#include <span>
#include <vector>

namespace warpgauge::ci {

// The divergence between the first `split` points and the rest for each split, 0 for those that
// leave fewer than two points on a side. In O(n log n).
[[nodiscard]] std::vector<double> divergences(std::span<const double> values);

}  // namespace warpgauge::ci
