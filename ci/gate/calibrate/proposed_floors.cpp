// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/calibrate/proposed_floors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "ci/support/text.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "ci/verdict/program/program_match.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

// To a tenth of a per cent; a policy takes less than all of a figure.
double rounded_up(double share) {
  constexpr double kSteps = 1'000;
  constexpr double kRounding = 1e-9;
  return std::min(std::ceil(share * kSteps - kRounding), kSteps - 1) / kSteps;
}

// Of one design, by benchmark; what the absolute floor covers asks for nothing.
struct Asked {
  double of_all = 0;
  std::vector<double> of_each;
};

Asked asked_by(const SettingRates& setting, double absolute_floor) {
  constexpr double kLeast = 0.005;
  Asked asked;
  for (const BenchmarkRates& each : setting.benchmarks) {
    const bool is_covered = each.asked_floor * each.time_ns <= absolute_floor;
    asked.of_each.push_back(is_covered ? 0 : rounded_up(each.asked_floor));
  }
  std::vector<double> ascending = asked.of_each;
  std::sort(ascending.begin(), ascending.end());
  asked.of_all = std::max(kLeast, ascending[ascending.size() * 3 / 4]);
  for (double& each : asked.of_each) each = std::max(each, asked.of_all);
  return asked;
}

std::string how_measured(const Calibration& calibration) {
  std::set<std::string> devices;
  std::string newest;
  for (const results::Session& each : calibration.sessions) {
    devices.insert(each.device.uuid);
    newest = std::max(newest, each.created);
  }
  return fmt::format("{} of at least {} processes on {}, the newest of {}; calibrate --seed {}",
                     counted(calibration.sessions.size(), "session"), calibration.fewest_processes,
                     counted(devices.size(), "device"), newest, calibration.options.seed);
}

std::string quoted_toml(const std::string& text) { return results::Json(text).dump(); }

}  // namespace

std::vector<Policy::Floor> floors_of(const std::vector<results::Results>& sessions,
                                     const Policy& policy, CalibrationOptions options) {
  options.slowed = false;
  options.in_turns = false;
  options.competing_rules.clear();
  const Calibration calibration = calibrate(sessions, std::nullopt, policy, options);
  const Origin origin = origin_of(sessions.front(), sessions.back(), policy);
  const Rule rule = rule_for("", results::kTimeMetric, policy, origin, Design::apart);
  Policy::Floor all;
  all.clock = origin.clock;
  all.devices = {origin.device};
  all.command = origin.command;
  all.relative_floor = rule.relative_floor;
  all.absolute_floor = rule.absolute_floor;
  all.resolution = rule.resolution;
  all.steady = rule.steady;
  all.measured = how_measured(calibration);

  // One session does not show how far two differ.
  const bool of_one_program = sessions.size() == 1 && is_of_program(sessions.front());
  const double least = of_one_program ? rule.relative_floor : 0;
  const std::size_t benchmarks = calibration.settings.front().benchmarks.size();
  std::vector<Policy::Floor> of_each(benchmarks, all);
  for (const SettingRates& setting : calibration.settings) {
    const Asked asked = asked_by(setting, all.absolute_floor);
    const bool apart = setting.design == Design::apart;
    for (std::size_t b = 0; b < benchmarks; ++b) {
      of_each[b].benchmarks = setting.benchmarks[b].id;
      if (apart) {
        of_each[b].relative_floor = std::max(least, asked.of_each[b]);
      } else {
        of_each[b].relative_floor_against = asked.of_each[b];
      }
    }
    (apart ? all.relative_floor : all.relative_floor_against.emplace()) =
        std::max(apart ? least : 0, asked.of_all);
  }
  std::vector<Policy::Floor> floors{all};
  for (Policy::Floor& each : of_each) {
    const bool asks_for_more = each.relative_floor > all.relative_floor ||
                               each.relative_floor_against > all.relative_floor_against;
    if (asks_for_more) floors.push_back(std::move(each));
  }
  for (Policy::Floor& each : floors) {
    if (!each.steady) continue;
    double& of_steady = each.steady->relative_floor;
    of_steady = std::min(of_steady, each.relative_floor_against.value_or(each.relative_floor));
  }
  return floors;
}

