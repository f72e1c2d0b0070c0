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
using Clock = std::function<Seconds()>;  // time since any moment

// What runs before each sample.
struct SampleOpening {
  std::function<void()> enqueue;  // one kernel of the harness's own
  std::string caches;             // how that leaves them, for the record: "L2 flushed"
};

[[nodiscard]] Seconds steady_time();

// When a process knows enough of a benchmark. See docs/explain/measurement.md for the figures
// behind these.
struct SamplingLimits {
  // Standard error of the process's figure at which enough is known: a share of it, or, for a
  // kernel of a few microseconds, a part of the timestamp's step.
  double relative_error = 0.0004;
  double error_ns = 1;
  Seconds budget{0.2};  // after which no more rounds are begun
  std::size_t fewest_batches = 8;
};

// Samples to take before the data is put elsewhere, which takes `one_move`: few, since places
// differ more than samples do, and not so few that most of the time goes into moving.
[[nodiscard]] std::size_t batch_size(Seconds one_sample, Seconds one_move);

// Durations in nanoseconds of samples with the data in one place.
using Batch = std::vector<double>;

// A round is as many batches as fit into this time, at least one.
inline constexpr Seconds kRound{0.015};

// Whether heat or the hardware slows the device down at this moment.
using Slowed = std::function<bool()>;

struct Sampled {
  std::vector<bool> counts;  // of each sample
  results::Sampling how;
};

// Takes rounds until the limits are met. An empty round: there is nothing to time, and that ends
// it.
//
// `slowed` is asked before the first round and after each, which is often enough for what takes
// seconds to come and go: the samples on either side of a slowdown do not count, and do not enter
// the error.
[[nodiscard]] Sampled take_samples(const std::function<std::vector<Batch>()>& take_round,
                                   const Slowed& slowed, const SamplingLimits& limits = {},
                                   const Clock& clock = steady_time);

// Standard error of the mean of batches, in nanoseconds; absent: of fewer than two. From how much
// batches differ, not samples: those of a batch share their place, and neighbours their clocks.
[[nodiscard]] std::optional<double> standard_error(const std::vector<double>& batch_means);

// Repeats `sample`, which leaves the device idle, until the clocks have settled: an idle GPU runs
// at a fraction of its clock. They have when a stretch of samples takes as long as the one before,
// but for 1 %. Returns what one sample takes.
[[nodiscard]] Seconds warm_up(const std::function<void()>& sample,
                              const Clock& clock = steady_time);

inline constexpr Seconds kShortestWarmUp{0.01};
inline constexpr Seconds kLongestWarmUp{0.2};

}  // namespace warpgauge::cupti
