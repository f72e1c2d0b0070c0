// SPDX-License-Identifier: Apache-2.0
// How the verdict on a benchmark came about, step by step and in numbers.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// For each benchmark whose id matches the pattern, and each of its metrics: the rule and the lines
// of the policy that it comes from, every figure, what the statistics made of them, and the
// decision. Throws Error (usage) when the pattern matches none of them.
[[nodiscard]] std::string derivations(const GateVerdict& verdict, const std::string& pattern);

}  // namespace warpgauge::ci
