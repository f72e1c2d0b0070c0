// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/sampling.hpp"

#include <algorithm>

namespace warpgauge::cupti {

std::size_t sample_count(Seconds one_sample) {
  const double fitting = kSamplingBudget / one_sample;
  if (!(fitting < static_cast<double>(kMostSamples))) return kMostSamples;
  return std::max(kFewestSamples, static_cast<std::size_t>(fitting));
}

Seconds warm_up(const std::function<void()>& sample) {
  sample();  // loads the kernels, which must not count
  const auto start = std::chrono::steady_clock::now();
  int samples = 0;
  Seconds elapsed{};
  do {
    sample();
    ++samples;
    elapsed = std::chrono::steady_clock::now() - start;
  } while (elapsed < kWarmUp);
  return elapsed / samples;
}

}  // namespace warpgauge::cupti
