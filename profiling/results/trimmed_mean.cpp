// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/trimmed_mean.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace warpgauge::results {

namespace {

// Without `lowest` and `highest` of the samples, as shares, rounded down to whole samples.
double mean_without(std::span<const double> samples, double lowest, double highest) {
  if (samples.empty()) throw std::invalid_argument("trimmed mean of no samples");
  if (!std::all_of(samples.begin(), samples.end(), [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("trimmed mean: a sample is not finite");
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  const auto left_out = static_cast<std::size_t>(lowest * count);
  const auto end = sorted.size() - static_cast<std::size_t>(highest * count);
  const auto kept = std::span(sorted).subspan(left_out, end - left_out);
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

}  // namespace

double trimmed_mean(std::span<const double> samples, double trimmed_fraction) {
  if (!(trimmed_fraction >= 0 && trimmed_fraction < 0.5)) {
    throw std::invalid_argument("trimmed mean: the trimmed fraction must be in [0, 0.5)");
  }
  return mean_without(samples, trimmed_fraction, trimmed_fraction);
}

double process_figure(std::span<const double> samples) { return mean_without(samples, 0.05, 0.5); }

}  // namespace warpgauge::results
