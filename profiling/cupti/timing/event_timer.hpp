// SPDX-License-Identifier: Apache-2.0
// Durations between two CUDA events, for where CUPTI cannot be had.
#pragma once

#include "profiling/cupti/timing/sampling.hpp"
#include "profiling/cupti/timing/timing.hpp"
#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {

// As time_by_activity, but a sample is all that happens between the events: gaps between kernels
// and some two microseconds of launching count too. Never compare it with the other.
//
// Throws DeviceError when a launch fails.
[[nodiscard]] Timing time_by_events(
    const Workload& workload, const SampleOpening& opening,
    const Slowed& slowed = [] { return false; });

}  // namespace warpgauge::cupti
