// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace warpgauge::results {
namespace {

template <class Enum, std::size_t Count>
using Names = std::array<std::pair<Enum, const char*>, Count>;

constexpr Names<Pass, 3> kPasses{
    {{Pass::time, "time"}, {Pass::counters, "counters"}, {Pass::lines, "lines"}}};
constexpr Names<Access, 6> kAccesses{{{Access::shared_load, "shared_load"},
                                      {Access::shared_store, "shared_store"},
                                      {Access::shared_atomic, "shared_atomic"},
                                      {Access::global_load, "global_load"},
                                      {Access::global_store, "global_store"},
                                      {Access::global_atomic, "global_atomic"}}};
constexpr Names<Status, 5> kStatuses{{{Status::ok, "ok"},
                                      {Status::wrong_result, "wrong_result"},
                                      {Status::error, "error"},
                                      {Status::crashed, "crashed"},
                                      {Status::hung, "hung"}}};
constexpr Names<Compiled, 6> kCompiled{{{Compiled::unknown, "unknown"},
                                        {Compiled::confirmed, "confirmed"},
                                        {Compiled::merged, "merged"},
                                        {Compiled::fewer, "fewer"},
                                        {Compiled::absent, "absent"},
                                        {Compiled::different, "different"}}};
constexpr Names<DeviceKind, 3> kDeviceKinds{{{DeviceKind::gpu, "gpu"},
                                             {DeviceKind::emulated, "emulated"},
                                             {DeviceKind::machine_code, "machine_code"}}};

constexpr Names<SamplingEnd, 2> kSamplingEnds{
    {{SamplingEnd::precision, "precision"}, {SamplingEnd::budget, "budget"}}};

template <class Enum, std::size_t Count>
std::string name_of(const Names<Enum, Count>& names, Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw FormatError(fmt::format("no name for enumerator {}", static_cast<int>(value)));
}

template <class Enum, std::size_t Count>
Enum value_of(const Names<Enum, Count>& names, const std::string& name, const char* field) {
  std::string known_names;
  for (const auto& [value, known] : names) {
    if (name == known) return value;
    known_names += fmt::format("{}{}", known_names.empty() ? "" : ", ", known);
  }
  throw FormatError(fmt::format("{}: '{}' is not one of {}", field, name, known_names));
}

const Json& member(const Json& json, const char* field) {
  if (!json.is_object()) {
    throw FormatError(
        fmt::format("{}: expected inside an object, found {}", field, json.type_name()));
  }
  const auto found = json.find(field);
  if (found == json.end()) throw FormatError(fmt::format("{}: missing", field));
  return *found;
}

std::string text(const Json& json, const char* field) {
  const Json& value = member(json, field);
  if (!value.is_string()) {
    throw FormatError(fmt::format("{}: must be a string, is {}", field, value.type_name()));
  }
  return value.get<std::string>();
}

double number_from(const Json& value, const std::string& field) {
  if (!value.is_number()) {
    throw FormatError(fmt::format("{}: must be a number, is {}", field, value.type_name()));
  }
  const double number = value.get<double>();
  if (!std::isfinite(number)) throw FormatError(fmt::format("{}: is not finite", field));
  return number;
}

double number(const Json& json, const char* field) {
  return number_from(member(json, field), field);
}

std::uint64_t count(const Json& json, const char* field) {
  const Json& value = member(json, field);
  if (!value.is_number_unsigned() &&
      !(value.is_number_integer() && value.get<std::int64_t>() >= 0)) {
    throw FormatError(fmt::format("{}: must be a whole number of at least 0, is {}", field,
                                  value.dump().substr(0, 40)));
  }
  return value.get<std::uint64_t>();
}

int small_count(const Json& json, const char* field) {
  const std::uint64_t value = count(json, field);
  if (value > 1'000'000'000) throw FormatError(fmt::format("{}: {} is too large", field, value));
  return static_cast<int>(value);
}

bool flag(const Json& json, const char* field) {
  const Json& value = member(json, field);
  if (!value.is_boolean()) {
    throw FormatError(fmt::format("{}: must be true or false, is {}", field, value.type_name()));
  }
  return value.get<bool>();
}

const Json& list(const Json& json, const char* field) {
  const Json& value = member(json, field);
  if (!value.is_array()) {
    throw FormatError(fmt::format("{}: must be a list, is {}", field, value.type_name()));
  }
  return value;
}

Extents extents(const Json& json, const char* field) {
  const Json& values = list(json, field);
  Extents extents{};
  const auto is_one = [](const Json& value) {
    return value.is_number_integer() && value > 0 && value <= UINT32_MAX;
  };
  if (values.size() != extents.size() || !std::all_of(values.begin(), values.end(), is_one)) {
    throw FormatError(fmt::format("{}: must be three whole numbers from 1 to {}, is {}", field,
                                  UINT32_MAX, values.dump().substr(0, 40)));
  }
  std::transform(values.begin(), values.end(), extents.begin(),
                 [](const Json& value) { return value.get<std::uint32_t>(); });
  return extents;
}

const Json& object(const Json& json, const char* field) {
  const Json& value = member(json, field);
  if (!value.is_object()) {
    throw FormatError(fmt::format("{}: must be an object, is {}", field, value.type_name()));
  }
  return value;
}

// A field that may be absent; in `json` only where it is there.
template <class Value>
void put(Json& json, const char* field, const std::optional<Value>& value) {
  if (value) json[field] = *value;
}

std::optional<double> number_or_nothing(const Json& json, const char* field) {
  return json.contains(field) ? std::optional(number(json, field)) : std::nullopt;
}

std::optional<bool> flag_or_nothing(const Json& json, const char* field) {
  return json.contains(field) ? std::optional(flag(json, field)) : std::nullopt;
}

std::vector<std::string> texts(const Json& json, const char* field) {
  std::vector<std::string> texts;
  for (const Json& each : list(json, field)) {
    if (!each.is_string()) {
      throw FormatError(fmt::format("{}: must be strings, has a {}", field, each.type_name()));
    }
    texts.push_back(each.get<std::string>());
  }
  return texts;
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

DeviceReading device_reading_from(const Json& json) {
  DeviceReading reading;
  reading.sm_clock_mhz = number_or_nothing(json, "sm_clock_mhz");
  reading.memory_clock_mhz = number_or_nothing(json, "memory_clock_mhz");
  reading.power_w = number_or_nothing(json, "power_w");
  reading.power_limit_w = number_or_nothing(json, "power_limit_w");
  reading.temperature_c = number_or_nothing(json, "temperature_c");
  if (json.contains("slowed_by")) reading.slowed_by = texts(json, "slowed_by");
  return reading;
}

Json to_json(const DeviceState& state) {
  Json json{{"before", to_json(state.before)},
            {"after", to_json(state.after)},
            {"discarded_samples", state.discarded_samples}};
  if (state.slowed_throughout) json["slowed_throughout"] = true;
  return json;
}

DeviceState device_state_from(const Json& json) {
  DeviceState state;
  state.before = device_reading_from(object(json, "before"));
  state.after = device_reading_from(object(json, "after"));
  state.discarded_samples = small_count(json, "discarded_samples");
  if (json.contains("slowed_throughout")) {
    state.slowed_throughout = flag(json, "slowed_throughout");
  }
  return state;
}

Json to_json(const Sampling& sampling) {
  Json json{{"ended_by", name_of(kSamplingEnds, sampling.ended_by)},
            {"placements", sampling.placements}};
  put(json, "standard_error_ns", sampling.standard_error_ns);
  return json;
}

Sampling sampling_from(const Json& json) {
  return {value_of(kSamplingEnds, text(json, "ended_by"), "ended_by"),
          number_or_nothing(json, "standard_error_ns"), small_count(json, "placements")};
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

InstructionTraffic instruction_from(const Json& json) {
  InstructionTraffic instruction;
  if (json.contains("kernel")) instruction.kernel = text(json, "kernel");
  instruction.offset_bytes = count(json, "offset_bytes");
  if (json.contains("opcode")) instruction.opcode = text(json, "opcode");
  instruction.requests = count(json, "requests");
  const auto if_there = [&](const char* field, std::uint64_t& value) {
    if (json.contains(field)) value = count(json, field);
  };
  if_there("wavefronts", instruction.wavefronts);
  if_there("ideal_wavefronts", instruction.ideal_wavefronts);
  if_there("sectors", instruction.sectors);
  if_there("ideal_sectors", instruction.ideal_sectors);
  return instruction;
}

}  // namespace

Json parse_json(const std::string& text) {
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kMaxJsonDepth) {
      throw FormatError(fmt::format("is nested more than {} deep", kMaxJsonDepth));
    }
    return true;
  });
}

