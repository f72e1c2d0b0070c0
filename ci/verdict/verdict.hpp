// SPDX-License-Identifier: Apache-2.0
// What the gate decided and why: plain data, the one thing that reports are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/policy/approved_changes.hpp"
#include "ci/verdict/estimate.hpp"
#include "ci/verdict/metrics/roofline.hpp"
#include "profiling/machine_code/text/sass_alignment.hpp"
#include "profiling/results/record.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// From the least to the most grave. `not_worse` is shown to be no worse, but neither shown to be
// the same nor better; `added` is a benchmark (or metric) without a baseline, `not_measured` a
// gated metric that the baseline has and the new results lack.
enum class Verdict {
  same,
  not_worse,
  improved,
  added,
  inconclusive,
  regressed,
  not_measured,
  missing,
  failed
};

// From the least to the most grave.
inline constexpr std::array kVerdicts{
    Verdict::same,         Verdict::not_worse,    Verdict::improved,
    Verdict::added,        Verdict::inconclusive, Verdict::regressed,
    Verdict::not_measured, Verdict::missing,      Verdict::failed};

// "new" for added, with a space for an underscore.
[[nodiscard]] std::string to_string(Verdict verdict);

// Before its metrics are looked at.
[[nodiscard]] Verdict verdict_of_presence(Presence presence);

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

// An estimate and what is decided by it.
struct MetricVerdict : MetricEstimate {
  Verdict verdict = Verdict::same;
  std::string reason;                // why not same, in words; empty where the figures say it
  bool more_processes_help = false;  // to get a verdict where there is none
  bool by_limit = false;             // of the policy: the comparison alone says less
  std::optional<Cause> cause;
};

// Whether it regressed or improved.
[[nodiscard]] bool has_moved(const MetricVerdict& metric);

// A statistical metric with evidence and no verdict; a limit of the policy is no question of both
// sides.
[[nodiscard]] bool is_open(const MetricVerdict& metric);

// A statistical metric that regressed against the other side, which a second measurement may not
// confirm.
[[nodiscard]] bool has_slowed(const MetricVerdict& metric);

// A kernel that a benchmark launches, for one architecture; a side is absent where it was not
// looked at.
struct KernelVersions {
  std::string name;
  std::optional<results::KernelCode> before;
  std::optional<results::KernelCode> after;
  machine_code::SideBySide sass = {};  // empty: it is the same, or was not asked for
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
  std::vector<Shortfall> shortfalls;
  std::string approve_command;  // empty: nothing to approve
  // The commit that all benchmarks of the baseline were approved at last. Empty: several, or what
  // git does not know; or there is no baseline.
  std::string approved_revision;
  int exit_status = 0;
  // Bandwidth that the new side reached by reading, writing, copying and the triad, in bytes a
  // second: "read", "write", "copy", "triad". Empty: not measured.
  std::map<std::string, double> ceilings;
  // Text of the files that lines name, where they were at hand.
  std::map<std::string, std::string> sources;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

}  // namespace warpgauge::ci
