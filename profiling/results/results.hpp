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
#include <string>
#include <string_view>
#include <vector>

#include "profiling/results/record.hpp"
#include "profiling/results/record_json.hpp"

namespace warpgauge::results {

// Name of the metric that is a benchmark's time, in nanoseconds. All other metrics are counters.
// A plain Google Benchmark file's is real_time, which is the manual time of a benchmark that takes
// it by hand.
inline constexpr const char* kTimeMetric = "time";

// What a plain Google Benchmark file says of the processor's time, in nanoseconds.
inline constexpr const char* kCpuTimeMetric = "cpu_time";

// What the device's memory did in this measurement at best: reading, writing, copying, and the
// triad of two arrays into a third.
struct Ceilings {
  std::string size = {};  // of the benchmarks that measured it, the largest of the run
  std::map<std::string, double> bytes_per_second = {};  // "read", "write", "copy", "triad"
  std::string not_measured = {};                        // why all are absent; empty: they are not

  friend bool operator==(const Ceilings&, const Ceilings&) = default;
};

// Where results come from that another program measured.
struct Imported {
  std::string program;     // "NVBench 0.1.0"
  bool gpu_clock = false;  // its times are a GPU's timestamps; otherwise a processor's clock

  friend bool operator==(const Imported&, const Imported&) = default;
};

// Which part of a run this is: see docs/guide/fleet.md.
struct Shard {
  int index = 1;  // counted from 1
  int count = 1;
  std::vector<std::string> benchmarks = {};  // ids of the whole run, in the suite's order
  std::string sizes = {};                    // with which it was started
  std::vector<std::string> counters = {};    // beyond the usual

  friend bool operator==(const Shard&, const Shard&) = default;
};

// One of the devices on which the shards of a run were measured.
struct Die {
  std::string created;  // when its first shard was
  std::string uuid;

  friend bool operator==(const Die&, const Die&) = default;
};

// Circumstances of one measurement.
struct Session {
  std::string created;  // UTC, as in 2026-11-21T04:19:54Z
  Device device;
  std::optional<DeviceSettings> settings;  // absent: the device has none
  Toolchain toolchain;
  Source source;
  std::optional<Ceilings> ceilings;  // absent: a device without a clock
  int processes = 0;                 // that timed; for a backend without a clock, that counted
  std::string filter = {};           // regular expression on ids, of what was measured; empty: all
  bool hot = false;  // timed with the caches as the last launch left them, not emptied
  std::optional<Imported> imported;  // absent: measured by Warpgauge
  std::optional<Shard> shard = {};   // absent: a whole run
  // Where shards of several were merged, each a session of its own: `created` is the earliest, and
  // `device` has no UUID. Else empty.
  std::vector<Die> dies = {};

  friend bool operator==(const Session&, const Session&) = default;
};

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
  bool grid_fills_device = false;  // see Record
  std::map<std::string, std::string> not_measured;
  std::vector<std::string> remarks;
  CounterRanges ranges;  // of what is not gated, in a baseline only
};

struct Results {
  std::string name;                // where they came from, for messages
  bool is_baseline = false;        // approved, of earlier sessions
  std::optional<Session> session;  // absent: a plain Google Benchmark file
  std::vector<BenchmarkResult> benchmarks;
};

// Whether a field of an entry is a user counter, not one of Google Benchmark's own or ours.
[[nodiscard]] bool is_counter(std::string_view field);

// Reads a results file or a plain Google Benchmark file; aggregates are skipped.
// Throws FileError, and FormatError for a file that is not what it should be: see
// read_google_benchmark_json, further another schema version, an unknown time unit, two entries
// equal in name, run type, aggregate, repetition and threads, no entries (but for a shard).
[[nodiscard]] Results read_results(const std::filesystem::path& path);

// The same from text; `name` begins every message.
[[nodiscard]] Results parse_results(std::string text, const std::string& name);

// "2026-11-21T10:43:00Z GPU-1234": tells sessions of one device apart.
[[nodiscard]] std::string label(const Session& session);
[[nodiscard]] std::string label(const Die& die);

[[nodiscard]] Json to_json(const Session& session);

// Throws FormatError for another schema version or an absent or unusable field.
[[nodiscard]] Session session_from(const Json& json);

}  // namespace warpgauge::results