std::string to_string(Pass pass) { return name_of(kPasses, pass); }
std::string to_string(Access access) { return name_of(kAccesses, access); }
std::string to_string(Compiled compiled) { return name_of(kCompiled, compiled); }
std::string to_string(Status status) { return name_of(kStatuses, status); }
std::string to_string(DeviceKind kind) { return name_of(kDeviceKinds, kind); }

Pass pass_from(const std::string& name) { return value_of(kPasses, name, "pass"); }

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

SourceLine source_line_from(const Json& json) {
  SourceLine line;
  line.file = text(json, "file");
  line.line = small_count(json, "line");
  line.column = small_count(json, "column");
  line.function = text(json, "function");
  line.text = text(json, "text");
  line.access = value_of(kAccesses, text(json, "access"), "access");
  line.width_bytes = small_count(json, "width_bytes");
  line.requests = count(json, "requests");
  if (is_shared(line.access)) {
    line.wavefronts = count(json, "wavefronts");
    line.ideal_wavefronts = count(json, "ideal_wavefronts");
  } else {
    line.sectors = count(json, "sectors");
    line.ideal_sectors = count(json, "ideal_sectors");
  }
  if (json.contains("compiled")) {
    line.compiled = value_of(kCompiled, text(json, "compiled"), "compiled");
    line.instructions = text(json, "instructions");
  }
  if (json.contains("by_instruction")) {
    for (const Json& each : list(json, "by_instruction")) {
      line.by_instruction.push_back(instruction_from(each));
    }
  }
  return line;
}

