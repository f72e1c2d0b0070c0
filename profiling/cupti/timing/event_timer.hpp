// SPDX-License-Identifier: Apache-2.0
// Durations between two CUDA events, for machines where CUPTI does not work.
#pragma once

#include "profiling/cupti/timing/sampling.hpp"
#include "profiling/cupti/timing/timing.hpp"
#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {

// Like time_by_activity, but a sample is the time between the events: it includes gaps between
// kernels and about two microseconds of launch overhead. Never compare the two.
//
// Throws DeviceError when a launch fails.
[[nodiscard]] Timing time_by_events(
    const Workload& workload, const SampleOpening& opening,
    const Slowed& slowed = [] { return false; }, const SamplingLimits& limits = {});

}  // namespace warpgauge::cupti
