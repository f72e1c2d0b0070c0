// SPDX-License-Identifier: Apache-2.0
// How long to warm up and how many samples to take. The clock comes in from outside; no CUDA here.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

using Seconds = std::chrono::duration<double>;
using Clock = std::function<Seconds()>;  // time since an arbitrary moment

// What runs before each sample.
struct SampleOpening {
  std::function<void()> enqueue;  // launches one of the harness's own kernels
  std::string caches;             // the caches' state after it, for the record: "L2 flushed"
};

[[nodiscard]] Seconds steady_time();

// When a process has enough samples of a benchmark. docs/explain/measurement.md has the figures
// behind these limits.
struct SamplingLimits {
  // Sampling ends at this standard error of the process's figure: a share of the figure or, for
  // kernels of a few microseconds, a fraction of the timestamp's resolution.
  double relative_error = 0.0004;
  double error_ns = 1;
  Seconds budget{0.08};  // after this time no further round starts
  std::size_t fewest_batches = 8;
};

// Of a process in turns, which are to find less.
inline constexpr SamplingLimits kMoreLimits{.budget = Seconds(0.2)};

// Of the sentinel pass: enough to see a change of a few per cent.
inline constexpr SamplingLimits kSentinelLimits{.budget = Seconds(0.01), .fewest_batches = 2};

// How many samples to take before the data moves, which takes `one_move`: few, because places
// differ more than samples, but not so few that most of the time goes into moving.
[[nodiscard]] std::size_t batch_size(Seconds one_sample, Seconds one_move);

// Durations, in nanoseconds, of samples with the data at the same place.
using Batch = std::vector<double>;

// A round is as many batches as fit into this time, at least one.
inline constexpr Seconds kRound{0.015};

// Whether heat or the hardware slows the device down now.
using Slowed = std::function<bool()>;

struct Sampled {
  std::vector<bool> counts;  // for each sample, whether it counts
  results::Sampling how;
};

// Takes rounds until the limits are met, or until a round is empty because there is nothing to
// time.
//
// Calls `slowed` before the first round and after each, which is often enough because slowdowns
// last for seconds. The rounds before and after a slowdown do not count and do not enter the error.
[[nodiscard]] Sampled take_samples(const std::function<std::vector<Batch>()>& take_round,
                                   const Slowed& slowed, const SamplingLimits& limits = {},
                                   const Clock& clock = steady_time);

// Standard error of the mean of batches, in nanoseconds; absent for fewer than two. It uses the
// spread of batches, not of samples: a batch's samples share their place and their clocks.
[[nodiscard]] std::optional<double> standard_error(const std::vector<double>& batch_means);

// Warms up: repeats `sample`, which leaves the device idle, until the clocks settle. An idle GPU
// runs at a fraction of its clock. They have settled when a stretch of samples takes as long as the
// previous one, within 1 %. Returns the duration of one sample.
[[nodiscard]] Seconds warm_up(const std::function<void()>& sample,
                              const Clock& clock = steady_time);

inline constexpr Seconds kShortestWarmUp{0.01};
inline constexpr Seconds kLongestWarmUp{0.2};

}  // namespace warpgauge::cupti
