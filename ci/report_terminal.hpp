// SPDX-License-Identifier: Apache-2.0
// The verdict as a table for a terminal.
#pragma once

#include <string>

#include "ci/verdict.hpp"

namespace warpgauge::ci {

// Worst first; unchanged benchmarks folded to a count; the last line is the outcome and the next
// step.
[[nodiscard]] std::string terminal_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
