// SPDX-License-Identifier: Apache-2.0
// Reads results, of the program's own or any Google Benchmark JSON, and refuses what says one thing
// twice.
#include "profiling/results/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "profiling/results/files/file_kind.hpp"
#include "profiling/results/json/entry_fields.hpp"
#include "profiling/results/json/google_benchmark_json.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/run_record.hpp"

namespace warpgauge::results {
namespace {

// Collects entries into benchmarks.
class Collector {
 public:
  explicit Collector(const std::string& name) { results_.name = name; }

  void take_session(const Session& session) { results_.session = session; }

  void take_context(const Json& context) {
    const auto ours = context.find("warpgauge");
    if (ours == context.end()) return;
    try {
      results_.session = session_from({*ours, "context.warpgauge"});
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}", results_.name, error.what()));
    }
  }

  void take_entry(Json&& entry) {
    const auto name = entry.find("name");
    if (name == entry.end() || !name->is_string()) {
      throw FormatError(
          fmt::format("{}: an entry of 'benchmarks' has no name; Google Benchmark's "
                      "JSON is expected",
                      results_.name));
    }
    const auto entry_name = name->get<std::string>();
    // Nor would a message say which.
    if (const std::string why = why_no_name(entry_name); !why.empty()) {
      throw FormatError(fmt::format("{}: the name of a benchmark {}", results_.name, why));
    }
    refuse_second(entry, entry_name);
    ++entries_;
    try {
      if (!is_iteration(entry)) return;
      if (entry.contains("warpgauge")) {
        take_ours(std::move(entry));
      } else {
        take_plain(entry, entry_name);
      }
    } catch (const FormatError& error) {
      fail(entry_name, error.what());
    }
  }

  // time: the process's figure; null: it has none.
  void take(Record record, int die, const Json& time, const Json& fields) {
    BenchmarkResult& result = benchmark(record.id);
    if (result.outcome.status == Status::ok) result.outcome = record.outcome;
    result.work = record.work;
    result.not_measured.merge(record.not_measured);
    if (!record.lines.empty()) result.lines = std::move(record.lines);
    if (!record.samples_ns.empty()) result.samples_ns.push_back(std::move(record.samples_ns));
    for (std::string& remark : record.remarks) {
      const bool is_new = remarks_[result.id].insert(remark).second;
      if (is_new) result.remarks.push_back(std::move(remark));
    }
    take_launches(std::move(record.launches), result);
    if (result.machine_code.empty()) result.machine_code = std::move(record.machine_code);
    result.grid_fills_device |= record.grid_fills_device;
    if (result.input_digest.empty()) result.input_digest = record.input_digest;
    if (record.device_state) {
      result.other_processes.insert(record.device_state->other_processes.begin(),
                                    record.device_state->other_processes.end());
    }
    if (!result.sentinel_ns) result.sentinel_ns = record.sentinel_ns;
    if (!result.sentinel_span_ns) result.sentinel_span_ns = record.sentinel_span_ns;
    if (result.not_timed.empty()) result.not_timed = record.not_timed;
    if (record.outcome.status != Status::ok) return;
    if (!time.is_null()) {
      add_figure(metric_of(result, kTimeMetric), time, 1, false, fields, die);
    } else if (record.pass == Pass::time && !result.not_measured.contains(kTimeMetric)) {
      note_problem(metric_of(result, kTimeMetric), fields, "is missing");
    }
    add_counters(result, fields, die);
  }

  Results finish() {
    const bool may_be_empty = results_.session && results_.session->shard;
    if (entries_ == 0 && results_.benchmarks.empty() && !may_be_empty) {
      throw FormatError(results_.name + ": has no benchmarks; did a filter match nothing?");
    }
    if (results_.benchmarks.empty() && entries_ > 0) {
      throw FormatError(results_.name +
                        ": has only aggregates; measure again with "
                        "--benchmark_report_aggregates_only=false");
    }
    label_sessions();
    return std::move(results_);
  }

