// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/policy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ci/policy/policy_toml.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_pattern.hpp"
#include "profiling/results/file_kind.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

bool names(const std::vector<std::string>& list, const std::string& metric) {
  return std::find(list.begin(), list.end(), metric) != list.end();
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

Rule Policy::rule_for(const std::string& benchmark, const std::string& metric,
                      Design design) const {
  Rule rule;
  for (const Named& named : metrics) {
    if (names(named.names, metric)) rule = named.rule;
  }
  rule.own_class = rule.metric_class;
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
    if (change.absolute_floor) {
      rule.absolute_floor = *change.absolute_floor;
      rule.absolute_floor_place = change.place;
    }
    rule.changes.push_back({change.place, change.benchmarks, change.reason});
  }
  if (design == Design::interleaved && rule.relative_floor_against) {
    rule.relative_floor = *rule.relative_floor_against;
    rule.relative_floor_place = rule.relative_floor_against_place;
  }
  return rule;
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
  const auto expired = [&](const Policy::Override& change) {
    return !change.expires.empty() && change.expires < today;
  };
  for (const Policy::Override& change : policy.overrides) {
    if (!expired(change)) continue;
    policy.notes.push_back(fmt::format(
        "{}:{}: [[override]] of '{}' has expired on {} and no longer counts; take it out, or renew "
        "it",
        policy.name, change.place.line, change.benchmarks, change.expires));
  }
  std::erase_if(policy.overrides, expired);
  return policy;
}

void refuse_idle_overrides(const Policy& policy, const std::vector<std::string>& ids) {
  for (const Policy::Override& change : policy.overrides) {
    const auto matched = [&](const std::string& id) { return matches(change.benchmarks, id); };
    if (std::any_of(ids.begin(), ids.end(), matched)) continue;
    throw Error(
        kExitNotMeasured,
        fmt::format("{}:{}:{}: [[override]] of '{}' matches no benchmark, of these results or of "
                    "any baseline{}; fix the pattern, or take it out",
                    policy.name, change.place.line, change.place.column, change.benchmarks,
                    results::did_you_mean(change.benchmarks, ids)));
  }
}

Policy built_in_policy() {
  Policy policy = parse_policy(kPolicyToml, "built-in policy");
  policy.overrides.clear();
  return policy;
}

}  // namespace warpgauge::ci
