// SPDX-License-Identifier: Apache-2.0
// The verdict as a table for a terminal.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Worst first; unchanged benchmarks folded to a count; the last line is the outcome and the next
// step. With `colour`, verdicts are coloured by ANSI escape sequences; there are no others in it.
[[nodiscard]] std::string terminal_report(const GateVerdict& verdict, bool colour = false);

}  // namespace warpgauge::ci
