// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/policy_diff.hpp"
#include "ci/support/id_glob.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using Kind = PolicyEdit::Kind;
using Ids = std::vector<std::string>;

// One effect: its direction and what changes. Its metrics and ids are collected beside it.
struct Effect {
  Kind kind = Kind::changes;
  std::string change;  // "relative_floor 4 % → 10 %"
  std::string reason;  // that the new policy gives

  friend auto operator<=>(const Effect& a, const Effect& b) {
    return std::tie(a.kind, a.change, a.reason) <=> std::tie(b.kind, b.change, b.reason);
  }
};

template <class Value>
Kind kind_of(const Value& before, const Value& after) {
  return after > before ? Kind::loosens : Kind::tightens;
}

int strictness(MetricClass metric_class) {
  switch (metric_class) {
    case MetricClass::shown:
      return 0;
    case MetricClass::statistical:
      return 1;
    case MetricClass::exact:
      return 2;
  }
  return 0;
}

std::string name_of(MetricClass metric_class) {
  return metric_class == MetricClass::shown ? "not gated" : "gated as " + to_string(metric_class);
}

std::string yes_or_no(bool value) { return value ? "true" : "false"; }

// The floors of interleaved sides: without steady ones, those that hold however well they repeat.
SteadyFloors steady_or_usual(const Rule& rule) {
  return rule.steady.value_or(
      SteadyFloors{rule.relative_floor_against.value_or(rule.relative_floor), rule.absolute_floor,
                   rule.resolution});
}

std::vector<Effect> effects(const Rule& before, const Rule& after) {
  std::vector<Effect> found;
  const std::string reason = after.changes.empty() ? "" : after.changes.back().reason;
  const auto add = [&](Kind kind, std::string change) {
    found.push_back({kind, std::move(change), reason});
  };
  if (before.metric_class != after.metric_class) {
    add(kind_of(strictness(after.metric_class), strictness(before.metric_class)),
        fmt::format("{} → {}", name_of(before.metric_class), name_of(after.metric_class)));
    return found;
  }
  if (!after.gated()) return found;
  if (before.better != after.better) {
    add(Kind::changes, fmt::format("direction: {} is better now",
                                   after.better == Better::lower ? "lower" : "higher"));
  }
  if (before.optional != after.optional) {
    add(kind_of(before.optional, after.optional),
        fmt::format("optional {} → {}", yes_or_no(before.optional), yes_or_no(after.optional)));
  }
  if (after.metric_class != MetricClass::statistical) return found;  // the rest has no effect
  const auto add_share = [&](const char* name, double then, double now) {
    if (then == now) return;
    add(kind_of(then, now), fmt::format("{} {:.4g} % → {:.4g} %", name, 100 * then, 100 * now));
  };
  add_share("relative_floor", before.relative_floor, after.relative_floor);
  // If it is not given it is the other floor, whose own edit is named.
  const double then_against = before.relative_floor_against.value_or(before.relative_floor);
  const double now_against = after.relative_floor_against.value_or(after.relative_floor);
  if (before.relative_floor_against != after.relative_floor_against) {
    add_share("relative_floor_against", then_against, now_against);
  }
  const auto add_change = [&](const char* name, double then, double now) {
    if (then != now) add(kind_of(then, now), fmt::format("{} {:g} → {:g}", name, then, now));
  };
  add_change("absolute_floor", before.absolute_floor, after.absolute_floor);
  add_change("resolution", before.resolution, after.resolution);
  if (before.steady == after.steady) return found;
  const SteadyFloors then = steady_or_usual(before);
  const SteadyFloors now = steady_or_usual(after);
  add_share("steady_relative_floor", then.relative_floor, now.relative_floor);
  add_change("steady_absolute_floor", then.absolute_floor, now.absolute_floor);
  add_change("steady_resolution", then.resolution, now.resolution);
  return found;
}

