// SPDX-License-Identifier: Apache-2.0
#include "ci/trend.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <stdexcept>

namespace warpgauge::ci {
namespace {

// Chance that the interval does not hold the median.
constexpr double kRisk = 0.05;

}  // namespace

double median_of(std::vector<double> figures) {
  if (figures.empty()) throw std::invalid_argument("median_of: no figure");
  std::sort(figures.begin(), figures.end());
  const std::size_t middle = figures.size() / 2;
  if (figures.size() % 2 == 1) return figures[middle];
  return (figures[middle - 1] + figures[middle]) / 2;
}

std::optional<TrendInterval> interval_of_median(std::vector<double> figures) {
  if (figures.size() < 2) return std::nullopt;
  std::sort(figures.begin(), figures.end());
  // As many may be left out on each side as fall below the median with half the risk at most.
  const boost::math::binomial_distribution<> below(static_cast<double>(figures.size()), 0.5);
  std::size_t left_out = 0;
  while (left_out < (figures.size() - 1) / 2 &&
         boost::math::cdf(below, static_cast<double>(left_out)) <= kRisk / 2) {
    ++left_out;
  }
  // The last that was counted is the bound itself.
  const std::size_t bound = left_out == 0 ? 0 : left_out - 1;
  return TrendInterval{figures[bound], figures[figures.size() - 1 - bound]};
}

std::vector<TrendPoint> trend_points(std::span<const HistoryFigures> figures) {
  std::vector<TrendPoint> points;
  points.reserve(figures.size());
  for (const HistoryFigures& each : figures) {
    points.push_back(
        {each.run, median_of(each.figures), each.figures.size(), interval_of_median(each.figures)});
  }
  return points;
}

}  // namespace warpgauge::ci
