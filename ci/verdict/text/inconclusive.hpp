// SPDX-License-Identifier: Apache-2.0
// Why the figures of a statistical metric give no verdict, by the numbers that decided it, and what
// would settle it. Decides nothing.
#pragma once

#include <optional>
#include <string>

#include "ci/verdict/estimate.hpp"

namespace warpgauge::ci {

// "-0.1 to +0.3 %": the interval, with as many digits as tell its worse end from the floor.
[[nodiscard]] std::string interval_text(const MetricEstimate& metric);

// The ratio beyond which a change for the worse counts: 1.007 for a floor of 0.7 %.
[[nodiscard]] double worst_that_is_let_pass(const MetricEstimate& metric);

// The same as text: "+0.7 %", with as many digits.
[[nodiscard]] std::string floor_text(const MetricEstimate& metric);

// "+2.39 %", of the two figures.
[[nodiscard]] std::string change_text(const MetricEstimate* metric);

// So many processes nobody measures.
inline constexpr int kMostProcessesToAskFor = 100;

// How many processes of each side, imported, give unchanged code a verdict, where sides of one
// process differ by `deviation`; absent where that takes too many.
[[nodiscard]] std::optional<int> processes_that_settle(double deviation, double floor);

struct Unclear {
  std::string why;
  std::string remedy;
  bool more_processes_help = false;
};

// Of one with evidence that may be worse.
[[nodiscard]] Unclear why_unclear(const MetricEstimate& metric, bool against_baseline);

}  // namespace warpgauge::ci
