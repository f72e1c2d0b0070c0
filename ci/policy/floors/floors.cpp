// SPDX-License-Identifier: Apache-2.0
// Which floor a metric of a benchmark has, and with it the rule by which it is judged.
// ci/verdict/metrics/narrowed_floor.hpp lowers the floors of what is measured in turns.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/policy/rule_scope.hpp"
#include "ci/support/id_glob.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

// As Google Benchmark writes it, and as it is once it was imported.
bool is_cpu_time(const std::string& metric) {
  return metric == results::kCpuTimeMetric || metric == "cpu_time_ns";
}

void apply(const Policy::Floor& floor, Rule& rule) {
  rule.relative_floor = floor.relative_floor;
  rule.relative_floor_against = floor.relative_floor_against;
  rule.absolute_floor = floor.absolute_floor;
  rule.resolution = floor.resolution;
  rule.steady = floor.steady;
  rule.relative_floor_place = rule.relative_floor_against_place = rule.absolute_floor_place =
      floor.place;
}

}  // namespace

bool Policy::Floor::is_of(const Timing& timing) const {
  return clock == timing.clock && is_of_any(devices, timing.device) &&
         (command.empty() || command == timing.command);
}

const Policy::Floor* Policy::floor_for(const std::string& benchmark, const Timing& timing) const {
  const Floor* found = nullptr;
  for (const Floor& floor : floors) {
    if (!floor.is_of(timing)) continue;
    if (matches(floor.benchmarks, benchmark)) found = &floor;
  }
  return found;
}

Rule Policy::rule_for(const std::string& benchmark, const std::string& metric,
                      const Timing& timing) const {
  Rule rule;
  for (const Named& named : metrics) {
    if (is_among(named.names, metric)) rule = named.rule;
  }
  rule.own_class = rule.metric_class;
  const bool of_processor = is_cpu_time(metric);
  const Clock clock = of_processor ? Clock::cpu : timing.clock;
  if (clock != Clock::gpu) rule.absolute_floor = rule.resolution = 0;
  const bool is_time = of_processor || metric == results::kTimeMetric;
  if (is_time && rule.metric_class == MetricClass::statistical) {
    Timing of_clock = timing;
    of_clock.clock = clock;
    if (const Floor* floor = floor_for(benchmark, of_clock)) apply(*floor, rule);
  }
  for (const Override& change : overrides) {
    if (!change.metrics.empty() && !is_among(change.metrics, metric)) continue;
    if (!matches(change.benchmarks, benchmark)) continue;
    const bool of_metrics = change.gate || change.optional || change.relative_floor ||
                            change.relative_floor_against || change.absolute_floor;
    if (!of_metrics) continue;
    if (change.gate) rule.metric_class = *change.gate ? rule.own_class : MetricClass::shown;
    if (change.optional) rule.optional = *change.optional;
    // Nothing is found below a floor that someone chose for this benchmark in turns.
    const bool sets_absolute = change.absolute_floor && clock == Clock::gpu;
    const bool sets_turns =
        change.relative_floor_against || (change.relative_floor && !rule.relative_floor_against);
    if (sets_turns || sets_absolute) rule.steady.reset();
    if (change.relative_floor) {
      rule.relative_floor = *change.relative_floor;
      rule.relative_floor_place = change.place;
    }
    if (change.relative_floor_against) {
      rule.relative_floor_against = *change.relative_floor_against;
      rule.relative_floor_against_place = change.place;
    }
    if (sets_absolute) {
      rule.absolute_floor = *change.absolute_floor;
      rule.absolute_floor_place = change.place;
    }
    rule.changes.push_back({change.place, change.benchmarks, change.reason});
  }
  if (timing.design == Design::interleaved && rule.relative_floor_against) {
    rule.relative_floor = *rule.relative_floor_against;
    rule.relative_floor_place = rule.relative_floor_against_place;
  }
  return rule;
}

Policy with_creep_limit(Policy policy, const std::string& metric) {
  const auto at_least = [&](double floor) { return std::max(floor, policy.creep_limit); };
  bool has_its_own = false;  // beside the one that other sides have
  std::vector<Policy::Named> metrics;
  for (Policy::Named named : policy.metrics) {
    if (std::erase(named.names, metric) == 0) {
      metrics.push_back(std::move(named));
      continue;
    }
    Policy::Named alone{{metric}, named.rule};
    has_its_own = alone.rule.relative_floor_against.has_value();
    alone.rule.relative_floor_against =
        at_least(alone.rule.relative_floor_against.value_or(alone.rule.relative_floor));
    metrics.push_back(std::move(alone));
    if (!named.names.empty()) metrics.push_back(std::move(named));
  }
  for (Policy::Floor& floor : policy.floors) {
    floor.relative_floor_against =
        at_least(floor.relative_floor_against.value_or(floor.relative_floor));
    floor.steady.reset();
  }
  for (Policy::Override& change : policy.overrides) {
    if (!change.metrics.empty() && !is_among(change.metrics, metric)) continue;
    const auto own = change.relative_floor_against || has_its_own ? change.relative_floor_against
                                                                  : change.relative_floor;
    if (own) change.relative_floor_against = at_least(*own);
  }
  policy.metrics = std::move(metrics);
  return policy;
}

}  // namespace warpgauge::ci