std::vector<std::string> metrics_of(const Policy& before, const Policy& after) {
  std::set<std::string> metrics;
  for (const Policy* policy : {&before, &after}) {
    for (const Policy::Named& named : policy->metrics) {
      metrics.insert(named.names.begin(), named.names.end());
    }
  }
  return {metrics.begin(), metrics.end()};
}

std::vector<std::string> patterns_of(const Policy& policy) {
  std::vector<std::string> patterns;
  for (const Policy::Override& each : policy.overrides) patterns.push_back(each.benchmarks);
  for (const Policy::Limit& each : policy.limits) patterns.push_back(each.benchmarks);
  return patterns;
}

// The ids in few words: all; the pattern of an override or a limit that matches exactly these; or
// names.
std::string described(const Ids& some, const Ids& all, const Policy& before, const Policy& after) {
  if (some.size() == all.size()) return "all benchmarks";
  for (const Policy* policy : {&after, &before}) {
    for (const std::string& pattern : patterns_of(*policy)) {
      const auto matched = [&](const std::string& id) { return matches(pattern, id); };
      const bool just_these =
          static_cast<std::size_t>(std::count_if(all.begin(), all.end(), matched)) == some.size() &&
          std::all_of(some.begin(), some.end(), matched);
      if (just_these) return pattern;
    }
  }
  return some.size() == 1 ? some.front()
                          : fmt::format("{} and {} more", some.front(), some.size() - 1);
}

// A GPU's timestamps on a device that no [[floor]] names come first: a change there is a change
// elsewhere, too.
std::vector<Timing> timings_of(const Policy& before, const Policy& after) {
  constexpr const char* kOther = "*";
  std::vector<Timing> timings{{.clock = Clock::gpu, .device = kOther}};
  std::set<std::tuple<Clock, std::string, std::string>> known;
  for (const Policy* policy : {&before, &after}) {
    for (const Policy::Floor& floor : policy->floors) {
      known.insert({floor.clock, kOther, floor.command});
      for (const std::string& device : floor.devices) {
        known.insert({floor.clock, device, floor.command});
      }
    }
  }
  known.erase({Clock::gpu, kOther, ""});
  for (const auto& [clock, device, command] : known) {
    timings.push_back({.clock = clock, .device = device, .command = command});
  }
  return timings;
}

// "time by cpu clock on h200", of what is not said of all.
std::string name_of(const std::string& metric, const Timing& timing, bool is_first) {
  if (is_first) return metric;
  return fmt::format("{} by {} clock{}{}", metric, to_string(timing.clock),
                     timing.device == "*" ? "" : " on " + timing.device,
                     timing.command.empty() ? "" : " of " + timing.command);
}

using BoundedMetric = std::pair<std::string, Policy::Bound>;
using Limits = std::map<BoundedMetric, const Policy::Limit*>;

Limits limits_of(const Policy& policy, const std::string& id, const std::string& device) {
  Limits limits;
  for (const Policy::Limit* limit : policy.limits_for(id, device)) {
    limits[{limit->subject(), limit->bound}] = limit;
  }
  return limits;
}

// "at most 64", "no limit".
std::string name_of(Policy::Bound bound, const Policy::Limit* limit) {
  if (limit == nullptr) return "no limit";
  return fmt::format("at {} {:g}", bound == Policy::Bound::most ? "most" : "least", limit->value);
}

// At least one is there.
std::optional<Effect> effect_of(Policy::Bound bound, const Policy::Limit* before,
                                const Policy::Limit* after) {
  if (before != nullptr && after != nullptr && before->value == after->value) return std::nullopt;
  Kind kind = after == nullptr ? Kind::loosens : Kind::tightens;
  if (before != nullptr && after != nullptr) {
    kind = bound == Policy::Bound::most ? kind_of(before->value, after->value)
                                        : kind_of(after->value, before->value);
  }
  return Effect{kind, fmt::format("{} → {}", name_of(bound, before), name_of(bound, after)),
                after == nullptr ? "" : after->reason};
}

