// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "ci/policy/policy_toml.hpp"
#include "ci/policy/rule_scope.hpp"
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
        "{}:{}: [[override]] of '{}' has expired on {} and no longer counts; remove or renew it",
        policy.name, change.place.line, change.benchmarks, change.expires));
  }
  for (const Policy::Limit& limit : policy.limits) {
    if (!expired(limit)) continue;
    policy.notes.push_back(fmt::format(
        "{}:{}: [[{}]] of {} has expired on {} and no longer counts; remove or renew it",
        policy.name, limit.place.line, limit.table(), limit.subject(), limit.expires));
  }
  std::erase_if(policy.overrides, expired);
  std::erase_if(policy.limits, expired);
  return policy;
}

namespace {

// All parts between slashes of those ids.
std::vector<std::string> parts_of(const std::vector<std::string>& ids) {
  std::set<std::string> parts;
  for (const std::string& id : ids) {
    std::istringstream stream(id);
    for (std::string part; std::getline(stream, part, '/');) parts.insert(part);
  }
  return {parts.begin(), parts.end()};
}

// Why a [[ratio]] finds no two benchmarks, of ids that its pattern matches; empty: it finds some.
std::string why_no_pair(const Policy::Limit& ratio, const std::vector<std::string>& ids) {
  const std::set<std::string> there(ids.begin(), ids.end());
  std::optional<std::string> alone;
  std::string missing;
  for (const std::string& id : ids) {
    const auto other = ratio.counterpart(id);
    if (!other) continue;
    if (there.contains(*other)) return {};
    if (!alone) {
      alone = id;
      missing = *other;
    }
  }
  if (alone) {
    return fmt::format("finds {}, but no {}{}", *alone, missing,
                       results::did_you_mean(missing, ids));
  }
  return fmt::format("finds no id with '{}' between slashes{}", ratio.variant,
                     results::did_you_mean(ratio.variant, parts_of(ids)));
}

}  // namespace

std::vector<std::string> idle_patterns(const Policy& policy, const std::vector<std::string>& ids) {
  std::vector<std::string> idle;
  const auto matched = [&](const std::string& pattern) {
    std::vector<std::string> some;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(some),
                 [&](const std::string& id) { return matches(pattern, id); });
    return some;
  };
  const auto add = [&](const char* table, const std::string& pattern, const Place& place) {
    idle.push_back(
        fmt::format("{}:{}:{}: [[{}]] of '{}' matches no benchmark in these results or any "
                    "baseline{}; fix the pattern, or remove it",
                    policy.name, place.line, place.column, table, pattern,
                    results::did_you_mean(pattern, ids)));
  };
  for (const Policy::Override& change : policy.overrides) {
    if (matched(change.benchmarks).empty()) add("override", change.benchmarks, change.place);
  }
  for (const Policy::Floor& floor : policy.floors) {
    if (floor.benchmarks != "*" && floor.command.empty() && matched(floor.benchmarks).empty()) {
      add("floor", floor.benchmarks, floor.place);
    }
  }
  for (const Policy::Limit& limit : policy.limits) {
    if (limit.benchmarks == "*" && !limit.is_ratio()) continue;
    const std::vector<std::string> some = matched(limit.benchmarks);
    if (some.empty()) {
      add(limit.table(), limit.benchmarks, limit.place);
    } else if (const std::string why = limit.is_ratio() ? why_no_pair(limit, some) : "";
               !why.empty()) {
      idle.push_back(
          fmt::format("{}:{}:{}: [[ratio]] of {} {}, in these results and all baselines; fix the "
                      "rule, or remove it",
                      policy.name, limit.place.line, limit.place.column, limit.subject(), why));
    }
  }
  return idle;
}

std::string idle_pattern(const Policy& policy, const std::vector<std::string>& ids) {
  std::vector<std::string> idle = idle_patterns(policy, ids);
  return idle.empty() ? std::string() : std::move(idle.front());
}

std::string idle_device(const Policy& policy, const std::vector<std::string>& keys) {
  for (const Policy::Limit& limit : policy.limits) {
    for (const std::string& device : limit.devices) {
      if (is_among(keys, device)) continue;
      return fmt::format(
          "{}:{}:{}: [[{}]] of {} is for '{}', and neither these results nor any baseline are from "
          "it{}; fix the name, or remove it",
          policy.name, limit.place.line, limit.place.column, limit.table(), limit.subject(), device,
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

bool Policy::may_be_absent(const std::string& benchmark, const std::string& metric) const {
  bool optional = false;
  for (const Override& change : overrides) {
    const bool is_meant = change.metrics.empty() || is_among(change.metrics, metric);
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

std::string built_in_policy_text() {
  // They come last.
  const std::string_view whole = kPolicyToml;
  return std::string(whole.substr(0, whole.find("\n[[override]]")));
}

Policy built_in_policy() { return parse_policy(built_in_policy_text(), "built-in policy"); }

}  // namespace warpgauge::ci
