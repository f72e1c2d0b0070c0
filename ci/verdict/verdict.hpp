// SPDX-License-Identifier: Apache-2.0
// What the gate decided and why: plain data, the one thing that reports are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/policy/approved_changes.hpp"
#include "ci/policy/policy.hpp"
#include "ci/statistics/statistics.hpp"
#include "ci/verdict/roofline.hpp"
#include "profiling/results/record.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// From the least to the most grave. `added` is a benchmark (or metric) without a baseline,
// `not_measured` a gated metric that the baseline has and the new results lack.
enum class Verdict {
  same,
  improved,
  added,
  inconclusive,
  regressed,
  not_measured,
  missing,
  failed
};

// "new" for added, "not measured" for not_measured.
[[nodiscard]] std::string to_string(Verdict verdict);

// Traffic at a source line, before and after. No `before`: the line is new.
struct LineGrowth {
  results::SourceLine line;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

// Where a counter's growth comes from.
struct Cause {
  // At these lines together, or, where none is known, in the whole benchmark. Each absent when
  // requests were not counted.
  std::optional<double> before_a_request;
  std::optional<double> after_a_request;
  std::vector<LineGrowth> lines;  // the greatest growth first
  std::string no_lines_because;   // empty when there are lines
};

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
};

// Figures of one session of one side, one a process.
struct LabelledFigures {
  std::string label;  // when and where; empty: not known, as of what a baseline keeps once
  std::vector<double> figures;

  friend bool operator==(const LabelledFigures&, const LabelledFigures&) = default;
};

struct MetricVerdict {
  std::string metric;
  Verdict verdict = Verdict::same;
  MetricClass metric_class = MetricClass::shown;
  std::optional<double> before;
  std::optional<double> after;
  // Of a statistical metric: interval of the ratio, the adjusted p-value of a change this way, and
  // the floor as a ratio − 1.
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> p;
  std::optional<double> floor;
  std::string reason;                // why not same, in words; empty where the figures say it
  bool more_processes_help = false;  // to get a verdict where there is none
  std::optional<Cause> cause;
  // What it was judged by: for those who ask how it came about.
  Rule rule = {};
  std::string not_compared = {};  // why, of a gated one that is `same` for all that is known
  std::optional<Evidence> evidence = {};
  std::vector<LabelledFigures> before_sessions = {};
  std::vector<LabelledFigures> after_sessions = {};
  // Of what is shown: what the baseline's sessions counted.
  std::optional<results::CounterRange> range = {};
};

// A kernel that a benchmark launches, for one architecture; a side is absent where it was not
// looked at.
struct KernelVersions {
  std::string name;
  std::optional<results::KernelCode> before;
  std::optional<results::KernelCode> after;
};

struct BenchmarkVerdict {
  std::string id;
  Verdict verdict = Verdict::same;
  std::string message;                 // of a benchmark as a whole: how it failed, what is missing
  std::vector<MetricVerdict> metrics;  // the gravest first
  bool critical = false;               // no allowance softens its verdict
  // What the verdict rests on, for a closer look.
  results::Work work = {};
  std::optional<Achieved> achieved = {};  // by the new side; absent: nothing is moved, or not timed
  std::vector<std::vector<double>> samples_before = {};  // ns, by process; empty: not kept
  std::vector<std::vector<double>> samples_after = {};
  std::vector<results::SourceLine> lines_before = {};
  std::vector<results::SourceLine> lines_after = {};
  std::vector<KernelVersions> kernels = {};              // empty: not looked at
  std::map<std::string, std::string> not_measured = {};  // of the new side: what, and why
  std::vector<std::string> remarks = {};
};

struct GateVerdict {
  std::string version;  // of Warpgauge
  std::string before;   // what was compared, for a headline
  std::string after;
  std::string policy;                              // its name
  std::optional<results::Session> before_session;  // absent: not recorded, or no baseline
  std::optional<results::Session> after_session;
  std::string device;  // empty: plain Google Benchmark files
  // Critical ones that do not pass lead; then the gravest first, then by id.
  std::vector<BenchmarkVerdict> benchmarks;
  std::vector<std::string> notes;  // about the comparison as a whole
  std::optional<Edits> edits;      // absent: no merge base was given to look from
  std::set<Verdict> allowed;       // verdicts that the caller lets pass
  // Set when there is nothing to compare with: why.
  std::string no_baseline;
  std::string approve_command;  // empty: nothing to approve
  int exit_status = 0;
  // Bandwidth that the new side reached by reading, writing, copying and the triad, in bytes a
  // second: "read", "write", "copy", "triad". Empty: not measured.
  std::map<std::string, double> ceilings;
  // Text of the files that lines name, where they were at hand.
  std::map<std::string, std::string> sources;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

// Gives each benchmark the gravest verdict of its metrics, or keeps its own, and puts the gravest
// first.
void sort_by_gravity(std::vector<BenchmarkVerdict>& benchmarks);

// The exit status that this verdict alone would give.
[[nodiscard]] int exit_status(Verdict verdict);

// The exit status for these verdicts: the gravest of 4, 1, 3, 0 wins.
[[nodiscard]] int exit_status(const GateVerdict& verdict);

}  // namespace warpgauge::ci
