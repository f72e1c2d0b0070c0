// SPDX-License-Identifier: Apache-2.0
// Whether the metrics that a policy gates are there at all: a misspelt one would hold nothing to
// anything, and everything would pass.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// A message for each metric that the policy limits, or gates and does not let be absent, and that
// is neither in `known` nor one that Warpgauge measures itself: where it stands, and which names
// there are.
[[nodiscard]] std::vector<std::string> unknown_metrics(const Policy& policy,
                                                       const std::set<std::string>& known);

// Throws Error (not measured) with the first of them.
void refuse_unknown_metrics(const Policy& policy, const std::set<std::string>& known);

}  // namespace warpgauge::ci