 private:
  // Until here a session's label is the number of its die.
  void label_sessions() {
    std::map<std::string, std::string> labels;
    if (results_.session) {
      const auto& dies = results_.session->dies;
      if (dies.empty()) labels["0"] = label(*results_.session);
      for (std::size_t i = 0; i < dies.size(); ++i) labels[std::to_string(i)] = label(dies[i]);
    }
    for (BenchmarkResult& benchmark : results_.benchmarks) {
      for (auto& [name, metric] : benchmark.metrics) {
        if (!results_.session) metric.labels.clear();
        for (std::string& die : metric.labels) {
          const auto found = labels.find(die);
          if (found == labels.end()) {
            fail(benchmark.id, fmt::format("die {} is not in context.warpgauge.dies", die));
          }
          die = found->second;
        }
      }
    }
  }

  // Of a benchmark; made where there is none.
  Metric& metric_of(BenchmarkResult& result, const std::string& name) {
    const auto [place, is_new] = result.metrics.try_emplace(name);
    if (is_new && ++metrics_ > kMostMetrics) {
      throw FormatError(
          fmt::format("is one of more than {} metrics of benchmarks, the most that are "
                      "read; measure in parts, with --filter",
                      kMostMetrics));
    }
    if (const std::string why = is_new ? why_no_name(name) : ""; !why.empty()) {
      throw FormatError("the name of a metric " + why);
    }
    return place->second;
  }

  static std::vector<double>& figures_of(Metric& metric, const std::string& die) {
    const auto known = std::find(metric.labels.begin(), metric.labels.end(), die);
    const auto place = static_cast<std::size_t>(known - metric.labels.begin());
    if (known == metric.labels.end()) {
      metric.labels.push_back(die);
      metric.sessions.emplace_back();
    }
    return metric.sessions[place];
  }

  [[noreturn]] void fail(const std::string& benchmark, const std::string& what) const {
    throw FormatError(fmt::format("{}: {}: {}", results_.name, benchmark, what));
  }

  void refuse_second(const Json& entry, const std::string& entry_name) {
    std::string key = entry_name;
    for (const char* field : {"run_type", "aggregate_name", "repetition_index", "threads"}) {
      key += '\n';
      key += dump_of(entry, field);
    }
    if (seen_.insert(std::move(key)).second) return;
    fail(entry_name,
         fmt::format(
             "occurs twice with repetition_index {}; give each benchmark a name of its own",
             entry.contains("repetition_index") ? dump_of(entry, "repetition_index") : "missing"));
  }

  BenchmarkResult& benchmark(const std::string& id) {
    const auto [position, is_new] = positions_.try_emplace(id, results_.benchmarks.size());
    if (is_new) {
      if (const std::string why = why_no_name(id); !why.empty()) throw FormatError("its id " + why);
      results_.benchmarks.emplace_back().id = id;
    }
    return results_.benchmarks[position->second];
  }

  static void note_problem(Metric& metric, const Json& entry, const std::string& problem) {
    if (!metric.problem.empty()) return;
    const std::string repetition = dump_of(entry, "repetition_index");
    metric.problem = repetition.empty() || repetition == "0"
                         ? problem
                         : fmt::format("{} in repetition {}", problem, repetition);
  }

  static void add_figure(Metric& metric, const Json& value, double factor, bool zero_allowed,
                         const Json& entry, int die = 0) {
    if (const std::string problem = problem_with(value, zero_allowed); !problem.empty()) {
      note_problem(metric, entry, problem);
      return;
    }
    figures_of(metric, std::to_string(die)).push_back(value.get<double>() * factor);
  }

  void add_counters(BenchmarkResult& result, const Json& entry, int die = 0) {
    for (const auto& [field, value] : entry.items()) {
      if (!is_counter(field)) continue;
      // Figures of a counter of that name must not mix with the clock's.
      const std::string name = field == kTimeMetric ? "time (counter)" : field;
      add_figure(metric_of(result, name), value, 1, true, entry, die);
    }
  }

