// SPDX-License-Identifier: Apache-2.0
// The first step of approving: what there is to approve in results, or why it cannot be.
#pragma once

#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// Throws Error where a file can be no session of a baseline, is of another device than the first,
// or timed hot where that is cold.
void check_sessions(const ApprovalRequest& request);

// labels: of the request's sessions. Of sessions that were checked. Throws Error where one of the
// benchmarks that are wanted cannot be approved, or none is wanted.
[[nodiscard]] Family collect(const ApprovalRequest& request, const Policy& policy,
                             const std::vector<std::string>& labels);

// Throws Error (no verdict) where what is unchanged since the baseline shows that the machine of
// one of the sessions is off as a whole: its times would be held against all that come after it.
void refuse_bad_machine(const results::Results& before, const ApprovalRequest& request,
                        const Policy& policy);

}  // namespace warpgauge::ci
