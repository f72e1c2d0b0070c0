// SPDX-License-Identifier: Apache-2.0
// Means, variances and lines of any stretch of a series, in constant time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "ci/statistics/series/change_points.hpp"

namespace warpgauge::ci {

// Of points [begin, end), of which there is at least one.
class Prefixes {
 public:
  explicit Prefixes(std::span<const SeriesPoint> points) : sums_(points.size() + 1) {
    // Small sums stay exact.
    origin_ = points.empty() ? 0 : points.front().value;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double y = points[i].value - origin_;
      const auto x = static_cast<double>(i);
      const Sums& before = sums_[i];
      sums_[i + 1] = {before.y + y, before.yy + y * y, before.xy + x * y,
                      before.variance + points[i].variance};
    }
  }

  [[nodiscard]] double mean(std::size_t begin, std::size_t end) const {
    return origin_ + between(begin, end).y / length(begin, end);
  }
  // Sum of the squares about the mean.
  [[nodiscard]] double squares(std::size_t begin, std::size_t end) const {
    const Sums sums = between(begin, end);
    return std::max(0.0, sums.yy - sums.y * sums.y / length(begin, end));
  }
  // Mean of what measuring explains of the points' variance.
  [[nodiscard]] double least_variance(std::size_t begin, std::size_t end) const {
    return between(begin, end).variance / length(begin, end);
  }

  struct Line {
    double at_begin = 0;  // its value at the first point, and at the last
    double at_end = 0;
    double slope = 0;
    double squares = 0;  // sum of those about the line
    double squares_of_x = 0;
  };
  // Least squares, of at least two points.
  [[nodiscard]] Line line(std::size_t begin, std::size_t end) const {
    const Sums sums = between(begin, end);
    const double n = length(begin, end);
    const double middle = static_cast<double>(begin) + (n - 1) / 2;
    Line line;
    line.squares_of_x = n * (n * n - 1) / 12;
    line.slope = (sums.xy - middle * sums.y) / line.squares_of_x;
    line.squares = std::max(0.0, squares(begin, end) - line.slope * line.slope * line.squares_of_x);
    line.at_begin = mean(begin, end) - line.slope * (n - 1) / 2;
    line.at_end = mean(begin, end) + line.slope * (n - 1) / 2;
    return line;
  }

  static double length(std::size_t begin, std::size_t end) {
    return static_cast<double>(end - begin);
  }

 private:
  struct Sums {
    double y = 0;
    double yy = 0;
    double xy = 0;
    double variance = 0;
  };
  [[nodiscard]] Sums between(std::size_t begin, std::size_t end) const {
    const Sums& a = sums_[begin];
    const Sums& b = sums_[end];
    return {b.y - a.y, b.yy - a.yy, b.xy - a.xy, b.variance - a.variance};
  }

  double origin_ = 0;
  std::vector<Sums> sums_;
};

}  // namespace warpgauge::ci
