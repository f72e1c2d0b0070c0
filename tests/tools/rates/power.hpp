// SPDX-License-Identifier: Apache-2.0
// What a gate finds beside what it could find: floors, what processes differ by, and the slowdowns
// that are found, of kernels that are alike in duration and spread.
#pragma once

#include <string>
#include <vector>

#include "ci/gate/calibrate/calibrate.hpp"
#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// As Markdown. sessions: what the calibration was made of. Classes without a kernel are left out,
// and benchmarks that were never slowed down.
[[nodiscard]] std::string power_by_spread(const Calibration& calibration,
                                          const std::vector<results::Results>& sessions,
                                          const Policy& policy);

}  // namespace warpgauge::ci
