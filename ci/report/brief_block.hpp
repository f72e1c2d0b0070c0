// SPDX-License-Identifier: Apache-2.0
// A benchmark in few words, for reports that many people read: what decides, why, and what else
// moved, each said once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

struct BriefBlock {
  const MetricVerdict* decides = nullptr;  // null: its message says all
  std::string cause;                       // empty: the figures say all
  std::string rest;  // "also improved: registers -9.09 % and 3 more"; or empty
  std::optional<results::SourceLine> line;  // that the cause is at
};

[[nodiscard]] BriefBlock brief_block(const BenchmarkVerdict& benchmark);

// In this order, but of neighbours with one verdict those first that moved furthest; of those
// without a verdict, those that may be the worst.
[[nodiscard]] std::vector<const BenchmarkVerdict*> furthest_first(
    std::vector<const BenchmarkVerdict*> benchmarks);

// "+91.9 to +92.9 %, floor 0.7 %"; empty where the interval is not known, or is not what decides.
[[nodiscard]] std::string brief_interval(const MetricVerdict& metric);

// The interval of the change against no change (│) and the floor, either way (┊), on one scale:
// "┊│┊·············━━━━". Empty where one is not known, or where more than the interval decides.
[[nodiscard]] std::string interval_bar(const MetricVerdict& metric);

}  // namespace warpgauge::ci
