// SPDX-License-Identifier: Apache-2.0
// How long to warm up and how many samples to take, whatever the clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace warpgauge::cupti {

using Seconds = std::chrono::duration<double>;

inline constexpr std::size_t kMostSamples = 100;
inline constexpr std::size_t kFewestSamples = 10;
inline constexpr Seconds kSamplingBudget{0.5};
inline constexpr Seconds kWarmUp{0.05};

// Samples that fit into the budget, within the limits above.
[[nodiscard]] std::size_t sample_count(Seconds one_sample);

// Whether heat or the hardware slows the device down at this moment.
using Slowed = std::function<bool()>;

// Takes `count` samples and says of each whether it counts: `slowed` is asked before the first and
// after every tenth part of them, which is often enough for what takes seconds to come and go, and
// the samples on either side of a slowdown do not count.
[[nodiscard]] std::vector<bool> take_samples(std::size_t count, const std::function<void()>& sample,
                                             const Slowed& slowed);

// Repeats `sample`, which leaves the device idle, for as long as the clocks need to settle: an idle
// GPU runs at a fraction of its clock, so the warm-up is a time and not a number of launches.
// Returns what one sample takes.
[[nodiscard]] Seconds warm_up(const std::function<void()>& sample);

}  // namespace warpgauge::cupti
