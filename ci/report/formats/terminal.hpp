// SPDX-License-Identifier: Apache-2.0
// The verdict as a table for a terminal.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Worst first; unchanged benchmarks are only counted; the last line is the outcome and the next
// step. With `colour`, ANSI escape sequences colour the verdicts; the text has no other escapes.
[[nodiscard]] std::string terminal_report(const GateVerdict& verdict, bool colour = false);

// Of that the rows of what does not pass, and the last line.
[[nodiscard]] std::string terminal_outcome(const GateVerdict& verdict, bool colour = false);

}  // namespace warpgauge::ci
