// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ci/policy/policy_toml.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "profiling/results/files/file_kind.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {

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
    const auto& meant = change.metrics;
    if (!meant.empty() && std::find(meant.begin(), meant.end(), metric) == meant.end()) continue;
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
    if (floor.benchmarks != "*" && floor.command.empty() && is_idle(floor.benchmarks)) {
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

std::string idle_device(const Policy& policy, const std::vector<std::string>& keys) {
  for (const Policy::Limit& limit : policy.limits) {
    for (const std::string& device : limit.devices) {
      if (std::find(keys.begin(), keys.end(), device) != keys.end()) continue;
      return fmt::format(
          "{}:{}:{}: [[limit]] of {} is for '{}', which neither these results nor any baseline are "
          "of{}; fix the name, or take it out",
          policy.name, limit.place.line, limit.place.column, limit.metric, device,
          results::did_you_mean(device, keys));
    }
  }
  return {};
}

void refuse_idle_patterns(const Policy& policy, const std::vector<std::string>& ids) {
  const std::string idle = idle_pattern(policy, ids);
  if (!idle.empty()) throw Error(kExitNotMeasured, idle);
}

void refuse_idle_devices(const Policy& policy, const std::vector<std::string>& keys) {
  const std::string idle = idle_device(policy, keys);
  if (!idle.empty()) throw Error(kExitNotMeasured, idle);
}

std::string built_in_policy_text() {
  // They come last.
  const std::string_view whole = kPolicyToml;
  return std::string(whole.substr(0, whole.find("\n[[override]]")));
}

Policy built_in_policy() { return parse_policy(built_in_policy_text(), "built-in policy"); }

}  // namespace warpgauge::ci
