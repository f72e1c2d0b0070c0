// SPDX-License-Identifier: Apache-2.0
// What figures have in their middle, and how far they are from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace warpgauge::ci {

// Of at least one value.
[[nodiscard]] inline double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

[[nodiscard]] inline double squares_about_mean(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// Throws std::invalid_argument when there is no figure.
[[nodiscard]] inline double median_of(std::vector<double> figures) {
  if (figures.empty()) throw std::invalid_argument("median_of: no figure");
  std::sort(figures.begin(), figures.end());
  const std::size_t middle = figures.size() / 2;
  if (figures.size() % 2 == 1) return figures[middle];
  return (figures[middle - 1] + figures[middle]) / 2;
}

}  // namespace warpgauge::ci
