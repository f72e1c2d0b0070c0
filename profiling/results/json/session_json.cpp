// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/json/session_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "profiling/results/json/json_writer.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::results {
namespace {

constexpr EnumNames<DeviceKind, 4> kDeviceKinds{{{DeviceKind::gpu, "gpu"},
                                                 {DeviceKind::cpu, "cpu"},
                                                 {DeviceKind::emulated, "emulated"},
                                                 {DeviceKind::machine_code, "machine_code"}}};

Json to_json(const Ceilings& ceilings) {
  if (!ceilings.not_measured.empty()) return {{"not_measured", ceilings.not_measured}};
  return {{"size", ceilings.size}, {"bytes_per_second", ceilings.bytes_per_second}};
}

Ceilings ceilings_from(const JsonReader& reader) {
  Ceilings ceilings;
  if (const auto reason = reader.optional("not_measured")) {
    ceilings.not_measured = reason->text();
    return ceilings;
  }
  ceilings.size = reader.at("size").text();
  for (const auto& [name, rate] : reader.at("bytes_per_second").members()) {
    ceilings.bytes_per_second[name] = rate.number();
    if (rate.number() <= 0) rate.fail(fmt::format("must be above 0, is {}", rate.beginning()));
  }
  return ceilings;
}

Imported imported_from(const JsonReader& reader) {
  return {reader.at("program").text(), reader.at("gpu_clock").flag(),
          reader.optional("cuda_events", &JsonReader::flag).value_or(false),
          reader.optional("cpu_time", &JsonReader::flag).value_or(false),
          reader.optional("fastest", &JsonReader::flag).value_or(false)};
}

Json to_json(const Program& program) {
  Json json{{"command", program.command}};
  if (!program.skip_until.empty()) json["skip_until"] = program.skip_until;
  if (program.processes > 0) json["processes"] = program.processes;
  if (program.devices > 0) json["devices"] = program.devices;
  return json;
}

Program program_from(const JsonReader& reader) {
  return {reader.at("command").text(),
          reader.optional("skip_until", &JsonReader::text).value_or(""),
          reader.optional("processes", &JsonReader::small_count).value_or(0),
          reader.optional("devices", &JsonReader::small_count).value_or(0)};
}

Json to_json(const Shard& shard) {
  return {{"index", shard.index},
          {"count", shard.count},
          {"sizes", shard.sizes},
          {"counters", shard.counters},
          {"benchmarks", shard.benchmarks}};
}

Shard shard_from(const JsonReader& reader) {
  Shard shard;
  shard.index = reader.at("index").small_count();
  shard.count = reader.at("count").small_count();
  if (shard.count > kMostShards) {
    reader.fail(fmt::format("is of {} shards, and there are at most {}", shard.count, kMostShards));
  }
  if (shard.index < 1 || shard.index > shard.count) {
    reader.fail(fmt::format("there is no shard {} of {}", shard.index, shard.count));
  }
  shard.sizes = reader.at("sizes").text();
  shard.counters = reader.at("counters").texts();
  shard.benchmarks = reader.at("benchmarks").texts();
  return shard;
}

Die die_from(const JsonReader& reader) {
  return {reader.at("created").text(), reader.at("uuid").text()};
}

}  // namespace

std::string label(const Session& session) {
  return label(Die{session.created, session.device.uuid});
}

std::string label(const Die& die) {
  return die.uuid.empty() ? die.created : die.created + " " + die.uuid;
}

std::string uuid_in(const std::string& label) {
  const std::string plain = label.substr(0, label.find(" ("));
  const std::size_t space = plain.find(' ');
  return space == std::string::npos ? "" : plain.substr(space + 1);
}

std::string label(const Source& source) {
  if (source.revision.empty()) return "";
  constexpr std::size_t kShort = 12;
  return source.revision.substr(0, kShort) + (source.modified ? " with changes" : "");
}

bool are_in_turns(const Session& one, const Session& other) {
  if (one.turns.empty() || other.turns.empty()) return false;
  return one.turns.front() != other.turns.front() && one.turns.substr(1) == other.turns.substr(1);
}

std::string to_string(DeviceKind kind) { return name_of(kDeviceKinds, kind); }

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

