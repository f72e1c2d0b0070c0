// SPDX-License-Identifier: Apache-2.0
// What two policies hold the same benchmarks to: compared by effect, not by text, since the same
// lines in another order, or a pattern that reaches further, read alike and act otherwise.
#pragma once

#include <string>
#include <vector>

#include "ci/policy/approved_changes.hpp"
#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// What loosens first. `ids` are the benchmarks that are known; both policies are as they were read,
// with overrides that have expired or will: an edit whose effect begins on a later day is named
// with that day. `today` as for on_day().
[[nodiscard]] std::vector<PolicyEdit> policy_edits(const Policy& before, const Policy& after,
                                                   const std::vector<std::string>& ids,
                                                   const std::string& today);

}  // namespace warpgauge::ci