Json to_json(const KernelCode& code) {
  Json json{{"name", code.name},
            {"architecture", code.architecture},
            {"compiler", code.compiler},
            {"sass_hash", code.sass_hash},
            {"instructions", code.instructions},
            {"code_bytes", code.code_bytes},
            {"registers", code.registers},
            {"static_shared_bytes", code.static_shared_bytes}};
  if (code.stack_bytes) json["stack_bytes"] = *code.stack_bytes;
  if (code.spill_store_bytes) json["spill_store_bytes"] = *code.spill_store_bytes;
  if (code.spill_load_bytes) json["spill_load_bytes"] = *code.spill_load_bytes;
  return json;
}

KernelCode kernel_code_from(const Json& json) {
  KernelCode code;
  code.name = text(json, "name");
  code.architecture = text(json, "architecture");
  code.compiler = text(json, "compiler");
  code.sass_hash = text(json, "sass_hash");
  code.instructions = count(json, "instructions");
  code.code_bytes = count(json, "code_bytes");
  code.registers = small_count(json, "registers");
  code.static_shared_bytes = count(json, "static_shared_bytes");
  const auto if_there = [&](const char* field, std::optional<std::uint64_t>& value) {
    if (json.contains(field)) value = count(json, field);
  };
  if_there("stack_bytes", code.stack_bytes);
  if_there("spill_store_bytes", code.spill_store_bytes);
  if_there("spill_load_bytes", code.spill_load_bytes);
  return code;
}

Json to_json(const KernelLaunch& launch) {
  Json json{{"kernel", launch.kernel},
            {"grid", launch.grid},
            {"block", launch.block},
            {"dynamic_shared_bytes", launch.dynamic_shared_bytes}};
  if (launch.cluster != KernelLaunch().cluster) json["cluster"] = launch.cluster;
  put(json, "shared_carveout", launch.shared_carveout);
  json["count"] = launch.count;
  return json;
}

KernelLaunch kernel_launch_from(const Json& json) {
  KernelLaunch launch;
  launch.kernel = text(json, "kernel");
  launch.grid = extents(json, "grid");
  launch.block = extents(json, "block");
  launch.dynamic_shared_bytes = count(json, "dynamic_shared_bytes");
  if (json.contains("cluster")) launch.cluster = extents(json, "cluster");
  if (json.contains("shared_carveout")) {
    const std::uint64_t percent = count(json, "shared_carveout");
    if (percent > 100) {
      throw FormatError(fmt::format("shared_carveout: must be at most 100, is {}", percent));
    }
    launch.shared_carveout = static_cast<std::uint32_t>(percent);
  }
  launch.count = static_cast<std::uint64_t>(small_count(json, "count"));
  if (launch.count == 0) throw FormatError("count: must be at least 1, is 0");
  return launch;
}

