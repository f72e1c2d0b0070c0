// SPDX-License-Identifier: Apache-2.0
// Which floors, rules and limits a policy has for a benchmark.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/support/id_glob.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

bool names(const std::vector<std::string>& list, const std::string& metric) {
  return std::find(list.begin(), list.end(), metric) != list.end();
}

// As Google Benchmark writes it, and as it is once it was imported.
bool is_cpu_time(const std::string& metric) {
  return metric == results::kCpuTimeMetric || metric == "cpu_time_ns";
}

bool is_of_any(const std::vector<std::string>& devices, const std::string& device) {
  return devices.empty() || device.empty() || names(devices, device);
}

// Whether overrides gate the metrics of a benchmark: the last that matches and says so wins.
class GateFlags {
 public:
  GateFlags(const Policy& policy, const std::string& benchmark) {
    for (const Policy::Override& change : policy.overrides) {
      if (!change.gate || !matches(change.benchmarks, benchmark)) continue;
      if (change.metrics.empty()) {
        of_any_ = change.gate;
        by_metric_.clear();
      }
      for (const std::string& metric : change.metrics) by_metric_[metric] = *change.gate;
    }
  }

  [[nodiscard]] std::optional<bool> of(const std::string& metric) const {
    const auto found = by_metric_.find(metric);
    return found == by_metric_.end() ? of_any_ : found->second;
  }

 private:
  std::optional<bool> of_any_;
  std::map<std::string_view, bool> by_metric_;
};

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

bool Policy::Limit::is_of(const std::string& device) const { return is_of_any(devices, device); }

std::string Policy::Limit::subject() const {
  return is_ratio() ? metric + " of " + variant + " against " + against : metric;
}

std::optional<std::string> Policy::Limit::counterpart(const std::string& id) const {
  const std::string whole = "/" + id + "/";
  const std::size_t found = whole.find("/" + variant + "/");
  if (variant.empty() || found == whole.npos) return std::nullopt;
  // The slash in front of the id is not the id's.
  return id.substr(0, found) + against + id.substr(found + variant.size());
}

bool Policy::Limit::is_about(const std::string& id) const {
  return matches(benchmarks, id) && (!is_ratio() || counterpart(id));
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
    if (names(named.names, metric)) rule = named.rule;
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
    if (!change.metrics.empty() && !names(change.metrics, metric)) continue;
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

std::vector<const Policy::Limit*> Policy::limits_for(const std::string& benchmark,
                                                     const std::string& device) const {
  std::map<std::pair<std::string, Bound>, const Limit*> last;
  for (const Limit& limit : limits) {
    if (!limit.is_of(device) || !limit.is_about(benchmark)) continue;
    last[{limit.subject(), limit.bound}] = &limit;
  }
  if (last.empty()) return {};
  const GateFlags flags(*this, benchmark);
  std::vector<const Limit*> found;
  for (const auto& [key, limit] : last) {
    if (flags.of(limit->metric).value_or(true)) found.push_back(limit);
  }
  return found;
}

bool Policy::may_be_absent(const std::string& benchmark, const std::string& metric) const {
  bool optional = false;
  for (const Override& change : overrides) {
    const bool is_meant = change.metrics.empty() || names(change.metrics, metric);
    if (change.optional && is_meant && matches(change.benchmarks, benchmark)) {
      optional = *change.optional;
    }
  }
  return optional;
}

bool Policy::is_critical(const std::string& benchmark) const {
  bool critical = false;
  for (const Override& change : overrides) {
    if (change.critical && matches(change.benchmarks, benchmark)) critical = *change.critical;
  }
  return critical;
}

}  // namespace warpgauge::ci
