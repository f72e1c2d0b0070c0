// SPDX-License-Identifier: Apache-2.0
// Carries sessions of a baseline over to another build of the same code: their figures are
// multiplied by what both builds took in turns, and stand for the new one.
//
// What the ratio is off by, all of them are off by, and no further session averages that out: so
// it must be known well (docs/explain/statistics.md).
#pragma once

#include <map>
#include <set>
#include <string>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Puts carried sessions in the place of those that were measured as request.beside was, into
// `baseline`, of what is approved, and into `sessions`. Returns their labels. Throws Error: usage,
// for two sides that were not measured in turns, that are exchanged, or of one environment; no
// verdict, where not the build alone differs, or nothing can be carried over. What estimate()
// throws.
[[nodiscard]] std::set<std::string> carry_over(const ApprovalRequest& request, const Policy& policy,
                                               const Family& approved, Baseline& baseline,
                                               std::map<std::string, ApprovedSession>& sessions,
                                               Approval& approval);

[[nodiscard]] bool is_carried(const Approval& approval, const std::string& id,
                              const std::string& metric);

// Carried figures stand for the new code: gives their benchmarks the code and the exact figures of
// `now`, so that those are not compared which are known to be of other code.
void take_code_of(const results::Results& now, const Policy& policy, const Approval& approval,
                  results::Results& before);

// Once results were held against carried figures, and anchors were settled: what was shown to be
// another has begun anew, sessions are counted of which something is left, and the times of anchors
// are carried over. carried: the labels that carry_over() returned. Throws Error (no verdict) where
// nothing is left of it.
void finish_carrying(const ApprovalRequest& request, const std::set<std::string>& carried,
                     Family& approved, Approval& approval);

}  // namespace warpgauge::ci
