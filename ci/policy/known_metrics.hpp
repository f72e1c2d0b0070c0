// SPDX-License-Identifier: Apache-2.0
// Checks that the metrics which a policy gates exist: with a misspelt one everything would pass.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// A message for each metric that the policy limits, or requires, and that is neither in `known` nor
// measured by Warpgauge itself. It says where the metric stands, and which names there are.
[[nodiscard]] std::vector<std::string> unknown_metrics(const Policy& policy,
                                                       const std::set<std::string>& known);

// Throws Error (not measured) with the first message.
void refuse_unknown_metrics(const Policy& policy, const std::set<std::string>& known);

}  // namespace warpgauge::ci
