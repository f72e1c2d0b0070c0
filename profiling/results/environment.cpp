// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "profiling/results/json/session_json.hpp"

namespace warpgauge::results {
namespace {

// Of all devices that it was measured on, as in "GPU-1, GPU-2".
std::string uuids_of(const Session& session) {
  if (session.dies.empty()) return session.device.uuid;
  std::vector<std::string> uuids;
  uuids.reserve(session.dies.size());
  for (const Die& die : session.dies) uuids.push_back(die.uuid);
  return fmt::format("{}", fmt::join(uuids, ", "));
}

std::string revision_of(const Session& session) { return label(session.source); }

// That measured.
std::string program_of(const Session& session) {
  return session.imported ? session.imported->program : "Warpgauge";
}

// Of times that another program measured on a processor.
std::string clock_of(const Session& session) {
  if (!session.imported || session.imported->gpu_clock) return "";
  if (session.imported->fastest) return "CPU time of the fastest repetition";
  return session.imported->cpu_time ? "CPU time" : "wall clock";
}

// What was started, where that is no suite.
std::string command_of(const Session& session) {
  return session.program ? session.program->command : "";
}

std::string skipped_until(const Session& session) {
  return session.program ? session.program->skip_until : "";
}

std::string ranks_of(const Session& session) {
  if (!session.program || session.program->processes == 0) return "";
  return fmt::format("{} on {} GPUs", session.program->processes, session.program->devices);
}

// A text that the history keeps.
template <auto Part, auto Text>
constexpr EnvironmentField kept(const char* name, const char* column, EnvironmentField field = {}) {
  field.name = name;
  if (field.value == nullptr) {
    field.value = [](const Session& session) -> std::string { return session.*Part.*Text; };
  }
  field.column = column;
  field.stored = [](Session& session) -> std::string& { return session.*Part.*Text; };
  return field;
}

std::string megahertz(double value) { return fmt::format("{:g} MHz", value); }
std::string watt(double value) { return fmt::format("{:g} W", value); }
std::string on_or_off(bool value) { return value ? "on" : "off"; }

// How the device is set up. What its clocks then were is no setting.
template <auto Setting, auto in_words>
constexpr EnvironmentField setting(const char* name) {
  return {.name = name,
          .value = [](const Session& session) -> std::string {
            if (!session.settings || !(*session.settings.*Setting)) return "";
            return in_words(*(*session.settings.*Setting));
          },
          .moves_clocks = true,
          .optional = true};
}

constexpr std::array kEnvironment{
    EnvironmentField{.name = "measured",
                     .value = [](const Session& session) { return session.created; },
                     .varies = Varies::always},
    EnvironmentField{.name = "source", .value = revision_of, .varies = Varies::always},
    EnvironmentField{.name = "program", .value = program_of, .usual = "Warpgauge"},
    EnvironmentField{.name = "clock",
                     .value = clock_of,
                     .moves_clocks = true,
                     .optional = true,
                     .usual = "wall clock"},
    EnvironmentField{.name = "command", .value = command_of},
    EnvironmentField{.name = "range that is skipped until", .value = skipped_until},
    EnvironmentField{.name = "processes of a start",
                     .value = ranks_of,
                     .optional = true,
                     .usual = "1 on 1 GPUs"},
    kept<&Session::device, &Device::name>("device", "device_name"),
    kept<&Session::device, &Device::driver>("driver", "driver", {.moves_clocks = true}),
    kept<&Session::toolchain, &Toolchain::cuda>(
        "CUDA", "cuda",
        {.moves_clocks = true,
         .of_build = true,
         .optional = true,
         .note =
             "; exact counters are gated all the same, though the machine code may be another"}),
    kept<&Session::toolchain, &Toolchain::host_compiler>("host compiler", "host_compiler",
                                                         {.of_build = true, .optional = true}),
    kept<&Session::toolchain, &Toolchain::build_type>("build type", "build_type",
                                                      {.of_build = true, .optional = true}),
    EnvironmentField{.name = "flags of CMake",
                     .value = [](const Session& session) { return session.toolchain.flags; },
                     .of_build = true,
                     .optional = true},
    kept<&Session::toolchain, &Toolchain::version>("version of Warpgauge", "version"),
    kept<&Session::device, &Device::uuid>("device UUID", "device_uuid",
                                          {.value = uuids_of, .varies = Varies::between_devices}),
    EnvironmentField{.name = "state of the caches",
                     .value = caches_of,
                     .moves_clocks = true,
                     .optional = true,
                     .usual = "cold"},
    setting<&DeviceSettings::sm_clock_mhz, megahertz>("application clock"),
    setting<&DeviceSettings::memory_clock_mhz, megahertz>("application memory clock"),
    setting<&DeviceSettings::power_limit_w, watt>("power limit"),
    setting<&DeviceSettings::ecc, on_or_off>("ECC"),
    EnvironmentField{
        .name = "processes",
        .value = [](const Session& session) { return fmt::format("{}", session.processes); },
        .varies = Varies::always},
};

// Of the greater; ECC takes a sixteenth of some memories.
constexpr double kMostOtherMemory = 0.1;

// Cards of one name come with memory of several sizes; 0: not known.
bool is_other_memory(std::uint64_t before, std::uint64_t after) {
  const auto [less, more] = std::minmax(before, after);
  return less > 0 &&
         static_cast<double>(more - less) > kMostOtherMemory * static_cast<double>(more);
}

double in_gigabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

bool differs(const EnvironmentField& field, const std::string& before, const std::string& after) {
  if (field.varies == Varies::always || before == after) return false;
  return !field.optional || (!before.empty() && !after.empty());
}

}  // namespace

std::span<const EnvironmentField> environment_fields() { return kEnvironment; }

std::vector<EnvironmentRow> environment_table(const std::optional<Session>& before,
                                              const std::optional<Session>& after) {
  std::vector<EnvironmentRow> rows;
  for (const EnvironmentField& field : kEnvironment) {
    EnvironmentRow row{&field, before ? field.value(*before) : "", after ? field.value(*after) : "",
                       false};
    const auto is_notable = [&](const std::string& value) {
      return !value.empty() && value != field.usual;
    };
    if (!is_notable(row.before) && !is_notable(row.after)) continue;
    row.differs = before && after && differs(field, row.before, row.after);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<EnvironmentRow> differences(const Session& before, const Session& after, Varies most) {
  std::vector<EnvironmentRow> all;
  for (const EnvironmentField& field : kEnvironment) {
    if (field.varies > most) continue;
    EnvironmentRow row{&field, field.value(before), field.value(after), true};
    if (differs(field, row.before, row.after)) all.push_back(std::move(row));
  }
  return all;
}

std::string listed(const std::vector<EnvironmentRow>& differences) {
  if (differences.empty()) return "nothing that was recorded";
  std::vector<std::string> parts;
  parts.reserve(differences.size());
  for (const EnvironmentRow& each : differences) {
    parts.push_back(fmt::format("{} '{}' → '{}'", each.field->name, each.before, each.after));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string caches_of(const Session& session) {
  const bool timed = session.device.kind == DeviceKind::gpu && !session.imported;
  return !timed ? "" : session.hot ? "hot" : "cold";
}

bool has_clock(const Session& session) {
  return session.device.kind == DeviceKind::gpu || session.device.kind == DeviceKind::cpu;
}

bool hot_and_cold(const Session& before, const Session& after) {
  const std::string caches_before = caches_of(before);
  const std::string caches_after = caches_of(after);
  return !caches_before.empty() && !caches_after.empty() && caches_before != caches_after;
}

std::string different_devices(const Session& before, const Session& after) {
  const auto& old_device = before.device;
  const auto& new_device = after.device;
  if (old_device.key != new_device.key) {
    return fmt::format("'{}' and '{}' are different devices", old_device.name, new_device.name);
  }
  // Imports of a processor said gpu once; their clock is compared apart from this.
  if (old_device.kind != new_device.kind && !(before.imported && after.imported)) {
    return fmt::format("'{}' is {} on one side and {} on the other", old_device.name,
                       to_string(old_device.kind), to_string(new_device.kind));
  }
  // A part of a GPU (MIG) has the name of the whole. What another program measured may not say.
  const bool imported = before.imported || after.imported;
  const bool unknown = old_device.multiprocessors == 0 || new_device.multiprocessors == 0;
  if (old_device.multiprocessors != new_device.multiprocessors && !(imported && unknown)) {
    return fmt::format("the one '{}' has {} multiprocessors, the other {}", old_device.name,
                       old_device.multiprocessors, new_device.multiprocessors);
  }
  const std::string& old_capability = old_device.compute_capability;
  const std::string& new_capability = new_device.compute_capability;
  if (!old_capability.empty() && !new_capability.empty() && old_capability != new_capability) {
    return fmt::format("the one '{}' is of compute capability {}, the other of {}", old_device.name,
                       old_capability, new_capability);
  }
  if (is_other_memory(old_device.memory_bytes, new_device.memory_bytes)) {
    return fmt::format("the one '{}' has {:.0f} GB of memory, the other {:.0f} GB", old_device.name,
                       in_gigabytes(old_device.memory_bytes),
                       in_gigabytes(new_device.memory_bytes));
  }
  return {};
}

std::string different_programs(const Session& before, const Session& after) {
  const auto what = [](const Session& session) {
    if (!session.program) return std::string("a suite");
    const Program& program = *session.program;
    if (program.skip_until.empty()) return fmt::format("'{}'", program.command);
    return fmt::format("'{}' from its range '{}' on", program.command, program.skip_until);
  };
  if (before.imported || after.imported) return {};
  const std::string old_one = what(before);
  const std::string new_one = what(after);
  if (old_one == new_one) return {};
  return fmt::format("{} and {} are different programs", old_one, new_one);
}

Comparability comparability(const Session& before, const Session& after, bool compares_builds) {
  Comparability result;
  std::vector<EnvironmentRow> of_clock;
  std::vector<EnvironmentRow> of_builds;
  for (const EnvironmentRow& each : differences(before, after)) {
    if (compares_builds && each.field->of_build) {
      of_builds.push_back(each);
      continue;
    }
    result.notes.push_back(fmt::format("{} differs from the baseline's: '{}' → '{}'{}",
                                       each.field->name, each.before, each.after,
                                       each.field->note));
    // What was not recorded, as in results of old, is not known to be another.
    const bool known = !each.before.empty() && !each.after.empty();
    if (known && each.field->moves_clocks) of_clock.push_back(each);
  }
  if (!of_builds.empty()) {
    result.notes.push_back("the builds were made differently: " + listed(of_builds));
  }
  const bool clocks = has_clock(before) && has_clock(after);
  if (clocks && !of_clock.empty()) {
    result.no_verdict_on_time = fmt::format(
        "measured with another {}, which moves times without any change of the kernel; measure "
        "both sides alike, or start over with warpgauge approve --new-environment",
        listed(of_clock));
  }
  return result;
}

bool environments_differ(const Session& before, const Session& after) {
  return !different_programs(before, after).empty() ||
         !comparability(before, after).no_verdict_on_time.empty();
}

}  // namespace warpgauge::results
