// SPDX-License-Identifier: Apache-2.0
// First step of a verdict: what two measurements say of each metric, or why there is nothing to
// compare. Decides nothing.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/statistics/statistics.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "ci/verdict/identity/same_code_timing.hpp"
#include "ci/verdict/program/program_match.hpp"
#include "profiling/results/record.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// What the verdict on a statistical metric was made of.
struct Evidence {
  Estimate estimate;  // its p-values as they are before they are adjusted
  double adjusted_p_greater = 1;
  double adjusted_p_less = 1;
  std::size_t tests = 0;     // over which they are adjusted
  SessionSpread own_spread;  // between the baseline's sessions, of this benchmark alone
  SessionSpread spread;      // … drawn towards the suite's
  double alpha = 0;
  double beta = 0;
  // Logarithm of what the machine alone changes, which is taken out, and how well that is known.
  double machine_shift = 0;
  double machine_deviation = 0;
  // Where each side is one process by a processor's clock: how far such differ, as a logarithm.
  double single_process_deviation = 0;
  // How this build and one of what was approved can be measured in turns: the gate does it for a
  // suite; of other programs' results anyone can make two files; a program has no such way.
  enum class InTurns { by_gate, by_import, not_at_all };
  InTurns in_turns = InTurns::by_gate;
};

// Figures of one session of one side, one a process.
struct LabelledFigures {
  std::string label;  // when and where; empty: not known, as of what a baseline keeps once
  std::vector<double> figures;

  friend bool operator==(const LabelledFigures&, const LabelledFigures&) = default;
};

// By what a metric can be judged.
enum class Basis {
  nothing,       // it is only shown, or may be absent
  not_measured,  // the new side lacks it, or it should be exact and does not repeat
  no_baseline,   // only the new side has it
  exact,         // one figure a side
  same_code,     // time that was not measured in full, since code and sentinel are the same
  no_ratio,      // some figure is 0
  differs,       // the new side lacks it, since its processes do different things
  one_figure,    // a side has one figure only, which says nothing about its spread
  statistics,    // there is evidence
};

// A figure of both sides.
struct BeforeAfter {
  double before = 0;
  double after = 0;
};

// A [[limit]] or a [[ratio]] of the policy, and where the new side's figure lies.
struct LimitEstimate {
  Policy::Bound bound = Policy::Bound::most;
  double value = 0;
  std::string by;      // where it stands: "ci/policy.toml:12"
  std::string reason;  // that the policy gives
  // What the figure is shown to lie between; of one figure, or figures that are all the same, both
  // are it. Absent: the reason is one of the next two.
  std::optional<double> low = std::nullopt;
  std::optional<double> high = std::nullopt;
  std::string unclear_because = {};
  std::string not_measured = {};
  // Of a [[ratio]]: the id of the benchmark whose figure is 1. Empty: a [[limit]].
  std::string against = {};
};

struct MetricEstimate {
  std::string metric;
  MetricClass metric_class = MetricClass::shown;
  Rule rule;  // what it is judged by
  Basis basis = Basis::nothing;
  std::string why_no_figures;  // … to judge by, in words; or what would help
  std::string not_compared;    // why a gated metric may be absent; it passes
  std::optional<double> before;
  std::optional<double> after;
  // Of a statistical metric: interval of the ratio, the adjusted p-value of a change beyond the
  // floor this way, and the floor as a ratio − 1.
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> p;
  std::optional<double> floor;
  std::optional<Evidence> evidence;
  std::vector<LabelledFigures> before_sessions;
  std::vector<LabelledFigures> after_sessions;
  bool by_fastest_quarter = false;  // of each session's processes: the others do not count
  // Of what is shown: what the baseline's sessions counted.
  std::optional<results::CounterRange> range;
  // What a counter or a resource that grew is worth; see counter_weight.hpp. Absent: not known.
  std::optional<BeforeAfter> excess_wavefronts;  // of wavefronts: beyond the ideal ones
  std::optional<BeforeAfter> resident_warps;     // of registers and shared memory
  std::set<std::string> worse_where_not_run;     // see CodeMetric
  std::vector<LimitEstimate> limits;
};

// What the same code on the same input says of a benchmark's time (see
// identity/same_code_timing.hpp).
enum class CodeEvidence {
  none,   // the code is not known to be the same
  same,   // by a short look, so is the time
  timed,  // it was timed in full instead, and the time is not far off
  apart,  // the time is too far off
};

// How far a benchmark as a whole can be compared.
enum class Presence {
  both_sides,
  missing,           // from the new side
  failed,            // on the new side
  not_measured,      // on the new side, though the old side has figures, or is absent
  nowhere_measured,  // on neither side
  without_baseline,  // the old side has no figures, or failed
  left_to_range,     // launched by a program on one side only: a range decides, or it is small
};

struct BenchmarkEstimate {
  std::string id;
  bool critical = false;
  Presence presence = Presence::both_sides;
  std::string message;  // why, where it is not on both sides
  std::vector<MetricEstimate> metrics;
  CodeIdentity code;
  CodeEvidence evidence = CodeEvidence::none;
  std::string no_verdict_on_time;  // why how it was timed allows none; empty: it allows one
};

// Why the comparison as a whole does not pass, whatever its benchmarks say.
struct Shortfall {
  int exit_status = 0;
  std::string what;  // and what to do about it

  friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

struct Estimates {
  std::vector<BenchmarkEstimate> benchmarks;
  std::string policy;                     // its name
  bool against_baseline = false;          // the old side is stored, of other machines or hours
  bool treat_as_changed = false;          // the same code excuses nothing
  std::set<std::string> same_in_program;  // ids, see same_in_program()
  std::map<std::string, double> added_in_program;  // by id, see added_in_program()
  std::optional<ProgramMatch> match;               // of programs: the two sides that were compared
  std::string no_verdict_on_time;   // why the environment allows none; empty: it allows one
  std::string machine_is_too_far;   // … of other code, since the machine is off as a whole
  std::optional<double> threshold;  // see compare()
  double counter_limit = 0;         // of the policy
  std::string no_baseline;          // why there is no old side; empty: there is one
  std::vector<std::string> notes;   // about the comparison as a whole
  std::vector<Shortfall> shortfalls;
};

// Errors: as compare() says.
[[nodiscard]] Estimates estimate(const results::Results& before, const results::Results& measured,
                                 const Policy& policy, const ComparisonTerms& terms = {});

// Of a side that there is nothing to compare with, because of `reason`.
[[nodiscard]] Estimates estimate_without_baseline(const std::string& reason,
                                                  const results::Results& after,
                                                  const Policy& policy);

}  // namespace warpgauge::ci