  void take_plain(const Json& entry, const std::string& id) {
    BenchmarkResult& result = benchmark(id);
    if (is_true(entry, "error_occurred")) {
      if (result.outcome.status == Status::ok) {
        result.outcome = {Status::error, text_or(entry, "error_message", "no message")};
      }
      return;
    }
    if (is_true(entry, "skipped")) {
      result.not_measured.try_emplace(kTimeMetric,
                                      "skipped: " + text_or(entry, "skip_message", "no message"));
      return;
    }
    const std::string unit = text_or(entry, "time_unit", "");
    const auto factor = nanoseconds_in(unit);
    if (!factor) {
      throw FormatError(
          entry.contains("time_unit")
              ? fmt::format("time_unit: {} is not one of ns, us, ms, s", entry["time_unit"].dump())
              : "time_unit: missing; it must be one of ns, us, ms, s");
    }
    Metric& time = metric_of(result, kTimeMetric);
    if (const auto real_time = entry.find("real_time"); real_time != entry.end()) {
      add_figure(time, *real_time, *factor, false, entry);
    } else {
      note_problem(time, entry, "has no real_time");
    }
    if (const auto cpu_time = entry.find("cpu_time"); cpu_time != entry.end()) {
      add_figure(metric_of(result, kCpuTimeMetric), *cpu_time, *factor, false, entry);
    }
    add_counters(result, entry);
  }

  void take_ours(Json&& entry) {
    const bool failed = is_true(entry, "error_occurred");
    const bool skipped = is_true(entry, "skipped");
    // Read as a figure is, which may be wrong and not be gated.
    Json& ours = entry["warpgauge"];
    const Json time = ours.is_object() ? ours.value("time_ns", Json()) : Json();
    if (ours.is_object()) erase_member(ours, "time_ns");
    Entry read = entry_from(std::move(entry));
    if ((failed || skipped) && read.record.outcome.status == Status::ok) {
      throw FormatError(fmt::format("{} is true, but warpgauge.outcome is ok; measure again",
                                    failed ? "error_occurred" : "skipped"));
    }
    std::string key = fmt::format("{}\n{} {} {}", read.record.id, read.die.value_or(0),
                                  read.process, to_string(read.record.pass));
    if (!processes_.insert(std::move(key)).second) {
      throw FormatError(fmt::format("process {} of the pass '{}' occurs twice; measure again",
                                    read.process, to_string(read.record.pass)));
    }
    take(std::move(read.record), read.die.value_or(0), time, read.fields);
  }

  static void take_launches(std::vector<KernelLaunch> launches, BenchmarkResult& result) {
    if (result.launches.empty()) {
      result.launches = std::move(launches);
    } else if (!launches.empty() && launches != result.launches) {
      result.not_measured[kLaunches] = "they differ from process to process";
    }
    if (result.not_measured.contains(kLaunches)) result.launches.clear();
  }

  Results results_;
  std::size_t entries_ = 0;
  std::size_t metrics_ = 0;
  std::unordered_map<std::string, std::size_t> positions_;
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> processes_;
  std::unordered_map<std::string, std::unordered_set<std::string>> remarks_;  // by benchmark
};

}  // namespace

std::string why_no_name(std::string_view name) {
  const auto controls = [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; };
  if (std::none_of(name.begin(), name.end(), controls)) return "";
  return "has a control character in it; give it another";
}

Results parse_results(std::string text, const std::string& name) {
  Collector collector(name);
  read_google_benchmark_json(std::move(text), name,
                             {[&](const Json& context) { collector.take_context(context); },
                              [&](Json&& entry) { collector.take_entry(std::move(entry)); }});
  return collector.finish();
}

Results results_from(const RunRecord& run, const std::string& name) {
  Collector collector(name);
  collector.take_session(run.session);
  for (const Entry& entry : run.entries) {
    const auto& time = entry.record.time_ns;
    collector.take(entry.record, entry.die.value_or(0), time ? Json(*time) : Json(), entry.fields);
  }
  return collector.finish();
}

Results read_results(const std::filesystem::path& path) {
  try {
    return parse_results(read_file(path, kResultsLimit), path.string());
  } catch (const FormatError&) {
    const std::string kind = kind_of_file(path);
    if (kind.empty() || kind == "results") throw;
    throw FormatError(
        fmt::format("{}: is {}, not results; name what 'warpgauge run', 'gate' or "
                    "'import' wrote",
                    path.string(), kind));
  }
}

}  // namespace warpgauge::results
