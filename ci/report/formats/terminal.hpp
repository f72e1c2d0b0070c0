// SPDX-License-Identifier: Apache-2.0
// The verdict for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

struct TerminalStyle {
  bool colour = false;   // ANSI escape sequences colour the verdicts; there are no other escapes
  bool verbose = false;  // all that is known of each benchmark, of the unchanged ones, too
  // Longer lines of blocks and notes go on in the next one; 0: they stay whole. The last line
  // always does, so that its command can be copied.
  std::size_t columns = 0;
};

// One block a benchmark, worst first: its verdict, the metric that decides with the bar of its
// interval, the cause, and the rest in one line. Benchmarks that need no look are only counted; the
// last line is the outcome and the next step.
[[nodiscard]] std::string terminal_report(const GateVerdict& verdict, TerminalStyle style = {});

// Of that the blocks of what does not pass, and the last line.
[[nodiscard]] std::string terminal_outcome(const GateVerdict& verdict, TerminalStyle style = {});

}  // namespace warpgauge::ci
