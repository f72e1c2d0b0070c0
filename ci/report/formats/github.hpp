// SPDX-License-Identifier: Apache-2.0
// The verdict as GitHub workflow commands: printed in a step, they annotate lines of the change.
#pragma once

#include <cstddef>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// GitHub shows this many errors, and this many warnings, per step.
inline constexpr std::size_t kMostAnnotations = 10;

// The most severe first; the last error, and the last warning, says how many more there are.
[[nodiscard]] std::string workflow_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