std::vector<Policy::Floor> floors_of_new_device(const results::Results& session,
                                                const Policy& policy, Effort effort) {
  const Origin origin = origin_of(session.session);
  const Policy::Floor* const floor = policy.floor_for("", origin.timing(Design::apart));
  // Of all programs one is said for any device, until their own is known.
  const bool is_of_any = origin.clock == Clock::program && floor != nullptr &&
                         floor->devices.empty() && floor->command.empty();
  if (floor != nullptr && !is_of_any) return {};
  CalibrationOptions options;
  options.effort = effort;
  options.trials = 100;
  std::vector<Policy::Floor> floors = floors_of({session}, policy, options);
  const Policy::Floor& all = floors.front();
  const bool asks_for_more = floors.size() > 1 || !is_of_any ||
                             all.relative_floor > floor->relative_floor ||
                             all.absolute_floor > floor->absolute_floor;
  if (!asks_for_more) floors.clear();
  return floors;
}

std::string floors_command(const Policy& policy, const std::filesystem::path& floors) {
  if (policy.name == built_in_policy().name) return "";
  return fmt::format("cat {} >>{}", shell_word(floors.string()), shell_word(policy.name));
}

std::string how_to_take_floors(const Policy& policy, const std::filesystem::path& floors,
                               const std::filesystem::path& results) {
  const std::string command = floors_command(policy, floors);
  if (!command.empty()) return "add them to the policy: " + command;
  return fmt::format(
      "warpgauge calibrate {} --policy-out policy.toml makes a policy with them, for --policy",
      shell_word(results.string()));
}

std::string without_floors_like(const Policy::Floor& floor, const std::string& text) {
  std::set<int> heads;
  for (const Policy::Floor& each : parse_policy(text, "policy").floors) {
    const bool is_like =
        each.clock == floor.clock && each.devices == floor.devices && each.command == floor.command;
    if (is_like) heads.insert(each.place.line);
  }
  std::string kept;
  std::istringstream lines(text);
  bool drops = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool ends = line.empty() || line.front() == '[';
    const bool is_head = heads.contains(++number);
    // One blank line is enough where it was.
    if (is_head && kept.ends_with("\n\n")) kept.pop_back();
    drops = is_head || (drops && !ends);
    if (!drops) kept += line + '\n';
  }
  return kept;
}

std::string floors_toml(const std::vector<Policy::Floor>& floors) {
  std::string text;
  for (const Policy::Floor& floor : floors) {
    text += fmt::format("\n[[floor]]\nclock = \"{}\"\n", to_string(floor.clock));
    if (!floor.devices.empty()) {
      text += fmt::format("devices = {}\n", results::Json(floor.devices).dump());
    }
    if (!floor.command.empty()) {
      text += fmt::format("command = {}\n", quoted_toml(floor.command));
    }
    if (floor.benchmarks != "*") {
      text += fmt::format("benchmarks = {}\n", quoted_toml(floor.benchmarks));
    }
    text += fmt::format("relative_floor = {:g}\n", floor.relative_floor);
    if (floor.relative_floor_against) {
      text += fmt::format("relative_floor_against = {:g}\n", *floor.relative_floor_against);
    }
    if (floor.absolute_floor > 0)
      text += fmt::format("absolute_floor = {:g}\n", floor.absolute_floor);
    if (floor.resolution > 0) text += fmt::format("resolution = {:g}\n", floor.resolution);
    if (floor.steady) {
      text += fmt::format(
          "steady_relative_floor = {:g}\nsteady_absolute_floor = {:g}\nsteady_resolution = {:g}\n",
          floor.steady->relative_floor, floor.steady->absolute_floor, floor.steady->resolution);
    }
    text += fmt::format("measured = {}\n", quoted_toml(floor.measured));
  }
  return text;
}

}  // namespace warpgauge::ci
