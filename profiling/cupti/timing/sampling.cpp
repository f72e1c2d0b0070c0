// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::cupti {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool precise(const std::vector<double>& batch_means, const SamplingLimits& limits) {
  if (batch_means.size() < limits.fewest_batches) return false;
  const auto error = standard_error(batch_means);
  return error && *error <= std::max(limits.error_ns, limits.relative_error * mean(batch_means));
}

}  // namespace

Seconds steady_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::optional<double> standard_error(const std::vector<double>& batch_means) {
  const auto count = static_cast<double>(batch_means.size());
  if (count < 2) return std::nullopt;
  const double middle = mean(batch_means);
  double squares = 0;
  for (const double each : batch_means) squares += (each - middle) * (each - middle);
  return std::sqrt(squares / (count - 1) / count);
}

std::size_t batch_size(Seconds one_sample, Seconds one_move) {
  constexpr double kFewest = 15;
  constexpr double kMost = 25;
  constexpr Seconds kLongest{0.003};
  if (!(one_sample > Seconds(0))) return static_cast<std::size_t>(kMost);
  const double wanted = std::clamp(one_move / one_sample / 2, kFewest, kMost);
  return static_cast<std::size_t>(std::max(1.0, std::min(wanted, kLongest / one_sample)));
}

Sampled take_samples(const std::function<std::vector<Batch>()>& take_round, const Slowed& slowed,
                     const SamplingLimits& limits, const Clock& clock) {
  constexpr double kTrimmed = 0.2;  // three of fifteen samples at each end
  const Seconds start = clock();
  Sampled sampled;
  std::vector<double> batch_means;  // of the batches that count
  std::size_t batches = 0;
  bool slowed_before = slowed();
  while (true) {
    const std::vector<Batch> round = take_round();
    const bool slowed_after = slowed();
    const bool round_counts = !slowed_before && !slowed_after;
    slowed_before = slowed_after;
    if (round.empty()) return sampled;
    batches += round.size();
    for (const Batch& batch : round) {
      sampled.counts.insert(sampled.counts.end(), batch.size(), round_counts);
      if (round_counts) batch_means.push_back(results::trimmed_mean(batch, kTrimmed));
    }
    const bool enough = precise(batch_means, limits);
    const bool spent = batches >= limits.fewest_batches && clock() - start >= limits.budget;
    if (!enough && !spent) continue;
    sampled.how.ended_by = enough ? results::SamplingEnd::precision : results::SamplingEnd::budget;
    sampled.how.standard_error_ns = standard_error(batch_means);
    return sampled;
  }
}

Seconds warm_up(const std::function<void()>& sample, const Clock& clock) {
  constexpr double kSettled = 0.01;
  constexpr Seconds kStretch = kShortestWarmUp / 2;
  sample();  // loads the kernels, which must not count
  const Seconds start = clock();
  std::optional<Seconds> before;
  while (true) {
    const Seconds stretch_start = clock();
    Seconds now = stretch_start;
    int samples = 0;
    do {
      sample();
      ++samples;
      now = clock();
    } while (now - stretch_start < kStretch);
    const Seconds one_sample = (now - stretch_start) / samples;
    const bool settled = before && std::abs(one_sample / *before - 1) <= kSettled;
    if ((settled && now - start >= kShortestWarmUp) || now - start >= kLongestWarmUp) {
      return one_sample;
    }
    before = one_sample;
  }
}

}  // namespace warpgauge::cupti
