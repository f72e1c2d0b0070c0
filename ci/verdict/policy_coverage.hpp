// SPDX-License-Identifier: Apache-2.0
// Whether a policy speaks of what there is. One whose metrics are misspelt, or that gates nothing,
// would pass whatever was measured.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/verdict/estimate.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Of all benchmarks: metrics with figures, with ranges, and those of which is recorded why they
// have none.
[[nodiscard]] std::set<std::string> metric_names(const results::Results& results);

// Whether it gates any figure of these results.
[[nodiscard]] bool gates_anything(const Policy& policy, const results::Results& results);

// Of names that are unknown, and of a policy that gates nothing of what was compared, nor would if
// what is new had a baseline. after: what the estimates are of; known: all metrics that the policy
// may name.
[[nodiscard]] std::vector<Shortfall> policy_shortfalls(const Policy& policy,
                                                       const std::set<std::string>& known,
                                                       const Estimates& estimates,
                                                       const results::Results& after);

// Where benchmarks of the same code were left untimed for longer than max_age of the policy.
[[nodiscard]] std::optional<Shortfall> age_shortfall(const Untimed& untimed, const Policy& policy);

}  // namespace warpgauge::ci