Json to_json(const Record& record) {
  Json json{{"id", record.id},
            {"pass", to_string(record.pass)},
            {"outcome",
             {{"status", to_string(record.outcome.status)}, {"message", record.outcome.message}}},
            {"work",
             {{"bytes_read", record.work.bytes_read},
              {"bytes_written", record.work.bytes_written},
              {"operations", record.work.operations}}},
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

Record record_from(const Json& json) {
  Record record;
  record.id = text(json, "id");
  record.pass = pass_from(text(json, "pass"));
  const Json& outcome = object(json, "outcome");
  record.outcome.status = value_of(kStatuses, text(outcome, "status"), "outcome.status");
  record.outcome.message = text(outcome, "message");
  const Json& work = object(json, "work");
  record.work = {number(work, "bytes_read"), number(work, "bytes_written"),
                 number(work, "operations")};
  for (const Json& sample : list(json, "samples_ns")) {
    record.samples_ns.push_back(number_from(sample, "samples_ns"));
  }
  if (json.contains("time_ns")) record.time_ns = number(json, "time_ns");
  if (json.contains("time_method")) record.time_method = text(json, "time_method");
  if (json.contains("sampling")) record.sampling = sampling_from(object(json, "sampling"));
  if (json.contains("device_state")) {
    record.device_state = device_state_from(object(json, "device_state"));
  }
  if (json.contains("kernels")) record.kernels = texts(json, "kernels");
  if (json.contains("launches")) {
    for (const Json& launch : list(json, "launches")) {
      add_launch(kernel_launch_from(launch), record.launches);
    }
  }
  if (json.contains("machine_code")) {
    for (const Json& code : list(json, "machine_code")) {
      record.machine_code.push_back(kernel_code_from(code));
    }
  }
  if (json.contains("grid_fills_device")) {
    record.grid_fills_device = flag(json, "grid_fills_device");
  }
  for (const auto& [name, value] : object(json, "counters").items()) {
    record.counters[name] = number_from(value, "counters." + name);
  }
  if (json.contains("counter_passes")) record.counter_passes = small_count(json, "counter_passes");
  for (const Json& line : list(json, "lines")) record.lines.push_back(source_line_from(line));
  if (json.contains("instructions")) {
    for (const Json& each : list(json, "instructions")) {
      record.instructions.push_back(instruction_from(each));
    }
  }
  for (const auto& [name, reason] : object(json, "not_measured").items()) {
    if (!reason.is_string()) {
      throw FormatError(
          fmt::format("not_measured.{}: must be a string, is {}", name, reason.type_name()));
    }
    record.not_measured[name] = reason.get<std::string>();
  }
  if (json.contains("remarks")) record.remarks = texts(json, "remarks");
  return record;
}

Json to_json(const Device& device) {
  return {{"kind", to_string(device.kind)},
          {"name", device.name},
          {"key", device.key},
          {"uuid", device.uuid},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"l2_bytes", device.l2_bytes},
          {"memory_bytes", device.memory_bytes},
          {"driver", device.driver}};
}

Device device_from(const Json& json) {
  Device device;
  device.kind = value_of(kDeviceKinds, text(json, "kind"), "device.kind");
  device.name = text(json, "name");
  device.key = text(json, "key");
  // The key becomes the name of a folder: nothing else may be in it.
  if (device.key.empty() || device.key != device_key(device.key)) {
    throw FormatError(fmt::format(
        "device.key: '{}' must be lower-case letters, digits and single dashes", device.key));
  }
  device.uuid = text(json, "uuid");
  device.compute_capability = text(json, "compute_capability");
  device.multiprocessors = small_count(json, "multiprocessors");
  device.l2_bytes = count(json, "l2_bytes");
  device.memory_bytes = count(json, "memory_bytes");
  device.driver = text(json, "driver");
  return device;
}

Json to_json(const DeviceSettings& settings) {
  Json json = Json::object();
  put(json, "sm_clock_mhz", settings.sm_clock_mhz);
  put(json, "memory_clock_mhz", settings.memory_clock_mhz);
  put(json, "most_sm_clock_mhz", settings.most_sm_clock_mhz);
  put(json, "most_memory_clock_mhz", settings.most_memory_clock_mhz);
  put(json, "power_limit_w", settings.power_limit_w);
  put(json, "usual_power_limit_w", settings.usual_power_limit_w);
  put(json, "ecc", settings.ecc);
  put(json, "mig", settings.mig);
  put(json, "persistence", settings.persistence);
  if (!settings.not_measured.empty()) json["not_measured"] = settings.not_measured;
  return json;
}

DeviceSettings device_settings_from(const Json& json) {
  DeviceSettings settings;
  settings.sm_clock_mhz = number_or_nothing(json, "sm_clock_mhz");
  settings.memory_clock_mhz = number_or_nothing(json, "memory_clock_mhz");
  settings.most_sm_clock_mhz = number_or_nothing(json, "most_sm_clock_mhz");
  settings.most_memory_clock_mhz = number_or_nothing(json, "most_memory_clock_mhz");
  settings.power_limit_w = number_or_nothing(json, "power_limit_w");
  settings.usual_power_limit_w = number_or_nothing(json, "usual_power_limit_w");
  settings.ecc = flag_or_nothing(json, "ecc");
  settings.mig = flag_or_nothing(json, "mig");
  settings.persistence = flag_or_nothing(json, "persistence");
  if (json.contains("not_measured")) settings.not_measured = text(json, "not_measured");
  return settings;
}

Json to_json(const Toolchain& toolchain) {
  return {{"host_compiler", toolchain.host_compiler},
          {"cuda", toolchain.cuda},
          {"build_type", toolchain.build_type},
          {"version", toolchain.version}};
}

Toolchain toolchain_from(const Json& json) {
  return {text(json, "host_compiler"), text(json, "cuda"), text(json, "build_type"),
          text(json, "version")};
}

Json to_json(const Source& source) {
  return {{"revision", source.revision}, {"modified", source.modified}};
}

Source source_from(const Json& json) { return {text(json, "revision"), flag(json, "modified")}; }

}  // namespace warpgauge::results
