// SPDX-License-Identifier: Apache-2.0
// Kernel durations from the device's own timestamps, in CUPTI activity records.
#pragma once

#include "profiling/cupti/timing/sampling.hpp"
#include "profiling/cupti/timing/timing.hpp"
#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {

// Runs `launch` after the opening, with the device idle before and after each run. A sample is the
// sum of the durations of the run's kernels; copies and memsets do not count.
//
// Throws CuptiError when CUPTI cannot record, DeviceError when a launch fails or records are lost.
[[nodiscard]] Timing time_by_activity(
    const Workload& workload, const SampleOpening& opening,
    const Slowed& slowed = [] { return false; }, const SamplingLimits& limits = {});

}  // namespace warpgauge::cupti
