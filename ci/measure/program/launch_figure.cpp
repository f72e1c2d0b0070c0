// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/launch_figure.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::ci {

double launch_figure(std::span<const double> samples_ns) {
  constexpr double kTrimmed = 0.25;
  constexpr std::size_t kOutermost = 50;  // one in so many, at either end
  constexpr double kOneKind = 1.5;
  constexpr double kSeveralKinds = 2;
  const double alike = results::trimmed_mean(samples_ns, kTrimmed);
  if (samples_ns.size() < 3) return alike;
  std::vector<double> sorted(samples_ns.begin(), samples_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t outermost = std::max<std::size_t>(1, sorted.size() / kOutermost);
  const double low = sorted[outermost];
  const double high = sorted[sorted.size() - 1 - outermost];
  if (high <= kOneKind * low) return alike;
  for (double& each : sorted) each = std::clamp(each, low, high);
  const double all =
      std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  const double kinds =
      std::min(1.0, (high - kOneKind * low) / ((kSeveralKinds - kOneKind) * std::max(low, 1.0)));
  return kinds * all + (1 - kinds) * alike;
}

}  // namespace warpgauge::ci
