// SPDX-License-Identifier: Apache-2.0
// Whether figures lie on a grid: whole steps of the clock that took them. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace warpgauge::ci {

// The greatest step that all positive figures are whole multiples of, to half a unit of their sixth
// digit, which is what programs print and what a float holds. Nothing where that may be chance, as
// it is where the step is no more than what was printed: figures with two decimals lie on a grid of
// 0.01, which says nothing of a clock. Nothing for fewer than three different figures either.
//
// A step below a thousandth of the figures may be missed: a floor covers it.
//
// Of means of n figures each the step is an nth of the clock's; of means of many there is none.
[[nodiscard]] std::optional<double> grid_step(std::span<const double> figures);

// Whether figures lie on this step as a GPU's timestamps do: each is rounded to what was printed,
// and the clock runs off by as much as 1 in 10,000, so that it is differences within a benchmark
// that are whole steps. A group is a benchmark's. One difference of fifty may be none, of a time
// that is of two kernels. False where all may be chance.
[[nodiscard]] bool lies_on_step(std::span<const std::vector<double>> groups, double step);

}  // namespace warpgauge::ci
