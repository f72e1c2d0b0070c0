// SPDX-License-Identifier: Apache-2.0
// What a [[limit]] or a [[ratio]] of the policy says of the new side's figures, whatever the old
// side has.
#pragma once

#include <string>

#include "ci/policy/policy.hpp"
#include "ci/verdict/estimate.hpp"
#include "ci/verdict/identity/same_code_timing.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

struct BenchmarkVerdict;
enum class Verdict;

// Holds the figures of each benchmark that was measured against the policy's limits for it. Time
// that was left untimed, since the code is the same, is the old side's. A metric that has no
// estimate yet gets one, without basis. Nothing where time alone is to decide.
//
// A [[ratio]] is a limit whose figures are those of one benchmark by those of another, of the new
// side both, process by process where both have the same ones. It is not measured where the other
// lacks the figure, and left out where a --filter left the other out.
//
// The mean of figures that differ is held against a limit at alpha, shared by all such means, and
// shown to be within it at beta.
void add_limits(const results::Results& before, const results::Results& after, const Policy& policy,
                const ComparisonTerms& terms, Estimates& estimates);

// same: within the limit.
[[nodiscard]] Verdict verdict_of(const LimitEstimate& limit);

// "registers 72 > 64 allowed by [[limit]] (ci/policy.toml:12)", with the reason that the policy
// gives.
[[nodiscard]] std::string limit_text(const std::string& metric, const LimitEstimate& limit);

// Once all else is decided: what is beyond a limit is no better than that, and says so.
void hold_to_limits(BenchmarkVerdict& benchmark);

}  // namespace warpgauge::ci
