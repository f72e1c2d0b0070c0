// SPDX-License-Identifier: Apache-2.0
// What machine code says of a change: whether it is the same, and so whether a kernel that takes
// another time was changed at all.
#pragma once

#include <string>
#include <vector>

#include "ci/verdict/code_identity.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// By name and architecture.
[[nodiscard]] std::vector<KernelVersions> kernel_versions(
    const std::vector<results::KernelCode>& before, const std::vector<results::KernelCode>& after);

// Whether a time moved by no more than machines of one model may differ. It is generous: of seven
// H200s the times differed by up to 5 %, those of the smallest grids by 14 %. What else is not
// recorded, such as where the data lies, moves more when it matters.
[[nodiscard]] bool may_be_of_the_machine(const MetricVerdict& time);

// Adds to metrics that regressed or improved what the machine code and the launches say, in
// `reason`. Against a stored baseline, a time that moved with the same machine code, the same exact
// counters and, where the baseline tells them, the same launches, by no more than machines may
// differ, becomes inconclusive: it is the machine that differs. To be called when the metrics are
// decided, and before benchmarks take their verdict from them.
void explain_by_machine_code(const CodeIdentities& identities, bool is_stored,
                             GateVerdict& verdict);

}  // namespace warpgauge::ci