Device device_from(const JsonReader& reader) {
  Device device;
  device.kind = reader.at("kind").one_of(kDeviceKinds);
  device.name = reader.at("name").text();
  const JsonReader key = reader.at("key");
  device.key = key.text();
  // It becomes the name of a folder: nothing else may be in it.
  if (device.key.empty() || device.key != device_key(device.key)) {
    key.fail(fmt::format("'{}' must be lower-case letters, digits and single dashes", device.key));
  }
  device.uuid = reader.at("uuid").text();
  device.compute_capability = reader.at("compute_capability").text();
  device.multiprocessors = reader.at("multiprocessors").small_count();
  device.l2_bytes = reader.at("l2_bytes").count();
  device.memory_bytes = reader.at("memory_bytes").count();
  device.driver = reader.at("driver").text();
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

DeviceSettings device_settings_from(const JsonReader& reader) {
  DeviceSettings settings;
  settings.sm_clock_mhz = reader.optional("sm_clock_mhz", &JsonReader::number);
  settings.memory_clock_mhz = reader.optional("memory_clock_mhz", &JsonReader::number);
  settings.most_sm_clock_mhz = reader.optional("most_sm_clock_mhz", &JsonReader::number);
  settings.most_memory_clock_mhz = reader.optional("most_memory_clock_mhz", &JsonReader::number);
  settings.power_limit_w = reader.optional("power_limit_w", &JsonReader::number);
  settings.usual_power_limit_w = reader.optional("usual_power_limit_w", &JsonReader::number);
  settings.ecc = reader.optional("ecc", &JsonReader::flag);
  settings.mig = reader.optional("mig", &JsonReader::flag);
  settings.persistence = reader.optional("persistence", &JsonReader::flag);
  settings.not_measured = reader.optional("not_measured", &JsonReader::text).value_or("");
  return settings;
}

Json to_json(const Toolchain& toolchain) {
  Json json{{"host_compiler", toolchain.host_compiler},
            {"cuda", toolchain.cuda},
            {"build_type", toolchain.build_type},
            {"version", toolchain.version}};
  if (!toolchain.flags.empty()) json["flags"] = toolchain.flags;
  return json;
}

Toolchain toolchain_from(const JsonReader& reader) {
  return {reader.at("host_compiler").text(), reader.at("cuda").text(),
          reader.at("build_type").text(), reader.at("version").text(),
          reader.optional("flags", &JsonReader::text).value_or("")};
}

Json to_json(const Source& source) {
  return {{"revision", source.revision}, {"modified", source.modified}};
}

Source source_from(const JsonReader& reader) {
  return {reader.at("revision").text(), reader.at("modified").flag()};
}

Json to_json(const Session& session) {
  Json json{{"schema", kSchemaVersion},
            {"created", session.created},
            {"device", to_json(session.device)}};
  if (session.settings) json["settings"] = to_json(*session.settings);
  json["toolchain"] = to_json(session.toolchain);
  json["source"] = to_json(session.source);
  if (session.ceilings) json["ceilings"] = to_json(*session.ceilings);
  json["processes"] = session.processes;
  if (!session.filter.empty()) json["filter"] = session.filter;
  if (session.hot) json["hot"] = true;
  if (!session.turns.empty()) json["turns"] = session.turns;
  if (session.imported) {
    json["imported"] = {{"program", session.imported->program},
                        {"gpu_clock", session.imported->gpu_clock}};
    if (session.imported->cuda_events) json["imported"]["cuda_events"] = true;
    if (session.imported->cpu_time) json["imported"]["cpu_time"] = true;
    if (session.imported->fastest) json["imported"]["fastest"] = true;
  }
  if (session.program) json["program"] = to_json(*session.program);
  if (session.shard) json["shard"] = to_json(*session.shard);
  for (const Die& die : session.dies) {
    json["dies"].push_back({{"created", die.created}, {"uuid", die.uuid}});
  }
  return json;
}

Session session_from(const JsonReader& reader) {
  const JsonReader version = reader.at("schema");
  if (version.json() != kSchemaVersion) {
    version.fail(
        fmt::format("{} is not {}; read it with the version of Warpgauge that wrote it, "
                    "or measure again",
                    version.beginning(), kSchemaVersion));
  }
  Session session;
  session.created = reader.at("created").text();
  session.device = device_from(reader.at("device"));
  session.settings = reader.optional("settings", device_settings_from);
  session.toolchain = toolchain_from(reader.at("toolchain"));
  session.source = source_from(reader.at("source"));
  session.ceilings = reader.optional("ceilings", ceilings_from);
  session.processes = reader.at("processes").small_count();
  session.filter = reader.optional("filter", &JsonReader::text).value_or("");
  session.hot = reader.optional("hot", &JsonReader::flag).value_or(false);
  session.turns = reader.optional("turns", &JsonReader::text).value_or("");
  session.imported = reader.optional("imported", imported_from);
  if (const auto program = reader.optional("program")) {
    session.program = program_from(*program);
  }
  session.shard = reader.optional("shard", shard_from);
  if (const auto dies = reader.optional("dies")) {
    session.dies = dies->list_of(die_from);
    // Each figure is looked for among them.
    if (session.dies.size() > kMostMembers) {
      dies->fail(fmt::format("has {} devices, and at most {} are read", session.dies.size(),
                             kMostMembers));
    }
  }
  return session;
}

}  // namespace warpgauge::results
