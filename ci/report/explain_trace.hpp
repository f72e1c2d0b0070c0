// SPDX-License-Identifier: Apache-2.0
// Shows how a benchmark's verdict was reached, step by step and with all figures.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// For each benchmark whose id matches the pattern, and each of its metrics: the rule with its lines
// in the policy, every figure, the statistics computed from them, and the decision. Throws Error
// (usage) when the pattern matches no benchmark.
[[nodiscard]] std::string derivations(const GateVerdict& verdict, const std::string& pattern);

}  // namespace warpgauge::ci
