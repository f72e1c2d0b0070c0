// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/trimmed_mean.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace warpgauge::results {

double trimmed_mean(std::span<const double> samples, double trimmed_fraction) {
  if (samples.empty()) throw std::invalid_argument("trimmed mean of no samples");
  if (!(trimmed_fraction >= 0 && trimmed_fraction < 0.5)) {
    throw std::invalid_argument("trimmed mean: the trimmed fraction must be in [0, 0.5)");
  }
  if (!std::all_of(samples.begin(), samples.end(), [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("trimmed mean: a sample is not finite");
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto trimmed =
      static_cast<std::size_t>(trimmed_fraction * static_cast<double>(sorted.size()));
  const auto kept = std::span(sorted).subspan(trimmed, sorted.size() - 2 * trimmed);
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

}  // namespace warpgauge::results
