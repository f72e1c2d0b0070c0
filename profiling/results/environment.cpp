// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

namespace warpgauge::results {
namespace {

constexpr const char* kDriver = "driver";
constexpr const char* kCuda = "CUDA";
constexpr const char* kUuid = "device UUID";

// "" for what is not known.
std::string figure(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format("{:g} {}", *value, unit) : "";
}

// That measured.
std::string program(const Session& session) {
  return session.imported ? session.imported->program : "Warpgauge";
}

std::string flag(const std::optional<bool>& value) { return !value ? "" : *value ? "on" : "off"; }

// How the device is set up, which moves its clocks. What its clocks then were is no setting.
std::vector<Difference> of_settings(const DeviceSettings& before, const DeviceSettings& after) {
  std::vector<Difference> all{
      {"application clock", figure(before.sm_clock_mhz, "MHz"), figure(after.sm_clock_mhz, "MHz")},
      {"application memory clock", figure(before.memory_clock_mhz, "MHz"),
       figure(after.memory_clock_mhz, "MHz")},
      {"power limit", figure(before.power_limit_w, "W"), figure(after.power_limit_w, "W")},
      {"ECC", flag(before.ecc), flag(after.ecc)}};
  std::erase_if(all,
                [](const Difference& each) { return each.before.empty() || each.after.empty(); });
  for (Difference& each : all) each.moves_clocks = true;
  return all;
}

}  // namespace

std::string uuids_of(const Session& session) {
  if (session.dies.empty()) return session.device.uuid;
  std::vector<std::string> uuids;
  uuids.reserve(session.dies.size());
  for (const Die& die : session.dies) uuids.push_back(die.uuid);
  return fmt::format("{}", fmt::join(uuids, ", "));
}

std::string caches_of(const Session& session) {
  const bool timed = session.device.kind == DeviceKind::gpu && !session.imported;
  return !timed ? "" : session.hot ? "hot" : "cold";
}

bool hot_and_cold(const Session& before, const Session& after) {
  const std::string caches_before = caches_of(before);
  const std::string caches_after = caches_of(after);
  return !caches_before.empty() && !caches_after.empty() && caches_before != caches_after;
}

std::vector<Difference> differences(const Session& before, const Session& after) {
  std::vector<Difference> all{
      {"program", program(before), program(after)},
      {kDriver, before.device.driver, after.device.driver, true},
      {kCuda, before.toolchain.cuda, after.toolchain.cuda, true},
      {"host compiler", before.toolchain.host_compiler, after.toolchain.host_compiler},
      {"build type", before.toolchain.build_type, after.toolchain.build_type},
      {"version of Warpgauge", before.toolchain.version, after.toolchain.version},
      {kUuid, uuids_of(before), uuids_of(after)}};
  if (hot_and_cold(before, after)) {
    all.push_back({"state of the caches", caches_of(before), caches_of(after), true});
  }
  if (before.settings && after.settings) {
    const auto settings = of_settings(*before.settings, *after.settings);
    all.insert(all.end(), settings.begin(), settings.end());
  }
  std::erase_if(all, [](const Difference& each) { return each.before == each.after; });
  return all;
}

std::string listed(const std::vector<Difference>& differences) {
  if (differences.empty()) return "nothing that was recorded";
  std::vector<std::string> parts;
  parts.reserve(differences.size());
  for (const Difference& each : differences) {
    parts.push_back(fmt::format("{} '{}' → '{}'", each.what, each.before, each.after));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string different_devices(const Session& before, const Session& after) {
  const auto& old_device = before.device;
  const auto& new_device = after.device;
  if (old_device.key != new_device.key) {
    return fmt::format("'{}' and '{}' are different devices", old_device.name, new_device.name);
  }
  // A part of a GPU (MIG) has the name of the whole. What another program measured may not say.
  const bool imported = before.imported || after.imported;
  const bool unknown = old_device.multiprocessors == 0 || new_device.multiprocessors == 0;
  if (old_device.multiprocessors != new_device.multiprocessors && !(imported && unknown)) {
    return fmt::format("the one '{}' has {} multiprocessors, the other {}", old_device.name,
                       old_device.multiprocessors, new_device.multiprocessors);
  }
  return {};
}

Comparability comparability(const Session& before, const Session& after) {
  Comparability result;
  std::vector<Difference> of_clock;
  for (const Difference& each : differences(before, after)) {
    if (each.what == kUuid) continue;
    result.notes.push_back(fmt::format(
        "{} differs from the baseline's: '{}' → '{}'{}", each.what, each.before, each.after,
        each.what == kCuda ? "; exact counters are gated all the same, though the "
                             "machine code may be another"
                           : ""));
    // What was not recorded, as in results of old, is not known to be another.
    const bool known = !each.before.empty() && !each.after.empty();
    if (known && each.moves_clocks) of_clock.push_back(each);
  }
  const bool clocks = before.device.kind == DeviceKind::gpu && after.device.kind == DeviceKind::gpu;
  if (clocks && !of_clock.empty()) {
    result.no_verdict_on_time = fmt::format(
        "measured with another {}, which moves times without any change of the kernel; measure "
        "both sides alike, or start over with warpgauge approve --new-environment",
        listed(of_clock));
  }
  return result;
}

bool environments_differ(const Session& before, const Session& after) {
  return !comparability(before, after).no_verdict_on_time.empty();
}

}  // namespace warpgauge::results
