// SPDX-License-Identifier: Apache-2.0
// Second step of a verdict, and the only one that decides: exactness, thresholds and floors, what
// the environment allows, what the machine explains, whether a second measurement confirms, and the
// policy's limits.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
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

// What a stored baseline left open, or called slower by no more than machines may differ, was
// measured in turns with a build of what was approved: that decides.
struct Turns {
  std::string with;                            // "1b2c3d4e5f60"
  Estimates estimates;                         // of both, interleaved
  std::map<std::string, std::string> why_not;  // by id, of what that cannot decide
};

// A gate's budget ended before all was measured again that could have become clear.
struct BudgetEnd {
  std::chrono::seconds budget{};
  std::set<std::string> ids;  // of which less was measured than planned
};

// What a gate measured after its first look.
struct FurtherLooks {
  std::optional<Confirmation> confirmation = std::nullopt;
  std::optional<Turns> turns = std::nullopt;
  std::optional<BudgetEnd> budget_end = std::nullopt;
  // Whether more processes may follow: what they could still change is not excused until then.
  bool more_may_follow = false;
};

// The verdict on each metric and why, the gravest first; on a benchmark as a whole only
// where it is not on both sides (see aggregate()). estimates: of all that was measured.
//
// Against a baseline, a time that moved with the same code, by no more than machines may differ, is
// the machine's: inconclusive where it got worse, else not worse.
[[nodiscard]] std::vector<BenchmarkVerdict> decide(const Estimates& estimates,
                                                   const FurtherLooks& further = {});

// Whether a time moved by no more than machines of one model may differ. It is generous: of seven
// H200s the times differed by up to 5 %, those of the smallest grids by 14 %. What else is not
// recorded, such as where the data lies, moves more when it matters.
[[nodiscard]] bool may_be_of_the_machine(const MetricEstimate& time);

// What both sides in turns decide, where they can be measured so: what is open, and what is slower
// by no more than machines may differ.
[[nodiscard]] bool is_for_turns(const MetricVerdict& metric);

}  // namespace warpgauge::ci
