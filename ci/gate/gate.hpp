// SPDX-License-Identifier: Apache-2.0
// Measures until there is a verdict, and again what looks worse before it is said.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/statistics/looks.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/identity/same_code_timing.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// In how many processes the gate times a benchmark: at first, and at most until it is clear. And
// how long it goes on once all was timed for the first time.
struct Effort {
  int processes = 5;
  int most_processes = 10;
  std::chrono::seconds budget{120};
  // So many of the first ones are looked at before the others are measured, which are left out if
  // all of it is the same; 0: none.
  int early = 0;

  [[nodiscard]] int at_once() const { return early > 0 ? early : processes; }
};

// What is timed in full.
enum class TimingScope {
  changed,                // what is not the same by its code
  everything,             // the same code is evidence all the same
  everything_as_changed,  // and it is none
};

// What is measured: one suite, which a stored baseline is held against, or two.
struct Sides {
  std::optional<results::Results> before;  // absent: stored
  results::Results after;
};

// So many times most_processes of either side are measured in turns at most, where their spread
// asks for it.
inline constexpr int kMostTurns = 4;

// This and a build of what was approved, both to be measured in turns.
struct TurnTaking {
  std::string with;  // "1b2c3d4e5f60"
  std::function<void(const std::set<std::string>& ids, int processes)> time_again;
  std::function<Sides()> measured;
};

struct Measuring {
  bool has_clock = false;
  std::function<void()> observe_all;
  // These four go together; absent: everything is timed.
  std::function<TimingPlan(const Sides&)> plan = {};
  std::function<void()> look = {};
  std::function<void(const std::set<std::string>& ids)> count_lines = {};
  std::function<void(const std::map<std::string, std::string>& reasons)> leave_untimed = {};
  std::function<void(const std::set<std::string>& ids, int processes)> time_again;
  std::function<TurnTaking()> take_turns = {};  // absent: what a baseline leaves open stays so
  std::function<Sides()> measured;              // so far
  std::function<void()> keep;                   // writes it to files
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

struct MeasuredSides {
  // Once what had slowed was measured again.
  struct Again {
    std::vector<BenchmarkVerdict> first;  // by what was measured before
    Sides newest;                         // of what had slowed, the new processes alone
    int processes = 0;                    // the new ones
  };

  // Once what a stored baseline left open was measured in turns with what was approved.
  struct InTurns {
    std::set<std::string> ids;
    std::string with;
    Sides sides;             // of these benchmarks
    std::string went_wrong;  // empty: nothing
  };

  Sides all;
  std::optional<Again> again;
  std::optional<InTurns> in_turns;
  std::optional<BudgetEnd> budget_end;
  LookShares shares;  // of alpha and beta
  bool early = false;
  bool more_may_follow = false;  // see FurtherLooks
};

using Judge = std::function<GateVerdict(const MeasuredSides&)>;

// Holds what was measured against the side before, or where that is stored, against `stored`. A
// build whose machine code is not known to be that of `stored` decides nothing. Throws as compare()
// does.
[[nodiscard]] GateVerdict judge(const MeasuredSides& measured, const results::Results* stored,
                                const Policy& policy, const ComparisonTerms& terms,
                                const std::set<Verdict>& allowed = {});

// Observes everything, or, by the plan, looks at everything and times what may have changed; where
// there is an early look, that is of the first processes, and ends it if all is the same; times
// again what more processes can make clear; then times what has regressed once more, so that it is
// called so only if the new processes alone say so too; then measures what is still open, or slower
// by no more than machines may differ, in turns with what was approved, which decides. What comes
// after the first look takes no longer than the budget, but for two processes that confirm. Two
// processes tell how long more take. At the end keeps what was measured, also where something
// failed after everything was observed.
[[nodiscard]] GateVerdict measure_and_judge(const Measuring& measuring, Effort effort,
                                            const Judge& judge);

}  // namespace warpgauge::ci
