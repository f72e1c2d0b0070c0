// SPDX-License-Identifier: Apache-2.0
// results.json as its readers see it: figures by benchmark and metric.
//
// The file is Google Benchmark's JSON with one object `warpgauge` in the context and one in each
// entry (see results.schema.json). Plain Google Benchmark files are read too; they lack what those
// objects would say.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::results {

// Name of the metric that is a benchmark's time, in nanoseconds. All other metrics are counters.
// A plain Google Benchmark file's is real_time, which is the manual time of a benchmark that takes
// it by hand.
inline constexpr const char* kTimeMetric = "time";

// Whether the metric is of the kernels' own timestamps, which the sentinel takes too.
[[nodiscard]] inline bool is_of_timestamps(std::string_view metric) {
  return metric == kTimeMetric || metric == kSpanMetric;
}

// What a plain Google Benchmark file says of the processor's time, in nanoseconds.
inline constexpr const char* kCpuTimeMetric = "cpu_time";

// Figures of one metric of one benchmark.
struct Metric {
  // A figure a process (or repetition), by session. A results file is one session, or one a die; a
  // baseline may hold several.
  std::vector<std::vector<double>> sessions;
  // When and where each session was, in the order of `sessions`; empty: not known by session.
  std::vector<std::string> labels;
  // Why no verdict may rest on this metric ("is NaN in repetition 3"); empty: nothing is wrong.
  // Whether that matters is for those to say who know what is gated.
  std::string problem;

  // Of all sessions.
  [[nodiscard]] std::vector<double> figures() const;
  // Absent: there is no figure.
  [[nodiscard]] std::optional<double> mean() const;
  // The one value of all figures; absent where they differ, or there is none.
  [[nodiscard]] std::optional<double> only_figure() const;
};

// Between which values a counter was that earlier sessions counted, one value each.
struct CounterRange {
  int sessions = 0;
  double least = 0;
  double greatest = 0;

  friend bool operator==(const CounterRange&, const CounterRange&) = default;
};

using CounterRanges = std::map<std::string, CounterRange>;  // by metric

struct BenchmarkResult {
  std::string id;
  Outcome outcome;  // the first that is not ok of all processes
  Work work;
  std::map<std::string, Metric> metrics;
  std::vector<std::vector<double>> samples_ns;  // of each process that timed
  std::vector<SourceLine> lines;
  std::vector<KernelLaunch> launches;
  std::vector<KernelCode> machine_code;
  bool grid_fills_device = false;  // see Record, as the next three
  std::string input_digest;
  std::optional<double> sentinel_ns;
  std::optional<double> sentinel_span_ns;
  std::string not_timed;
  std::set<std::string> other_processes;  // that were on the device while it was timed
  std::map<std::string, std::string> not_measured;
  std::vector<std::string> remarks;
  CounterRanges ranges;  // of what is not gated, in a baseline only
  std::string timed;     // when it was last timed in full, UTC, in a baseline only

  // nullptr: it has no figure.
  [[nodiscard]] const Metric* find(const std::string& metric) const;
  // The metric's mean; absent: not measured, or no verdict may rest on it.
  [[nodiscard]] std::optional<double> figure(const std::string& metric) const;
  // Why it has no figure, of `not_measured`: the metric's own entry or that of all counters.
  // nullptr: no reason was recorded.
  [[nodiscard]] const std::pair<const std::string, std::string>* why_not_measured(
      const std::string& metric) const;
};

struct RunRecord;

struct Results {
  std::string name;                // where they came from, for messages
  bool is_baseline = false;        // approved, of earlier sessions
  std::optional<Session> session;  // absent: a plain Google Benchmark file
  std::vector<BenchmarkResult> benchmarks;

  // nullptr: it has no such benchmark.
  [[nodiscard]] const BenchmarkResult* find(std::string_view id) const;
  // Valid as long as the benchmarks are.
  [[nodiscard]] std::map<std::string_view, const BenchmarkResult*> by_id() const;
};

// Whether a field of an entry is a user counter, not one of Google Benchmark's own or ours.
[[nodiscard]] bool is_counter(std::string_view field);

// Why this is no name of a benchmark or metric, as in "has a control character in it; give it
// another": a line's end or a zero is in none, and a database would cut it off there. Empty: it is
// one.
[[nodiscard]] std::string why_no_name(std::string_view name);

// Reads a results file or a plain Google Benchmark file; aggregates are skipped.
// Throws FileError, and FormatError for a file that is not what it should be: see
// read_google_benchmark_json, further another schema version, an unknown time unit, two entries
// equal in name, run type, aggregate, repetition and threads, no entries (but for a shard).
[[nodiscard]] Results read_results(const std::filesystem::path& path);

// The same from text; `name` begins every message.
[[nodiscard]] Results parse_results(std::string text, const std::string& name);

// What reading its file would give, without the text. `name` begins every message.
[[nodiscard]] Results results_from(const RunRecord& run, const std::string& name);

}  // namespace warpgauge::results
