// SPDX-License-Identifier: Apache-2.0
#include "ci/history/trend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/series/change_points.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// Chance that the interval does not hold the median.
constexpr double kRisk = 0.05;

// How many of so many figures lie outside of the median's interval on each side.
std::size_t bound_of_median(std::size_t figures) {
  if (figures < 6) return 0;  // as far apart as they can be
  // As many may be left out on each side as fall below the median with half the risk at most.
  const boost::math::binomial_distribution<> below(static_cast<double>(figures), 0.5);
  std::size_t bound = 0;
  while (boost::math::cdf(below, static_cast<double>(bound + 1)) <= kRisk / 2) ++bound;
  return bound;
}

// Of normal deviates, by which the median distance from the median is multiplied for their standard
// deviation, of two, three and so on; of more than nine n / (n - 0.8) (C. Croux, P. J. Rousseeuw,
// "Time-Efficient Algorithms for Two Highly Robust Estimators of Scale", Computational Statistics
// 1, 1992).
constexpr double kOfMedianDistance = 1.4826;
constexpr double kOfFew[] = {1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};

// Of figures, at least two: a process that is far off moves their median hardly, and this neither.
double deviation_of(const std::vector<double>& figures, double median) {
  std::vector<double> distances;
  distances.reserve(figures.size());
  for (const double each : figures) distances.push_back(std::abs(each - median));
  const auto n = static_cast<double>(figures.size());
  const double of_few =
      figures.size() < 2 + std::size(kOfFew) ? kOfFew[figures.size() - 2] : n / (n - 0.8);
  return kOfMedianDistance * of_few * median_of(std::move(distances));
}

// Of the logarithm of the median, by the spread of the processes and the clock's step. A median's
// variance is π/2 times that of a mean, of normal deviates.
double variance_of_figure(const std::vector<double>& figures, double figure, double resolution) {
  if (!(figure > 0)) return 0;
  const double step = resolution / figure;
  const double of_clock = step * step / 12;
  if (figures.size() < 2) return of_clock;
  const double relative = deviation_of(figures, figure) / figure;
  return of_clock + relative * relative / static_cast<double>(figures.size()) *
                        boost::math::constants::half_pi<double>();
}

std::vector<TrendChange> exact_changes(std::span<const TrendPoint> points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const TrendPoint& point : points) values.push_back(point.figure);
  std::vector<TrendChange> changes;
  for (const std::size_t first : find_exact_changes(values)) {
    changes.push_back(
        {TrendChangeKind::exact, first, first, values[first - 1], values[first], std::nullopt});
  }
  return changes;
}

std::vector<TrendChange> statistical_changes(std::span<const TrendPoint> of) {
  std::vector<SeriesPoint> points;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < of.size(); ++i) {
    // It has no logarithm, and the gate no verdict on it.
    if (!(of[i].figure > 0) || std::isinf(of[i].figure)) continue;
    points.push_back({std::log(of[i].figure), of[i].variance});
    indices.push_back(i);
  }
  std::vector<TrendChange> changes;
  for (const Change& change : find_changes(points)) {
    changes.push_back(
        {change.kind == ChangeKind::step ? TrendChangeKind::step : TrendChangeKind::drift,
         indices[change.first], indices[change.last], std::exp(change.before),
         std::exp(change.after), change.p});
  }
  return changes;
}

// What the level seemed to be without the newest runs. Nothing is known where it had no figure, nor
// asked of exact metrics, whose changes are dated once and for all.
template <typename IsNew>
std::optional<double> level_before(const Trend& trend, const IsNew& is_new) {
  if (trend.rule.metric_class == MetricClass::exact) return std::nullopt;
  std::size_t count = 0;
  while (count < trend.points.size() && !is_new(count)) ++count;
  if (count == 0) return std::nullopt;
  const auto points = std::span(trend.points).first(count);
  const std::vector<TrendChange> changes = statistical_changes(points);
  if (!changes.empty()) return changes.back().after;
  std::vector<double> figures;
  figures.reserve(points.size());
  for (const TrendPoint& point : points) figures.push_back(point.figure);
  return median_of(std::move(figures));
}

}  // namespace

std::string to_string(TrendChangeKind kind) {
  switch (kind) {
    case TrendChangeKind::step:
      return "step";
    case TrendChangeKind::drift:
      return "drift";
    case TrendChangeKind::exact:
      return "exact";
  }
  throw std::invalid_argument("to_string: no such kind of change");
}

bool is_worse(const Trend& trend, const TrendChange& change) {
  return trend.rule.better == Better::lower ? change.after > change.before
                                            : change.after < change.before;
}

bool got_worse_within(const Trend& trend, std::size_t runs, std::size_t within) {
  const auto is_new = [&](std::size_t point) { return trend.points[point].run + within >= runs; };
  std::vector<TrendChange> earlier;  // for the worse, and not won back
  for (TrendChange change : trend.changes) {
    const bool is_within = is_new(change.last);
    change.after = trend.changes.back().after;
    if (!is_worse(trend, change)) continue;
    if (is_within) return true;
    earlier.push_back(change);
  }
  return std::any_of(earlier.begin(), earlier.end(),
                     [&, before = level_before(trend, is_new)](const TrendChange& change) {
                       // Halfway, since levels and dates move a little with each run.
                       const double halfway = std::sqrt(change.before) * std::sqrt(change.after);
                       return before && (trend.rule.better == Better::lower ? *before < halfway
                                                                            : *before > halfway);
                     });
}

std::optional<TrendInterval> interval_of_median(std::vector<double> figures) {
  if (figures.size() < 2) return std::nullopt;
  std::sort(figures.begin(), figures.end());
  const std::size_t bound = bound_of_median(figures.size());
  return TrendInterval{figures[bound], figures[figures.size() - 1 - bound]};
}

Trend trend_of(const HistorySeries& series, const std::string& metric, const Rule& rule,
               std::span<const HistoryFigures> figures) {
  Trend trend{series.device_key, series.benchmark, metric, rule, {}, {}};
  trend.points.reserve(figures.size());
  for (const HistoryFigures& each : figures) {
    const double figure = median_of(each.figures);
    trend.points.push_back({each.run, figure, each.figures.size(), interval_of_median(each.figures),
                            variance_of_figure(each.figures, figure, rule.resolution)});
  }
  trend.changes = rule.metric_class == MetricClass::exact ? exact_changes(trend.points)
                                                          : statistical_changes(trend.points);
  return trend;
}

}  // namespace warpgauge::ci
