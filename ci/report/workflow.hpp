// SPDX-License-Identifier: Apache-2.0
// The verdict as GitHub workflow commands: printed in a step, they annotate lines of the change.
#pragma once

#include <cstddef>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// GitHub shows that many errors, and that many warnings, of a step.
inline constexpr std::size_t kMostAnnotations = 10;

// The gravest first; the last of a kind says how many more there are.
[[nodiscard]] std::string workflow_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