std::map<Effect, Ids> limit_effects(const Policy& before, const Policy& after, const Ids& ids,
                                    const std::string& device, const BoundedMetric& of) {
  const auto find = [&](const Limits& limits) {
    const auto found = limits.find(of);
    return found == limits.end() ? nullptr : found->second;
  };
  std::map<Effect, Ids> effects;
  for (const std::string& id : ids) {
    const Policy::Limit* then = find(limits_of(before, id, device));
    const Policy::Limit* now = find(limits_of(after, id, device));
    if (then == nullptr && now == nullptr) continue;
    if (const auto effect = effect_of(of.second, then, now)) effects[*effect].push_back(id);
  }
  return effects;
}

// On a device that no limit names, and on each that one does where it is another there.
std::vector<PolicyEdit> edits_of_limits(const Policy& before, const Policy& after, const Ids& ids) {
  std::set<std::string> devices;
  std::set<BoundedMetric> metrics;
  for (const Policy* policy : {&before, &after}) {
    for (const Policy::Limit& limit : policy->limits) {
      devices.insert(limit.devices.begin(), limit.devices.end());
      metrics.insert({limit.subject(), limit.bound});
    }
  }
  std::vector<PolicyEdit> edits;
  for (const BoundedMetric& each : metrics) {
    const auto elsewhere = limit_effects(before, after, ids, "*", each);
    const auto add = [&](const std::map<Effect, Ids>& effects, const std::string& where) {
      for (const auto& [effect, some] : effects) {
        edits.push_back(
            {effect.kind, fmt::format("{}{} of {}: {}{}", each.first, where,
                                      described(some, ids, before, after), effect.change,
                                      effect.reason.empty() ? "" : ", reason: " + effect.reason)});
      }
    };
    add(elsewhere, "");
    for (const std::string& device : devices) {
      auto effects = limit_effects(before, after, ids, device, each);
      std::erase_if(effects, [&](const auto& effect) {
        const auto said = elsewhere.find(effect.first);
        return said != elsewhere.end() && said->second == effect.second;
      });
      add(effects, " on " + device);
    }
  }
  return edits;
}

// Of the benchmarks, as the two policies are on one day.
std::vector<PolicyEdit> edits_by_effect(const Policy& before, const Policy& after, const Ids& ids) {
  std::map<Effect, std::map<Ids, std::vector<std::string>>> metrics_by_ids;
  const std::vector<Timing> timings = timings_of(before, after);
  for (const std::string& metric : metrics_of(before, after)) {
    std::map<Effect, Ids> of_all;
    for (const Timing& timing : timings) {
      const bool is_first = &timing == &timings.front();
      std::map<Effect, Ids> of_metric;
      for (const std::string& id : ids) {
        for (const Effect& effect :
             effects(before.rule_for(id, metric, timing), after.rule_for(id, metric, timing))) {
          of_metric[effect].push_back(id);
        }
      }
      if (is_first) of_all = of_metric;
      for (auto& [effect, some] : of_metric) {
        const auto said = of_all.find(effect);
        if (!is_first && said != of_all.end() && said->second == some) continue;
        metrics_by_ids[effect][some].push_back(name_of(metric, timing, is_first));
      }
    }
  }
  std::vector<PolicyEdit> edits;
  for (const auto& [effect, by_ids] : metrics_by_ids) {
    for (const auto& [some, metrics] : by_ids) {
      edits.push_back(
          {effect.kind, fmt::format("{} of {}: {}{}", fmt::join(metrics, ", "),
                                    described(some, ids, before, after), effect.change,
                                    effect.reason.empty() ? "" : ", reason: " + effect.reason)});
    }
  }
  std::map<bool, Ids> critical;
  for (const std::string& id : ids) {
    const bool now = after.is_critical(id);
    if (now != before.is_critical(id)) critical[now].push_back(id);
  }
  for (const auto& [now, some] : critical) {
    edits.push_back({now ? Kind::tightens : Kind::loosens,
                     fmt::format("{}: {}", described(some, ids, before, after),
                                 now ? "critical now" : "not critical any more")});
  }
  for (PolicyEdit& edit : edits_of_limits(before, after, ids)) edits.push_back(std::move(edit));
  return edits;
}

