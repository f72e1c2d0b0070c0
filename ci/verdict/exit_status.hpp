// SPDX-License-Identifier: Apache-2.0
// With which status a gate ends.
#pragma once

#include <set>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// The exit status that this verdict alone would give.
[[nodiscard]] int exit_status(Verdict verdict);

// The gravest of 4, 1, 3 and 0 that these verdicts give.
[[nodiscard]] int exit_status(const GateVerdict& verdict);

// … were these allowed.
[[nodiscard]] int exit_status(const GateVerdict& verdict, const std::set<Verdict>& allowed);

}  // namespace warpgauge::ci
