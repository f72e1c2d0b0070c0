// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/json/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/results/json/json_writer.hpp"

namespace warpgauge::results {
namespace {

constexpr EnumNames<Pass, 4> kPasses{{{Pass::time, "time"},
                                      {Pass::sentinel, "sentinel"},
                                      {Pass::counters, "counters"},
                                      {Pass::lines, "lines"}}};
constexpr EnumNames<Access, 6> kAccesses{{{Access::shared_load, "shared_load"},
                                          {Access::shared_store, "shared_store"},
                                          {Access::shared_atomic, "shared_atomic"},
                                          {Access::global_load, "global_load"},
                                          {Access::global_store, "global_store"},
                                          {Access::global_atomic, "global_atomic"}}};
constexpr EnumNames<Status, 5> kStatuses{{{Status::ok, "ok"},
                                          {Status::wrong_result, "wrong_result"},
                                          {Status::error, "error"},
                                          {Status::crashed, "crashed"},
                                          {Status::hung, "hung"}}};
constexpr EnumNames<Compiled, 6> kCompiled{{{Compiled::unknown, "unknown"},
                                            {Compiled::confirmed, "confirmed"},
                                            {Compiled::merged, "merged"},
                                            {Compiled::fewer, "fewer"},
                                            {Compiled::absent, "absent"},
                                            {Compiled::different, "different"}}};
constexpr EnumNames<SamplingEnd, 2> kSamplingEnds{
    {{SamplingEnd::precision, "precision"}, {SamplingEnd::budget, "budget"}}};

Extents extents_from(const JsonReader& reader) {
  const auto sizes = reader.elements();
  const auto is_one = [](const JsonReader& size) {
    const Json& value = size.json();
    return value.is_number_integer() && value > 0 && value <= UINT32_MAX;
  };
  Extents extents{};
  if (sizes.size() != extents.size() || !std::all_of(sizes.begin(), sizes.end(), is_one)) {
    reader.fail(fmt::format("must be three whole numbers from 1 to {}, is {}", UINT32_MAX,
                            reader.beginning()));
  }
  std::transform(sizes.begin(), sizes.end(), extents.begin(),
                 [](const JsonReader& size) { return static_cast<std::uint32_t>(size.count()); });
  return extents;
}

Json to_json(const DeviceReading& reading) {
  Json json = Json::object();
  put(json, "sm_clock_mhz", reading.sm_clock_mhz);
  put(json, "memory_clock_mhz", reading.memory_clock_mhz);
  put(json, "power_w", reading.power_w);
  put(json, "power_limit_w", reading.power_limit_w);
  put(json, "temperature_c", reading.temperature_c);
  put(json, "slowed_by", reading.slowed_by);
  return json;
}

DeviceReading device_reading_from(const JsonReader& reader) {
  DeviceReading reading;
  reading.sm_clock_mhz = reader.optional("sm_clock_mhz", &JsonReader::number);
  reading.memory_clock_mhz = reader.optional("memory_clock_mhz", &JsonReader::number);
  reading.power_w = reader.optional("power_w", &JsonReader::number);
  reading.power_limit_w = reader.optional("power_limit_w", &JsonReader::number);
  reading.temperature_c = reader.optional("temperature_c", &JsonReader::number);
  reading.slowed_by = reader.optional("slowed_by", &JsonReader::texts);
  return reading;
}

Json to_json(const DeviceState& state) {
  Json json{{"before", to_json(state.before)},
            {"after", to_json(state.after)},
            {"discarded_samples", state.discarded_samples}};
  if (state.slowed_throughout) json["slowed_throughout"] = true;
  if (!state.other_processes.empty()) json["other_processes"] = state.other_processes;
  return json;
}

DeviceState device_state_from(const JsonReader& reader) {
  DeviceState state;
  state.before = device_reading_from(reader.at("before"));
  state.after = device_reading_from(reader.at("after"));
  state.discarded_samples = reader.at("discarded_samples").small_count();
  state.slowed_throughout = reader.optional("slowed_throughout", &JsonReader::flag).value_or(false);
  if (auto others = reader.optional("other_processes", &JsonReader::texts)) {
    state.other_processes = *std::move(others);
  }
  return state;
}

Json to_json(const Sampling& sampling) {
  Json json{{"ended_by", name_of(kSamplingEnds, sampling.ended_by)},
            {"placements", sampling.placements}};
  put(json, "standard_error_ns", sampling.standard_error_ns);
  return json;
}

Sampling sampling_from(const JsonReader& reader) {
  return {reader.at("ended_by").one_of(kSamplingEnds),
          reader.optional("standard_error_ns", &JsonReader::number),
          reader.at("placements").small_count()};
}

Outcome outcome_from(const JsonReader& reader) {
  return {reader.at("status").one_of(kStatuses), reader.at("message").text()};
}

void put_wavefronts(Json& json, std::uint64_t wavefronts, std::uint64_t ideal) {
  json["wavefronts"] = wavefronts;
  json["ideal_wavefronts"] = ideal;
}

void put_sectors(Json& json, std::uint64_t sectors, std::uint64_t ideal) {
  json["sectors"] = sectors;
  json["ideal_sectors"] = ideal;
}

// Of a line: only what its kind of access moves.
Json to_json(const InstructionTraffic& instruction, Access access) {
  Json json{{"offset_bytes", instruction.offset_bytes},
            {"opcode", instruction.opcode},
            {"requests", instruction.requests}};
  if (is_shared(access)) {
    put_wavefronts(json, instruction.wavefronts, instruction.ideal_wavefronts);
  } else {
    put_sectors(json, instruction.sectors, instruction.ideal_sectors);
  }
  return json;
}

// Of a record: nothing is known but what was counted.
Json to_json(const InstructionTraffic& instruction) {
  Json json{{"kernel", instruction.kernel},
            {"offset_bytes", instruction.offset_bytes},
            {"requests", instruction.requests}};
  put_wavefronts(json, instruction.wavefronts, instruction.ideal_wavefronts);
  put_sectors(json, instruction.sectors, instruction.ideal_sectors);
  return json;
}

InstructionTraffic instruction_from(const JsonReader& reader) {
  const auto text_of = [&](const char* field) {
    return reader.optional(field, &JsonReader::text).value_or("");
  };
  const auto count_of = [&](const char* field) {
    return reader.optional(field, &JsonReader::count).value_or(0);
  };
  InstructionTraffic instruction;
  instruction.kernel = text_of("kernel");
  instruction.offset_bytes = reader.at("offset_bytes").count();
  instruction.opcode = text_of("opcode");
  instruction.requests = reader.at("requests").count();
  instruction.wavefronts = count_of("wavefronts");
  instruction.ideal_wavefronts = count_of("ideal_wavefronts");
  instruction.sectors = count_of("sectors");
  instruction.ideal_sectors = count_of("ideal_sectors");
  return instruction;
}

}  // namespace

std::string to_string(Pass pass) { return name_of(kPasses, pass); }
std::string to_string(Access access) { return name_of(kAccesses, access); }
std::string to_string(Compiled compiled) { return name_of(kCompiled, compiled); }
std::string to_string(Status status) { return name_of(kStatuses, status); }

Pass pass_from(const JsonReader& reader) { return reader.one_of(kPasses); }

Json to_json(const SourceLine& line) {
  Json json{{"file", line.file},
            {"line", line.line},
            {"column", line.column},
            {"function", line.function},
            {"text", line.text},
            {"access", to_string(line.access)},
            {"width_bytes", line.width_bytes},
            {"requests", line.requests}};
  if (is_shared(line.access)) {
    put_wavefronts(json, line.wavefronts, line.ideal_wavefronts);
  } else {
    put_sectors(json, line.sectors, line.ideal_sectors);
  }
  if (line.compiled != Compiled::unknown) {
    json["compiled"] = to_string(line.compiled);
    json["instructions"] = line.instructions;
  }
  for (const InstructionTraffic& each : line.by_instruction) {
    json["by_instruction"].push_back(to_json(each, line.access));
  }
  return json;
}

SourceLine source_line_from(const JsonReader& reader) {
  SourceLine line;
  line.file = reader.at("file").text();
  line.line = reader.at("line").small_count();
  line.column = reader.at("column").small_count();
  line.function = reader.at("function").text();
  line.text = reader.at("text").text();
  line.access = reader.at("access").one_of(kAccesses);
  line.width_bytes = reader.at("width_bytes").small_count();
  line.requests = reader.at("requests").count();
  if (is_shared(line.access)) {
    line.wavefronts = reader.at("wavefronts").count();
    line.ideal_wavefronts = reader.at("ideal_wavefronts").count();
  } else {
    line.sectors = reader.at("sectors").count();
    line.ideal_sectors = reader.at("ideal_sectors").count();
  }
  if (const auto compiled = reader.optional("compiled")) {
    line.compiled = compiled->one_of(kCompiled);
    line.instructions = reader.at("instructions").text();
  }
  if (const auto instructions = reader.optional("by_instruction")) {
    line.by_instruction = instructions->list_of(instruction_from);
  }
  return line;
}

Json to_json(const KernelLaunch& launch) {
  Json json{{"kernel", launch.kernel},
            {"grid", launch.grid},
            {"block", launch.block},
            {"dynamic_shared_bytes", launch.dynamic_shared_bytes}};
  if (launch.cluster != KernelLaunch().cluster) json["cluster"] = launch.cluster;
  put(json, "shared_carveout", launch.shared_carveout);
  if (!launch.arguments.empty()) json["arguments"] = launch.arguments;
  json["count"] = launch.count;
  return json;
}

namespace {

KernelLaunch kernel_launch_from(const JsonReader& reader) {
  KernelLaunch launch;
  launch.kernel = reader.at("kernel").text();
  launch.grid = extents_from(reader.at("grid"));
  launch.block = extents_from(reader.at("block"));
  launch.dynamic_shared_bytes = reader.at("dynamic_shared_bytes").count();
  launch.cluster = reader.optional("cluster", extents_from).value_or(launch.cluster);
  if (const auto carveout = reader.optional("shared_carveout")) {
    const std::uint64_t percent = carveout->count();
    if (percent > 100) carveout->fail(fmt::format("must be at most 100, is {}", percent));
    launch.shared_carveout = static_cast<std::uint32_t>(percent);
  }
  launch.arguments = reader.optional("arguments", &JsonReader::text).value_or("");
  const JsonReader count = reader.at("count");
  launch.count = static_cast<std::uint64_t>(count.small_count());
  if (launch.count == 0) count.fail("must be at least 1, is 0");
  return launch;
}

}  // namespace

std::vector<KernelLaunch> kernel_launches_from(const JsonReader& reader) {
  std::vector<KernelLaunch> all = reader.list_of(kernel_launch_from);
  std::sort(all.begin(), all.end());  // then each is added at the end
  std::vector<KernelLaunch> launches;
  for (KernelLaunch& each : all) add_launch(std::move(each), launches);
  return launches;
}

Json to_json(const Work& work) {
  return {{"bytes_read", work.bytes_read},
          {"bytes_written", work.bytes_written},
          {"operations", work.operations}};
}

Work work_from(const JsonReader& reader) {
  return {reader.at("bytes_read").number(), reader.at("bytes_written").number(),
          reader.at("operations").number()};
}

Json to_json(const Record& record) {
  Json json{{"id", record.id},
            {"pass", to_string(record.pass)},
            {"outcome",
             {{"status", to_string(record.outcome.status)}, {"message", record.outcome.message}}},
            {"work", to_json(record.work)},
            {"samples_ns", record.samples_ns}};
  if (record.time_ns) json["time_ns"] = *record.time_ns;
  if (!record.time_method.empty()) json["time_method"] = record.time_method;
  if (record.sampling) json["sampling"] = to_json(*record.sampling);
  if (record.device_state) json["device_state"] = to_json(*record.device_state);
  if (!record.kernels.empty()) json["kernels"] = record.kernels;
  if (!record.launches.empty()) {
    Json& launches = json["launches"] = Json::array();
    for (const KernelLaunch& launch : record.launches) launches.push_back(to_json(launch));
  }
  if (!record.machine_code.empty()) {
    Json& codes = json["machine_code"] = Json::array();
    for (const KernelCode& code : record.machine_code) codes.push_back(to_json(code));
  }
  if (record.grid_fills_device) json["grid_fills_device"] = true;
  if (!record.input_digest.empty()) json["input_digest"] = record.input_digest;
  put(json, "sentinel_ns", record.sentinel_ns);
  put(json, "sentinel_span_ns", record.sentinel_span_ns);
  if (!record.not_timed.empty()) json["not_timed"] = record.not_timed;
  json["counters"] = record.counters;
  if (record.counter_passes > 0) json["counter_passes"] = record.counter_passes;
  Json lines = Json::array();
  for (const SourceLine& line : record.lines) lines.push_back(to_json(line));
  json["lines"] = std::move(lines);
  for (const InstructionTraffic& each : record.instructions) {
    json["instructions"].push_back(to_json(each));
  }
  json["not_measured"] = record.not_measured;
  if (!record.remarks.empty()) json["remarks"] = record.remarks;
  return json;
}

Record record_from(const JsonReader& reader) {
  Record record;
  record.id = reader.at("id").text();
  record.pass = pass_from(reader.at("pass"));
  record.outcome = outcome_from(reader.at("outcome"));
  record.work = work_from(reader.at("work"));
  record.samples_ns = reader.at("samples_ns").numbers();
  record.time_ns = reader.optional("time_ns", &JsonReader::number);
  record.time_method = reader.optional("time_method", &JsonReader::text).value_or("");
  record.sampling = reader.optional("sampling", sampling_from);
  record.device_state = reader.optional("device_state", device_state_from);
  if (const auto kernels = reader.optional("kernels")) record.kernels = kernels->texts();
  if (const auto launches = reader.optional("launches")) {
    record.launches = kernel_launches_from(*launches);
  }
  if (const auto codes = reader.optional("machine_code")) {
    record.machine_code = codes->list_of(kernel_code_from);
  }
  record.grid_fills_device =
      reader.optional("grid_fills_device", &JsonReader::flag).value_or(false);
  record.input_digest = reader.optional("input_digest", &JsonReader::text).value_or("");
  record.sentinel_ns = reader.optional("sentinel_ns", &JsonReader::number);
  record.sentinel_span_ns = reader.optional("sentinel_span_ns", &JsonReader::number);
  record.not_timed = reader.optional("not_timed", &JsonReader::text).value_or("");
  for (const auto& [name, value] : reader.at("counters").members()) {
    record.counters[name] = value.number();
  }
  record.counter_passes = reader.optional("counter_passes", &JsonReader::small_count).value_or(0);
  record.lines = reader.at("lines").list_of(source_line_from);
  if (const auto instructions = reader.optional("instructions")) {
    record.instructions = instructions->list_of(instruction_from);
  }
  for (const auto& [name, reason] : reader.at("not_measured").members()) {
    record.not_measured[name] = reason.text();
  }
  if (const auto remarks = reader.optional("remarks")) record.remarks = remarks->texts();
  return record;
}

}  // namespace warpgauge::results
