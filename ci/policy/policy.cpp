// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ci/policy/policy_toml.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "profiling/results/files/file_kind.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/nearest.hpp"
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

// What the last override that matches and sets this says.
std::optional<bool> set_by_override(const Policy& policy,
                                    std::optional<bool> Policy::Override::*flag,
                                    const std::string& benchmark, const std::string& metric) {
  std::optional<bool> set;
  for (const Policy::Override& change : policy.overrides) {
    const bool is_meant = change.metrics.empty() || names(change.metrics, metric);
    if (change.*flag && is_meant && matches(change.benchmarks, benchmark)) set = change.*flag;
  }
  return set;
}

void apply(const Policy::Floor& floor, Rule& rule) {
  rule.relative_floor = floor.relative_floor;
  rule.relative_floor_against = floor.relative_floor_against;
  rule.absolute_floor = floor.absolute_floor;
  rule.resolution = floor.resolution;
  rule.relative_floor_place = rule.relative_floor_against_place = rule.absolute_floor_place =
      floor.place;
}

}  // namespace

std::string to_string(MetricClass metric_class) {
  switch (metric_class) {
    case MetricClass::exact:
      return "exact";
    case MetricClass::statistical:
      return "statistical";
    case MetricClass::shown:
      return "shown";
  }
  return "";
}

std::string to_string(Clock clock) {
  switch (clock) {
    case Clock::gpu:
      return "gpu";
    case Clock::event:
      return "event";
    case Clock::program:
      return "program";
    case Clock::cpu:
      return "cpu";
  }
  return "";
}

bool Policy::Floor::is_of(const std::string& device) const { return is_of_any(devices, device); }

bool Policy::Limit::is_of(const std::string& device) const { return is_of_any(devices, device); }

const Policy::Floor* Policy::floor_for(const std::string& benchmark, Clock clock,
                                       const std::string& device) const {
  const Floor* found = nullptr;
  for (const Floor& floor : floors) {
    if (floor.clock != clock || !floor.is_of(device)) continue;
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
    if (const Floor* floor = floor_for(benchmark, clock, timing.device)) apply(*floor, rule);
  }
  for (const Override& change : overrides) {
    if (!change.metrics.empty() && !names(change.metrics, metric)) continue;
    if (!matches(change.benchmarks, benchmark)) continue;
    const bool of_metrics = change.gate || change.optional || change.relative_floor ||
                            change.relative_floor_against || change.absolute_floor;
    if (!of_metrics) continue;
    if (change.gate) rule.metric_class = *change.gate ? rule.own_class : MetricClass::shown;
    if (change.optional) rule.optional = *change.optional;
    if (change.relative_floor) {
      rule.relative_floor = *change.relative_floor;
      rule.relative_floor_place = change.place;
    }
    if (change.relative_floor_against) {
      rule.relative_floor_against = *change.relative_floor_against;
      rule.relative_floor_against_place = change.place;
    }
    if (change.absolute_floor && clock == Clock::gpu) {
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
    if (!limit.is_of(device) || !matches(limit.benchmarks, benchmark)) continue;
    last[{limit.metric, limit.bound}] = &limit;
  }
  std::vector<const Limit*> found;
  for (const auto& [key, limit] : last) {
    const auto gate = set_by_override(*this, &Override::gate, benchmark, limit->metric);
    if (gate.value_or(true)) found.push_back(limit);
  }
  return found;
}

bool Policy::may_be_absent(const std::string& benchmark, const std::string& metric) const {
  return set_by_override(*this, &Override::optional, benchmark, metric).value_or(false);
}

bool Policy::is_critical(const std::string& benchmark) const {
  bool critical = false;
  for (const Override& change : overrides) {
    if (change.critical && matches(change.benchmarks, benchmark)) critical = *change.critical;
  }
  return critical;
}

Policy read_policy(const std::filesystem::path& path) {
  try {
    return parse_policy(results::read_file(path, results::kPolicyLimit), path.string());
  } catch (const Error&) {
    const std::string kind = results::kind_of_file(path);
    if (kind.empty() || kind == "a policy") throw;
    throw Error(kExitNotMeasured,
                fmt::format("{}: is {}, not a policy; name a TOML file such as ci/policy.toml",
                            path.string(), kind));
  }
}

Policy on_day(Policy policy, const std::string& today) {
  // Dates written like this are in the order of their letters.
  const auto expired = [&](const auto& each) {
    return !each.expires.empty() && each.expires < today;
  };
  for (const Policy::Override& change : policy.overrides) {
    if (!expired(change)) continue;
    policy.notes.push_back(fmt::format(
        "{}:{}: [[override]] of '{}' has expired on {} and no longer counts; take it out, or renew "
        "it",
        policy.name, change.place.line, change.benchmarks, change.expires));
  }
  for (const Policy::Limit& limit : policy.limits) {
    if (!expired(limit)) continue;
    policy.notes.push_back(
        fmt::format("{}:{}: [[limit]] of {} has expired on {} and no longer counts; take it out, "
                    "or renew it",
                    policy.name, limit.place.line, limit.metric, limit.expires));
  }
  std::erase_if(policy.overrides, expired);
  std::erase_if(policy.limits, expired);
  return policy;
}

Policy without_limits(Policy policy) {
  policy.limits.clear();
  return policy;
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
  }
  for (Policy::Override& change : policy.overrides) {
    if (!change.metrics.empty() && !names(change.metrics, metric)) continue;
    const auto own = change.relative_floor_against || has_its_own ? change.relative_floor_against
                                                                  : change.relative_floor;
    if (own) change.relative_floor_against = at_least(*own);
  }
  policy.metrics = std::move(metrics);
  return policy;
}

std::string idle_pattern(const Policy& policy, const std::vector<std::string>& ids) {
  const auto is_idle = [&](const std::string& pattern) {
    return std::none_of(ids.begin(), ids.end(),
                        [&](const std::string& id) { return matches(pattern, id); });
  };
  const auto message = [&](const char* table, const std::string& pattern, const Place& place) {
    return fmt::format(
        "{}:{}:{}: [[{}]] of '{}' matches no benchmark, of these results or of any "
        "baseline{}; fix the pattern, or take it out",
        policy.name, place.line, place.column, table, pattern, results::did_you_mean(pattern, ids));
  };
  for (const Policy::Override& change : policy.overrides) {
    if (is_idle(change.benchmarks)) return message("override", change.benchmarks, change.place);
  }
  for (const Policy::Floor& floor : policy.floors) {
    if (floor.benchmarks != "*" && is_idle(floor.benchmarks)) {
      return message("floor", floor.benchmarks, floor.place);
    }
  }
  for (const Policy::Limit& limit : policy.limits) {
    if (limit.benchmarks != "*" && is_idle(limit.benchmarks)) {
      return message("limit", limit.benchmarks, limit.place);
    }
  }
  return {};
}

void refuse_idle_patterns(const Policy& policy, const std::vector<std::string>& ids) {
  const std::string idle = idle_pattern(policy, ids);
  if (!idle.empty()) throw Error(kExitNotMeasured, idle);
}

std::string built_in_policy_text() {
  // They come last.
  const std::string_view whole = kPolicyToml;
  return std::string(whole.substr(0, whole.find("\n[[override]]")));
}

Policy built_in_policy() { return parse_policy(built_in_policy_text(), "built-in policy"); }

}  // namespace warpgauge::ci
