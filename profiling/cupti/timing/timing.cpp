// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/timing.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgauge::cupti {
namespace {

void keep(std::vector<double>& samples, const std::vector<bool>& counts) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (counts.at(i)) kept.push_back(samples[i]);
  }
  samples = std::move(kept);
}

}  // namespace

void keep_counting(Timing& timing, const std::vector<bool>& counts) {
  if (std::find(counts.begin(), counts.end(), true) == counts.end()) {
    timing.slowed_throughout = !counts.empty();
    return;
  }
  timing.discarded = static_cast<int>(std::count(counts.begin(), counts.end(), false));
  keep(timing.samples_ns, counts);
  keep(timing.spans_ns, counts);
}

}  // namespace warpgauge::cupti
