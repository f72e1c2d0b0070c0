// SPDX-License-Identifier: Apache-2.0
// Third step of a verdict: why it came about. Adds source lines, machine code, launches and
// counters that moved, and what a reader may want to see of both sides; changes no verdict.
#pragma once

#include <vector>

#include "ci/verdict/estimate.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// So begins the part of a reason that names counters beyond what the baseline's sessions had.
inline constexpr const char* kNotAsInSessions = "not as in the baseline's sessions: ";

// decided: by these estimates, which are of these results.
[[nodiscard]] std::vector<BenchmarkVerdict> attribute(std::vector<BenchmarkVerdict> decided,
                                                      const Estimates& estimates,
                                                      const results::Results& before,
                                                      const results::Results& after);

// By name and architecture; of several kernels of one name as paired() says.
[[nodiscard]] std::vector<KernelVersions> kernel_versions(
    const std::vector<results::KernelCode>& before, const std::vector<results::KernelCode>& after);

}  // namespace warpgauge::ci
