// SPDX-License-Identifier: Apache-2.0
// Second step of a verdict, and the only one that decides: exactness, thresholds and floors, what
// the environment allows, what the machine explains, and whether a second measurement confirms.
#pragma once

#include <optional>
#include <vector>

#include "ci/verdict/estimate.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// What had slowed in a first measurement was measured again: a slowdown is said only if the new
// processes alone show it too.
struct Confirmation {
  std::vector<BenchmarkVerdict> first;  // decided before anything was measured again
  Estimates again;                      // of what had slowed, by the new processes alone
  int processes = 0;                    // the new ones
};

// The verdict on each metric and why, in the order of the estimates; on a benchmark as a whole only
// where it is not on both sides (see aggregate()). estimates: of all that was measured.
//
// Against a baseline, a time that moved with the same code, by no more than machines may differ, is
// the machine's: inconclusive where it got worse, else not worse.
[[nodiscard]] std::vector<BenchmarkVerdict> decide(
    const Estimates& estimates, const std::optional<Confirmation>& confirmation = std::nullopt);

// Whether a time moved by no more than machines of one model may differ. It is generous: of seven
// H200s the times differed by up to 5 %, those of the smallest grids by 14 %. What else is not
// recorded, such as where the data lies, moves more when it matters.
[[nodiscard]] bool may_be_of_the_machine(const MetricEstimate& time);

// A statistical metric that regressed, which a second measurement may not confirm.
[[nodiscard]] bool has_slowed(const MetricVerdict& metric);

}  // namespace warpgauge::ci
