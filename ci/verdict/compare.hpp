// SPDX-License-Identifier: Apache-2.0
// Holds new results against a baseline or other results, by a policy.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "ci/policy/policy.hpp"
#include "ci/verdict/decide.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// The whole verdict: estimate, decide, attribute, aggregate. allowed: verdicts that pass. The
// caller adds what else it knows (edits, commands).
//
// What a side's own --filter left out when it was measured is not compared: a note says how much
// that is, and there is no verdict on the whole. A baseline was filtered by none.
//
// Throws Error: not measured, for a gated figure that is no usable number, with file, benchmark and
// metric; no verdict, when the two sides are of different devices, or filters left nothing.
[[nodiscard]] GateVerdict compare(const results::Results& before, const results::Results& measured,
                                  const Policy& policy, const ComparisonTerms& terms = {},
                                  const std::set<Verdict>& allowed = {},
                                  const FurtherLooks& further = {});

// The verdict when there is nothing to compare with, because of `reason`: every benchmark is new or
// failed. Gated figures are checked all the same. known_metrics: see ComparisonTerms.
[[nodiscard]] GateVerdict without_baseline(const std::string& reason, const results::Results& after,
                                           const Policy& policy,
                                           const std::set<std::string>& known_metrics = {},
                                           const std::set<Verdict>& allowed = {});

// Throws Error (usage) for results that are one shard of a run: the rest would count as missing.
void refuse_shard(const results::Results& results);

}  // namespace warpgauge::ci
