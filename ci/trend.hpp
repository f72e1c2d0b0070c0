// SPDX-License-Identifier: Apache-2.0
// One metric of one benchmark on one model of device, over runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ci/history.hpp"

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
};

struct Trend {
  std::string device_key;
  std::string benchmark;
  std::string metric;
  std::vector<TrendPoint> points;  // oldest first
};

// Throws std::invalid_argument when there is no figure.
[[nodiscard]] double median_of(std::vector<double> figures);

// Of the median, between two of the figures, whatever their distribution (the sign test): at least
// 95 % from six processes on, 93.75 % of five, all there is of fewer. Nothing of one.
[[nodiscard]] std::optional<TrendInterval> interval_of_median(std::vector<double> figures);

[[nodiscard]] std::vector<TrendPoint> trend_points(std::span<const HistoryFigures> figures);

}  // namespace warpgauge::ci
