// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/results/google_benchmark_json.hpp"

namespace warpgauge::results {
namespace {

std::string dump(const Json& json, int indent) {
  // Messages may hold what a dying process left in its buffers.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json entry_of(const Observation& observation, int repetitions, int repetition) {
  const Record& record = observation.record;
  Json entry = observation.entry.value_or(Json{{"name", record.id},
                                               {"run_name", record.id},
                                               {"run_type", "iteration"},
                                               {"threads", 1},
                                               {"iterations", 0},
                                               {"real_time", 0.0},
                                               {"cpu_time", 0.0},
                                               {"time_unit", "ns"}});
  // JSON has no such numbers, and none of them is gated from here.
  for (auto field = entry.begin(); field != entry.end();) {
    field = is_nan(*field) || is_infinite(*field) ? entry.erase(field) : std::next(field);
  }
  entry["repetitions"] = repetitions;
  entry["repetition_index"] = repetition;
  if (record.outcome.status != Status::ok) {
    entry["error_occurred"] = true;
    entry["error_message"] = record.outcome.message;
  }
  for (const auto& [name, value] : record.counters) entry[name] = value;
  Json ours = to_json(record);
  ours.erase("counters");
  ours["process"] = observation.process;
  entry["warpgauge"] = std::move(ours);
  return entry;
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

void join(Record& record, const Record& other) {
  other.pass == Pass::lines ? join_lines(record, other) : join_counters(record, other);
}

// Puts the entries of one benchmark behind `entries`.
void merge_benchmark(std::vector<Observation> observations, int processes,
                     std::vector<Json>& entries) {
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
  observations.erase(others, observations.end());
  const int repetitions = std::max(processes, static_cast<int>(observations.size()));
  int repetition = 0;
  for (const Observation& each : observations) {
    entries.push_back(entry_of(each, repetitions, repetition++));
  }
}

}  // namespace

std::string merge(const Session& session, const Json& context,
                  const std::vector<Observation>& observations) {
  std::vector<Json> entries;
  for (auto first = observations.begin(); first != observations.end();) {
    const auto last = std::find_if(first, observations.end(), [&](const Observation& each) {
      return each.record.id != first->record.id;
    });
    merge_benchmark({first, last}, session.processes, entries);
    first = last;
  }
  return file_text(session, context, entries);
}

std::string file_text(const Session& session, const Json& context,
                      const std::vector<Json>& entries) {
  Json whole_context = context.is_object() ? context : Json::object();
  // In which folder of whose machine it lay is nobody's matter, and differs where nothing else
  // does.
  const auto executable = whole_context.find("executable");
  if (executable != whole_context.end() && executable->is_string()) {
    *executable = std::filesystem::path(executable->get<std::string>()).filename().string();
  }
  whole_context["warpgauge"] = to_json(session);
  std::string text = "{\n\"context\": " + dump(whole_context, 2) + ",\n\"benchmarks\": [";
  for (const Json& entry : entries) {
    text += &entry == &entries.front() ? "\n" : ",\n";
    text += dump(entry, -1);
  }
  return text + "\n]\n}\n";
}

}  // namespace warpgauge::results
