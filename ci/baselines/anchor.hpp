// SPDX-License-Identifier: Apache-2.0
// Anchors: where benchmarks started, so that what they lose by many small changes is known. Only
// `approve --anchor` sets one; whatever else is approved leaves it where it is.
#pragma once

#include <map>
#include <string>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// Git's whole name of a commit: nothing shorter stays the name of one.
[[nodiscard]] bool is_whole_sha(const std::string& text);

// Gives what is approved the anchors that the baseline has for it, or, where the request says so,
// the revision of its results, for all that has a gated time; their ids go into approval.anchored.
// Throws Error, when results are to be an anchor: not measured, for those of no revision, of
// modified sources, of two revisions, or without the time of a benchmark; usage, where the policy
// gates no time of any.
void settle_anchors(const ApprovalRequest& request, const Policy& policy, const Baseline& baseline,
                    std::map<std::string, Anchor>& anchors, Family& approved, Approval& approval);

// Of a benchmark that has one.
[[nodiscard]] const Anchor& anchor_of(const Baseline& baseline, const Approved& approved);

// Of a benchmark that has one: the approvals since then whose sessions it still keeps, the oldest
// first: "2026-11-23 Ada <ada@example.org>: one barrier less; and 2 more". Empty: none.
[[nodiscard]] std::string approvals_since_anchor(const Baseline& baseline,
                                                 const Approved& approved);

// "1f72ba20943b of 2026-11-22".
[[nodiscard]] std::string name_of(const Anchor& anchor);

}  // namespace warpgauge::ci
