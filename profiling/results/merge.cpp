// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/merge.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "profiling/results/host_calls.hpp"
#include "profiling/results/json/google_benchmark_json.hpp"

namespace warpgauge::results {
namespace {

Entry entry_of(Observation observation, int repetitions, int repetition) {
  Record& record = observation.record;
  Json fields = observation.entry
                    ? std::move(*observation.entry)
                    : Json{{"name", record.id}, {"run_name", record.id}, {"run_type", "iteration"},
                           {"threads", 1},      {"iterations", 0},       {"real_time", 0.0},
                           {"cpu_time", 0.0},   {"time_unit", "ns"}};
  // JSON has no such numbers, and none of them is gated from here.
  std::vector<std::string> odd;
  for (const auto& [name, field] : fields.items()) {
    if (is_nan(field) || is_infinite(field)) odd.push_back(name);
  }
  for (const std::string& name : odd) erase_member(fields, name);
  fields["repetitions"] = repetitions;
  fields["repetition_index"] = repetition;
  if (record.outcome.status != Status::ok) {
    fields["error_occurred"] = true;
    fields["error_message"] = record.outcome.message;
  }
  for (const auto& [name, value] : record.counters) fields[name] = value;
  record.counters.clear();
  return {.record = std::move(record), .process = observation.process, .fields = std::move(fields)};
}

// Adds what the lines' process saw.
void join_lines(Record& record, const Record& other) {
  record.lines.insert(record.lines.end(), other.lines.begin(), other.lines.end());
  record.not_measured.erase("source_lines");
  const auto reason = other.not_measured.find("source_lines");
  if (reason != other.not_measured.end()) record.not_measured.insert(*reason);
  if (record.kernels.empty()) record.kernels = other.kernels;
}

// Adds what the counters' process saw.
void join_counters(Record& record, const Record& other) {
  if (record.outcome.status == Status::ok && other.outcome.status != Status::ok) {
    record.outcome = {other.outcome.status, "in the counters pass: " + other.outcome.message};
  }
  record.counters.insert(other.counters.begin(), other.counters.end());
  record.counter_passes = other.counter_passes;
  record.lines = other.lines;
  record.remarks.insert(record.remarks.end(), other.remarks.begin(), other.remarks.end());
  if (record.kernels.empty()) record.kernels = other.kernels;
  if (record.launches.empty()) record.launches = other.launches;
  if (record.machine_code.empty()) record.machine_code = other.machine_code;
  record.grid_fills_device |= other.grid_fills_device;
  // What one of the two measured is measured.
  record.not_measured.insert(other.not_measured.begin(), other.not_measured.end());
  if (record.time_ns) record.not_measured.erase("time");
  if (!record.lines.empty()) record.not_measured.erase("source_lines");
  if (!other.counters.empty() && !other.not_measured.contains("counters")) {
    record.not_measured.erase("counters");
  }
  for (const auto& [name, value] : other.counters) record.not_measured.erase(name);
  if (!record.machine_code.empty()) record.not_measured.erase("machine_code");
}

// Adds what the sentinel's process saw: code, input and a rough time, which is no figure.
void join_sentinel(Record& record, const Record& other) {
  if (record.outcome.status == Status::ok && other.outcome.status != Status::ok) {
    record.outcome = {other.outcome.status, "in the sentinel pass: " + other.outcome.message};
  }
  record.sentinel_ns = other.sentinel_ns;
  record.sentinel_span_ns = other.sentinel_span_ns;
  if (record.kernels.empty()) record.kernels = other.kernels;
  if (record.launches.empty()) record.launches = other.launches;
  if (record.machine_code.empty()) record.machine_code = other.machine_code;
  if (record.input_digest.empty()) record.input_digest = other.input_digest;
  record.grid_fills_device |= other.grid_fills_device;
  for (const auto& [name, value] : other.counters) {
    if (is_host_metric(name)) record.counters.insert({name, value});
  }
  if (!record.launches.empty()) record.not_measured.erase(kLaunches);
  if (!record.machine_code.empty()) record.not_measured.erase("machine_code");
}

void join(Record& record, const Record& other) {
  if (other.pass == Pass::lines) return join_lines(record, other);
  other.pass == Pass::sentinel ? join_sentinel(record, other) : join_counters(record, other);
}

// A short look is not a sample of the benchmark's time.
void keep_as_sentinel(Record& record) {
  record.sentinel_ns = record.time_ns;
  if (const auto span = record.counters.extract(kSpanMetric))
    record.sentinel_span_ns = span.mapped();
  record.time_ns.reset();
  record.samples_ns.clear();
  record.sampling.reset();
  record.time_method.clear();
  record.device_state.reset();
}

// Each process that times says why it leaves counters and lines to other passes. Where those
// measured them, the first record no longer says so; nor do the others after this.
void drop_reasons_of_one_pass(std::vector<Observation>& observations) {
  for (const char* what : {"counters", "source_lines"}) {
    if (observations.front().record.not_measured.contains(what)) continue;
    for (Observation& each : observations) each.record.not_measured.erase(what);
  }
}

// Puts the entries of one benchmark behind `entries`.
void merge_benchmark(std::vector<Observation> observations, int processes,
                     std::vector<Entry>& entries) {
  for (Observation& each : observations) {
    if (each.record.pass == Pass::sentinel) keep_as_sentinel(each.record);
  }
  const auto of_pass = [](Pass pass) {
    return [pass](const Observation& each) { return each.record.pass == pass; };
  };
  auto others =
      std::stable_partition(observations.begin(), observations.end(), of_pass(Pass::time));
  std::stable_partition(others, observations.end(), of_pass(Pass::counters));
  if (others == observations.begin() && others != observations.end()) ++others;
  for (auto each = others; each != observations.end(); ++each) {
    join(observations.front().record, each->record);
  }
  const bool joined = others != observations.end();
  observations.erase(others, observations.end());
  if (joined) drop_reasons_of_one_pass(observations);
  const int repetitions = std::max(processes, static_cast<int>(observations.size()));
  int repetition = 0;
  for (Observation& each : observations) {
    entries.push_back(entry_of(std::move(each), repetitions, repetition++));
  }
}

}  // namespace

RunRecord merge(Session session, Json context, const std::vector<Observation>& observations) {
  RunRecord run{std::move(session), std::move(context), {}};
  for (auto first = observations.begin(); first != observations.end();) {
    const auto last = std::find_if(first, observations.end(), [&](const Observation& each) {
      return each.record.id != first->record.id;
    });
    merge_benchmark({first, last}, run.session.processes, run.entries);
    first = last;
  }
  return run;
}

}  // namespace warpgauge::results
