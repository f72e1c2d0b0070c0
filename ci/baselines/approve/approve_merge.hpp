// SPDX-License-Identifier: Apache-2.0
// The second step of approving: joins what is approved with what the baseline has of the same
// benchmarks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// Holds the results against the baseline as the gate does, with the whole suite, and adds the
// baseline's sessions to `approved` where they are of the same code. sessions: of the baseline and
// of the request, by label; labels: of the request's. Throws Error for all that cannot be approved
// at once.
void merge_with_baseline(const ApprovalRequest& request, const Policy& policy,
                         const std::map<std::string, ApprovedSession>& sessions,
                         const std::vector<std::string>& labels, const Baseline& baseline,
                         Family& approved, Approval& approval);

// What the sessions counted of all that is not gated, beside what earlier ones did. An emulator
// repeats by construction, and whether another program's figures are counts is not known.
void join_ranges(const ApprovalRequest& request, const Policy& policy, const Baseline& baseline,
                 Family& approved);

// The metrics of which the new environment left no session to compare with.
void note_replaced(const std::string& id, const Approved& old, const Approved* compared,
                   const Approved& approved, Approval& approval);

}  // namespace warpgauge::ci
