// SPDX-License-Identifier: Apache-2.0
// What is left to a person once the files are written.
#pragma once

#include <vector>

#include "ci/init/proposal.hpp"

namespace warpgauge::ci {

// Of what in the files only a person knows.
[[nodiscard]] std::vector<NextStep> edits_to_make(const Repository& repository);

// From the first measurement on.
[[nodiscard]] std::vector<NextStep> steps_to_a_gate(const Repository& repository);

}  // namespace warpgauge::ci
