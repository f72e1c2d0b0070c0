// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/series/usual_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ci/statistics/mean.hpp"

namespace warpgauge::ci {
namespace {

// Most of these are on the point's own side of a step.
constexpr std::size_t kAround = 2 * kFewestPoints - 1;
// A usual point among odd ones is odd among the nearest only.
constexpr std::size_t kManyAround = 2 * kAround + 1;

constexpr double kUsualShare = 0.9;

// Of the distance that nine in ten are within at most. Of normal deviates that is beyond ten
// standard deviations.
constexpr double kFar = 8;

// A variance of one process more than there are is seldom further above the median.
constexpr double kMostOfMedian = 9;

double median_around(std::span<const SeriesPoint> points, std::size_t at, std::size_t width) {
  const std::size_t count = std::min(width, points.size());
  // At an end of the series, further to one side.
  const std::size_t begin = std::min(at - std::min(at, count / 2), points.size() - count);
  std::vector<double> values;
  for (const SeriesPoint& point : points.subspan(begin, count)) values.push_back(point.value);
  return median_of(std::move(values));
}

double usual_distance(std::vector<double> distances) {
  const auto last = static_cast<double>(distances.size() - 1);
  const auto place = distances.begin() + static_cast<std::ptrdiff_t>(kUsualShare * last);
  std::nth_element(distances.begin(), place, distances.end());
  return *place;
}

// Nothing is known where it is 0.
double largest_variance(std::span<const SeriesPoint> points) {
  std::vector<double> known;
  for (const SeriesPoint& point : points) {
    if (point.variance > 0) known.push_back(point.variance);
  }
  return known.empty() ? 0 : kMostOfMedian * median_of(std::move(known));
}

}  // namespace

UsualPoints usual_points(std::span<const SeriesPoint> points) {
  UsualPoints usual;
  if (points.empty()) return usual;
  std::vector<double> distances;
  for (std::size_t i = 0; i < points.size(); ++i) {
    distances.push_back(std::abs(points[i].value - median_around(points, i, kAround)));
  }
  const double distance = usual_distance(distances);
  const double largest = largest_variance(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double variance = std::min(points[i].variance, largest);
    const double far = kFar * std::max(distance, std::sqrt(variance));
    const bool odd = distances[i] > far &&
                     std::abs(points[i].value - median_around(points, i, kManyAround)) > far;
    if (odd) continue;
    usual.indices.push_back(i);
    usual.points.push_back({points[i].value, variance});
  }
  return usual;
}

}  // namespace warpgauge::ci
