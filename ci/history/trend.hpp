// SPDX-License-Identifier: Apache-2.0
// One metric of one benchmark on one model of device, over runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ci/history/history.hpp"
#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// Of a run's figure. Nothing is known when it had one process.
struct TrendInterval {
  double low = 0;
  double high = 0;
};

struct TrendPoint {
  std::size_t run = 0;  // index in the trend's runs
  double figure = 0;    // median over the run's processes
  std::size_t processes = 0;
  std::optional<TrendInterval> interval;
  // Of the figure's logarithm: what the processes' scatter and the metric's resolution explain.
  double variance = 0;
};

enum class TrendChangeKind {
  step,
  drift,
  exact,  // a step of what is counted exactly: any difference at all
};
[[nodiscard]] std::string to_string(TrendChangeKind kind);

// See change_points.hpp.
struct TrendChange {
  TrendChangeKind kind = TrendChangeKind::step;
  std::size_t first = 0;  // index in the points: the first after a step, the first of a drift
  std::size_t last = 0;   // as first, or a drift's last
  double before = 0;
  double after = 0;
  std::optional<double> p;  // absent for exact ones
};

struct Trend {
  std::string device_key;
  std::string benchmark;
  std::string metric;
  Rule rule;
  std::vector<TrendPoint> points;  // oldest first
  std::vector<TrendChange> changes;
};

// Whether the change is for the worse, by the policy's direction.
[[nodiscard]] bool is_worse(const Trend& trend, const TrendChange& change);

// Whether the last `within` of so many runs made it worse, and nothing won that back: by a step
// since one of them, by a drift that lasts into them, or by a step that is dated back before them
// but is only known with them.
[[nodiscard]] bool got_worse_within(const Trend& trend, std::size_t runs, std::size_t within);

// Of the median, between two of the figures, whatever their distribution (the sign test): at least
// 95 % from six processes on, 93.75 % of five, all there is of fewer. Nothing of one.
[[nodiscard]] std::optional<TrendInterval> interval_of_median(std::vector<double> figures);

// Figures of all runs, oldest first, with the changes in them. Exact metrics change with any
// difference. Of all others the logarithms of the medians are looked at, so that a change is a
// ratio, and what the spread between processes and the metric's resolution explain of a point is
// no change.
[[nodiscard]] Trend trend_of(const HistorySeries& series, const std::string& metric,
                             const Rule& rule, std::span<const HistoryFigures> figures);

}  // namespace warpgauge::ci
