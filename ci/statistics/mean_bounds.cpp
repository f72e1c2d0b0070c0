// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/mean_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/students_t.hpp"

namespace warpgauge::ci {
namespace {

double half_width(double variance, std::size_t degrees, double chance) {
  if (!(variance > 0)) return 0;
  const StudentsT distribution(static_cast<double>(degrees));
  return std::sqrt(variance) * boost::math::quantile(boost::math::complement(distribution, chance));
}

}  // namespace

Interval bounds_of_mean(std::span<const ProcessFigures> sessions, double resolution,
                        double chance) {
  std::vector<double> means;
  std::size_t figures = 0;
  double squares = 0;
  double inverse_sizes = 0;
  for (const ProcessFigures& session : sessions) {
    if (session.empty()) continue;
    means.push_back(mean_of(session));
    figures += session.size();
    squares += squares_about_mean(session);
    inverse_sizes += 1 / static_cast<double>(session.size());
  }
  if (figures < 2) throw std::invalid_argument("bounds_of_mean: fewer than two figures");
  const auto count = static_cast<double>(means.size());
  double half = resolution / std::sqrt(12.0);
  if (const std::size_t degrees = figures - means.size(); degrees > 0) {
    const double variance = squares / static_cast<double>(degrees);
    half = std::max(half, half_width(variance * inverse_sizes / (count * count), degrees, chance));
  }
  if (means.size() > 1) {
    const double variance = squares_about_mean(means) / (count - 1);
    half = std::max(half, half_width(variance / count, means.size() - 1, chance));
  }
  const double mean = mean_of(means);
  return {mean - half, mean + half};
}

}  // namespace warpgauge::ci
