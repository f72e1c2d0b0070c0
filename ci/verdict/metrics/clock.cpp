// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/clock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "ci/statistics/fastest_quarter.hpp"
#include "ci/statistics/grid.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;

bool has_samples(const Results& results) {
  return std::any_of(results.benchmarks.begin(), results.benchmarks.end(),
                     [](const BenchmarkResult& each) { return !each.samples_ns.empty(); });
}

// What was read off the clock, by benchmark: samples, of which figures may be means; else figures.
std::vector<std::vector<double>> readings(const Results& before, const Results& after) {
  const bool by_samples = has_samples(before) || has_samples(after);
  std::map<std::string, std::vector<double>> by_id;
  for (const Results* side : {&before, &after}) {
    for (const BenchmarkResult& benchmark : side->benchmarks) {
      std::vector<double>& all = by_id[benchmark.id];
      const auto add = [&](std::span<const double> some) {
        const auto first = some.first(std::min(some.size(), kReadingsForGrid));
        all.insert(all.end(), first.begin(), first.end());
      };
      for (const auto& process : benchmark.samples_ns) add(process);
      const Metric* const time = benchmark.find(results::kTimeMetric);
      if (by_samples || time == nullptr || !time->problem.empty()) continue;
      for (const auto& session : time->sessions) add(session);
    }
  }
  std::vector<std::vector<double>> groups;
  groups.reserve(by_id.size());
  for (auto& [id, all] : by_id) groups.push_back(std::move(all));
  return groups;
}

}  // namespace

Origin origin_of(const std::optional<results::Session>& session) {
  if (!session) return {};
  Origin origin{Origin::Program::warpgauge, Clock::gpu, session->device.key};
  origin.compute_capability = session->device.compute_capability;
  origin.has_clock = session->imported || session->device.kind == results::DeviceKind::gpu;
  if (session->program) {
    origin.clock = Clock::program;
    origin.command = session->program->command;
  }
  if (!session->imported) return origin;
  origin.program = Origin::Program::imported;
  origin.cpu_time = session->imported->fastest;
  origin.clock = !session->imported->gpu_clock    ? Clock::cpu
                 : session->imported->cuda_events ? Clock::event
                                                  : Clock::gpu;
  return origin;
}

bool is_by_fastest_quarter(const std::string& metric, const Origin& origin,
                           const std::vector<ProcessFigures>& sessions) {
  return origin.cpu_time && metric == results::kTimeMetric && have_quarters(sessions);
}

Origin origin_of(const Results& before, const Results& after, const Policy& policy) {
  const Origin old_origin = origin_of(before.session);
  const Origin new_origin = origin_of(after.session);
  Origin origin{std::max(old_origin.program, new_origin.program),
                std::max(old_origin.clock, new_origin.clock),
                old_origin.device.empty() ? old_origin.device : new_origin.device,
                new_origin.command};
  origin.compute_capability = new_origin.compute_capability;
  origin.has_clock = new_origin.has_clock;
  origin.cpu_time = old_origin.cpu_time && new_origin.cpu_time;
  if (origin.clock != Clock::cpu) return origin;
  const std::vector<std::vector<double>> groups = readings(before, after);
  const double of_gpu = policy.rule_for("", results::kTimeMetric).resolution;
  if (lies_on_step(groups, of_gpu)) {
    origin.grid = of_gpu;
    origin.clock = Clock::gpu;
    return origin;
  }
  std::vector<double> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  origin.grid = grid_step(all).value_or(0);
  return origin;
}

Rule rule_for(const std::string& benchmark, const std::string& metric, const Policy& policy,
              const Origin& origin, Design design) {
  Rule rule = policy.rule_for(benchmark, metric, origin.timing(design));
  if (metric != results::kTimeMetric || rule.metric_class != MetricClass::statistical) return rule;
  if (2 * origin.grid > rule.absolute_floor) {
    rule.absolute_floor = 2 * origin.grid;
    rule.absolute_floor_place = {};
  }
  rule.resolution = std::max(rule.resolution, origin.grid);
  return rule;
}

std::vector<std::string> notes_on_clock(const Policy& policy, const Origin& origin) {
  std::vector<std::string> notes;
  if (origin.grid > 0) {
    notes.push_back(fmt::format(
        "times lie on a grid of {:.6g} ns{}: a difference of up to two steps does not count",
        origin.grid, origin.clock == Clock::gpu ? ", as a GPU's timestamps do" : ""));
  }
  if (!origin.has_clock) return notes;
  std::set<std::string> measured_on;
  for (const Policy::Floor& floor : policy.floors) {
    if (floor.clock != origin.clock || floor.devices.empty()) continue;
    if (floor.is_of(origin.timing(Design::apart))) return notes;
    if (!floor.command.empty()) continue;
    measured_on.insert(floor.devices.begin(), floor.devices.end());
  }
  if (measured_on.empty()) return notes;
  const Rule rule = policy.rule_for("", results::kTimeMetric, origin.timing(Design::apart));
  notes.push_back(fmt::format(
      "the floors of time in {} were measured on {}, not on {}: here {:g} % holds, which nobody "
      "measured; warpgauge calibrate --policy-out writes floors for this device",
      policy.name, fmt::join(measured_on, ", "), origin.device, 100 * rule.relative_floor));
  return notes;
}

}  // namespace warpgauge::ci
