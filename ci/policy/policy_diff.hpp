// SPDX-License-Identifier: Apache-2.0
// How two policies differ for the same benchmarks. Compares their effect, not their text: lines in
// another order, or a pattern that matches more, look alike and act differently.
#pragma once

#include <string>
#include <vector>

#include "ci/policy/approved_changes.hpp"
#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// What loosens comes first. `ids` are the known benchmarks. Both policies are as they were read,
// with overrides that have expired or will. If an edit takes effect on a later day, it names that
// day. `today` as for on_day().
[[nodiscard]] std::vector<PolicyEdit> policy_edits(const Policy& before, const Policy& after,
                                                   const std::vector<std::string>& ids,
                                                   const std::string& today);

}  // namespace warpgauge::ci
