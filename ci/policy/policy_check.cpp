// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/policy_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <utility>

#include "ci/policy/known_metrics.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// "policy.toml:12:1: …" is of line 12; without one it leads.
int line_of(const std::string& fault, const std::string& name) {
  int line = 0;
  if (!fault.starts_with(name + ":")) return line;
  const char* const begin = fault.data() + name.size() + 1;
  (void)std::from_chars(begin, fault.data() + fault.size(), line);
  return line;
}

// Of all limits, not of the first that has one.
std::vector<std::string> idle_devices(const Policy& policy, const std::vector<std::string>& keys) {
  std::vector<std::string> idle;
  for (const Policy::Limit& limit : policy.limits) {
    for (const std::string& device : limit.devices) {
      Policy one;
      one.name = policy.name;
      one.limits = {limit};
      one.limits.front().devices = {device};
      if (std::string text = idle_device(one, keys); !text.empty()) idle.push_back(std::move(text));
    }
  }
  return idle;
}

std::vector<std::string> ids_where(const std::vector<std::string>& ids,
                                   const std::function<bool(const std::string&)>& is_meant) {
  std::vector<std::string> found;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(found), is_meant);
  return found;
}

std::string bound_text(const Policy::Limit& limit) {
  return fmt::format("{} at {} {:g}", limit.subject(),
                     limit.bound == Policy::Bound::most ? "most" : "least", limit.value);
}

std::vector<RuleMatches> matches_of(const Policy& policy, const std::vector<std::string>& ids) {
  std::vector<RuleMatches> rules;
  const auto of_pattern = [&](const std::string& pattern) {
    return ids_where(ids, [&](const std::string& id) { return matches(pattern, id); });
  };
  for (const Policy::Floor& each : policy.floors) {
    if (each.benchmarks == "*") continue;
    rules.push_back({each.place.line,
                     fmt::format("[[floor]] '{}': {:g} % by {} clock", each.benchmarks,
                                 100 * each.relative_floor, to_string(each.clock)),
                     of_pattern(each.benchmarks)});
  }
  for (const Policy::Limit& each : policy.limits) {
    rules.push_back(
        {each.place.line,
         fmt::format("[[{}]] '{}': {}", each.table(), each.benchmarks, bound_text(each)),
         ids_where(ids, [&](const std::string& id) { return each.is_about(id); })});
  }
  for (const Policy::Override& each : policy.overrides) {
    rules.push_back(
        {each.place.line,
         fmt::format("[[override]] '{}': {}", each.benchmarks,
                     each.metrics.empty() ? std::string("all metrics") : some_of(each.metrics, 3)),
         of_pattern(each.benchmarks)});
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return rules;
}

}  // namespace

PolicyCheck check_policy(std::string_view text, const std::string& name,
                         const KnownBenchmarks& known, const std::string& today) {
  PolicyReading reading = read_with_mistakes(text, name);
  const bool is_whole = reading.mistakes.empty();
  PolicyCheck check;
  check.name = name;
  check.has_benchmarks = !known.ids.empty();
  check.faults = std::move(reading.mistakes);
  check.rules = matches_of(reading.policy, known.ids);
  const Policy policy = on_day(std::move(reading.policy), today);
  check.notes = policy.notes;
  if (check.has_benchmarks) {
    // What was not read might be the [[metric]] that has a name.
    auto unknown = is_whole ? unknown_metrics(policy, known.metrics) : std::vector<std::string>();
    for (const auto& some : {idle_patterns(policy, known.ids), idle_devices(policy, known.devices),
                             std::move(unknown)}) {
      check.faults.insert(check.faults.end(), some.begin(), some.end());
    }
    for (std::string& remark : idle_floors(policy, known.devices)) {
      check.notes.push_back(std::move(remark));
    }
  }
  std::stable_sort(check.faults.begin(), check.faults.end(), [&](const auto& a, const auto& b) {
    return line_of(a, name) < line_of(b, name);
  });
  return check;
}

std::string to_text(const PolicyCheck& check) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (const std::string& fault : check.faults) text += one_line(fault) + '\n';
  for (const std::string& note : check.notes) text += "note: " + one_line(note) + '\n';
  if (check.has_benchmarks) {
    for (const RuleMatches& each : check.rules) {
      text += fmt::format("line {}: {}: {}\n", each.line, one_line(each.rule),
                          each.ids.empty()
                              ? std::string("no benchmark")
                              : fmt::format("{}: {}", counted(each.ids.size(), "benchmark"),
                                            one_line(some_of(each.ids, kMostNamed))));
    }
  } else if (!check.rules.empty()) {
    text +=
        "Its patterns are not checked: name results with --results, or a folder of baselines "
        "with --baselines.\n";
  }
  return text + fmt::format(
                    "{}: {}\n", check.name,
                    check.faults.empty() ? "no mistakes" : counted(check.faults.size(), "mistake"));
}

}  // namespace warpgauge::ci