std::vector<PolicyEdit> edits_of_the_whole(const Policy& before, const Policy& after) {
  std::vector<PolicyEdit> edits;
  // Fewer false alarms mean more that is missed.
  if (before.alpha != after.alpha) {
    edits.push_back({kind_of(after.alpha, before.alpha),
                     fmt::format("alpha {:g} → {:g}", before.alpha, after.alpha)});
  }
  if (before.beta != after.beta) {
    edits.push_back({kind_of(before.beta, after.beta),
                     fmt::format("beta {:g} → {:g}", before.beta, after.beta)});
  }
  for (const auto& [name, then, now] :
       {std::tuple("same_code_limit", before.same_code_limit, after.same_code_limit),
        std::tuple("least_share", before.least_share, after.least_share),
        std::tuple("creep_limit", before.creep_limit, after.creep_limit)}) {
    if (then == now) continue;
    edits.push_back({kind_of(then, now), fmt::format("{} {:g} → {:g}", name, then, now)});
  }
  if (before.counter_limit != after.counter_limit) {
    edits.push_back(
        {kind_of(before.counter_limit, after.counter_limit),
         fmt::format("counter_limit {:g} → {:g}", before.counter_limit, after.counter_limit)});
  }
  if (before.max_age != after.max_age) {
    const auto days = [](const std::optional<int>& age) {
      return age ? fmt::format("{} days", *age) : std::string("none");
    };
    const bool longer = before.max_age && (!after.max_age || *after.max_age > *before.max_age);
    edits.push_back({longer ? Kind::loosens : Kind::tightens,
                     fmt::format("max_age {} → {}", days(before.max_age), days(after.max_age))});
  }
  if (before.controls != after.controls) {
    edits.push_back(
        {Kind::changes, fmt::format("controls: {} → {}", fmt::join(before.controls, ", "),
                                    fmt::join(after.controls, ", "))});
  }
  for (const auto& [name, then, now] :
       {std::tuple("processes", before.processes, after.processes),
        std::tuple("most_processes", before.most_processes, after.most_processes),
        std::tuple("budget", before.budget_s, after.budget_s)}) {
    if (then != now) edits.push_back({Kind::changes, fmt::format("{} {} → {}", name, then, now)});
  }
  return edits;
}

}  // namespace

std::vector<PolicyEdit> policy_edits(const Policy& before, const Policy& after, const Ids& ids,
                                     const std::string& today) {
  std::vector<PolicyEdit> edits = edits_of_the_whole(before, after);
  std::set<std::string> last_days;
  for (const Policy* policy : {&before, &after}) {
    const auto take = [&](const auto& each) {
      if (!each.expires.empty() && each.expires >= today) last_days.insert(each.expires);
    };
    for (const Policy::Override& each : policy->overrides) take(each);
    for (const Policy::Limit& each : policy->limits) take(each);
  }
  std::set<std::pair<Kind, std::string>> known;
  const auto add = [&](const std::string& day, const std::string& suffix) {
    for (PolicyEdit& edit : edits_by_effect(on_day(before, day), on_day(after, day), ids)) {
      if (!known.insert({edit.kind, edit.what}).second) continue;
      edits.push_back({edit.kind, edit.what + suffix});
    }
  };
  add(today, "");
  // Sorted as text, "2026-12-31~" comes after that day and before the next.
  for (const std::string& day : last_days) add(day + "~", ", after " + day);
  std::stable_sort(edits.begin(), edits.end(),
                   [](const auto& a, const auto& b) { return a.kind < b.kind; });
  return edits;
}

}  // namespace warpgauge::ci
