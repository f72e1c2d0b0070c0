// SPDX-License-Identifier: Apache-2.0
// Measures until there is a verdict, and measures again what looks worse before it says so.
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

// In how many processes the gate times a benchmark, at first and at most, and how long it goes on
// after everything was timed once.
struct Effort {
  int processes = 5;
  int most_processes = 10;
  std::chrono::seconds budget{120};
  // After this many processes the gate looks at them, and measures no more if everything is the
  // same; 0: it does not look early.
  int early = 0;

  [[nodiscard]] int at_once() const { return early > 0 ? early : processes; }
};

// What is timed in full.
enum class TimingScope {
  changed,                // benchmarks whose code changed
  everything,             // everything; unchanged code still counts as evidence
  everything_as_changed,  // everything; unchanged code is no evidence
};

// What is measured: one suite, to be compared with a stored baseline, or two.
struct Sides {
  std::optional<results::Results> before;  // absent: stored
  results::Results after;
};

// In turns each side gets at most this many times most_processes, if the spread requires it.
inline constexpr int kMostTurns = 4;

// Measures this build and a build of what was approved in turns.
struct TurnTaking {
  std::string with;  // "1b2c3d4e5f60"
  std::function<void(const std::set<std::string>& ids, int processes)> time_again;
  std::function<Sides()> measured;
};

struct Measuring {
  bool has_clock = false;
  std::function<void()> observe_all;
  // These four go together. Absent: everything is timed.
  std::function<TimingPlan(const Sides&)> plan = {};
  std::function<void()> look = {};
  std::function<void(const std::set<std::string>& ids)> count_lines = {};
  std::function<void(const std::map<std::string, std::string>& reasons)> leave_untimed = {};
  std::function<void(const std::set<std::string>& ids, int processes)> time_again;
  std::function<TurnTaking()> take_turns = {};  // absent: what a baseline leaves open stays open
  std::function<Sides()> measured;              // so far
  std::function<void()> keep;                   // writes it to files
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

struct MeasuredSides {
  // After what looked slower was measured again.
  struct Again {
    std::vector<BenchmarkVerdict> first;  // by what was measured before
    Sides newest;                         // of what looked slower, only the new processes
    int processes = 0;                    // the new ones
  };

  // After what a stored baseline left open was measured in turns with what was approved.
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

// Compares what was measured with the side before, or with `stored` if that side is stored. A build
// decides nothing unless its machine code is known to be that of `stored`. Throws as compare()
// does.
[[nodiscard]] GateVerdict judge(const MeasuredSides& measured, const results::Results* stored,
                                const Policy& policy, const ComparisonTerms& terms,
                                const std::set<Verdict>& allowed = {});

// Observes everything; with a plan it looks at everything, and times what may have changed. An
// early look comes after the first processes, and ends the measuring if everything is the same.
// Then it times again what more processes can make clear, and what has regressed: that is called a
// regression only if the new processes alone show it. Then it measures in turns with what was
// approved what is still open, or slower by no more than machines differ; that decides. All this
// stays within the budget, but for two processes that confirm. Two processes tell how long more
// would take. In the end it keeps what was measured, even if something failed after everything was
// observed.
[[nodiscard]] GateVerdict measure_and_judge(const Measuring& measuring, Effort effort,
                                            const Judge& judge);

}  // namespace warpgauge::ci
