// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/sampling.hpp"

#include <algorithm>

namespace warpgauge::cupti {

std::size_t sample_count(Seconds one_sample) {
  const double fitting = kSamplingBudget / one_sample;
  if (!(fitting < static_cast<double>(kMostSamples))) return kMostSamples;
  return std::max(kFewestSamples, static_cast<std::size_t>(fitting));
}

std::vector<bool> take_samples(std::size_t count, const std::function<void()>& sample,
                               const Slowed& slowed) {
  std::vector<bool> counts;
  bool slowed_before = slowed();
  while (counts.size() < count) {
    const std::size_t part = std::min(std::max<std::size_t>(count / 10, 1), count - counts.size());
    for (std::size_t i = 0; i < part; ++i) sample();
    const bool slowed_after = slowed();
    counts.insert(counts.end(), part, !slowed_before && !slowed_after);
    slowed_before = slowed_after;
  }
  return counts;
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
