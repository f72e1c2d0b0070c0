// SPDX-License-Identifier: Apache-2.0
// Reads a policy from its TOML. An unknown or wrong key is an error that names its place.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>

#include "ci/policy/limits/limit_reader.hpp"
#include "ci/policy/policy.hpp"
#include "ci/policy/toml_reader.hpp"
#include "ci/policy/toml_text.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "profiling/results/nearest.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {
namespace {

class Reader : private TomlReader {
 public:
  explicit Reader(const std::string& name, std::vector<std::string>* mistakes = nullptr)
      : TomlReader(name, mistakes) {}

  Policy read(std::string_view text) {
    Policy policy;
    policy.name = name_;
    attempt([&] { read(parsed(text), policy); });
    return policy;
  }

 private:
  void read(const toml::table& root, Policy& policy) {
    refuse_unknown(root, {"alpha", "beta", "same_code_limit", "creep_limit", "counter_limit",
                          "least_share", "max_age", "controls", "processes", "most_processes",
                          "budget", "metric", "floor", "limit", "ratio", "override"});
    read_settings(root, policy);
    each_of(root, "metric",
            [&](const toml::table& table) { policy.metrics.push_back(metric(table)); });
    each_of(root, "floor", [&](const toml::table& table) {
      policy.floors.push_back(floor_of(table));
      refuse_second(policy.floors);
    });
    LimitReader limits(name_, mistakes_);
    each_of(root, "limit",
            [&](const toml::table& table) { limits.add_limit(table, policy.limits); });
    each_of(root, "ratio",
            [&](const toml::table& table) { limits.add_ratio(table, policy.limits); });
    for (const Policy::Limit& limit : policy.limits) {
      named_.try_emplace(limit.metric, MetricClass::shown);
    }
    each_of(root, "override", [&](const toml::table& table) {
      policy.overrides.push_back(override_of(table));
      refuse_contradiction(policy.overrides);
    });
    // An empty file, for example: a gate would pass whatever it measured.
    if (policy.metrics.empty() && policy.limits.empty()) {
      throw Error(kExitNotMeasured,
                  fmt::format("{}: no [[metric]], so that nothing would be gated; give a whole "
                              "policy, such as warpgauge policy show prints",
                              name_));
    }
  }

  template <class Add>
  void each_of(const toml::table& root, const char* key, const Add& add) {
    attempt([&] {
      for (const toml::table* table : tables(root, key)) attempt([&] { add(*table); });
    });
  }

  void read_settings(const toml::table& root, Policy& policy) {
    attempt([&] { policy.alpha = chance(root, "alpha", policy.alpha); });
    attempt([&] { policy.beta = chance(root, "beta", policy.beta); });
    attempt(
        [&] { policy.same_code_limit = chance(root, "same_code_limit", policy.same_code_limit); });
    attempt([&] {
      policy.counter_limit = share(root, "counter_limit").value_or(policy.counter_limit);
    });
    attempt([&] { policy.least_share = chance(root, "least_share", policy.least_share); });
    attempt([&] { policy.creep_limit = chance(root, "creep_limit", policy.creep_limit); });
    attempt([&] { policy.controls = texts(root, "controls"); });
    attempt([&] {
      if (root.contains("max_age")) policy.max_age = count(root, "max_age", 0, 10'000);
    });
    attempt([&] { policy.processes = count(root, "processes", policy.processes); });
    attempt([&] {
      policy.most_processes =
          count(root, "most_processes", std::max(policy.processes, policy.most_processes));
    });
    attempt([&] { policy.budget_s = count(root, "budget", policy.budget_s, 86'400); });
    if (policy.most_processes < policy.processes) {
      attempt([&] {
        fail(root.get("most_processes")->source(),
             "most_processes must not be less than processes");
      });
    }
  }

  toml::table parsed(std::string_view text) const {
    if (const auto place = stray_character(text)) {
      throw Error(
          kExitNotMeasured,
          fmt::format("{}: a character that is not ASCII outside of strings and comments, or at "
                      "the beginning of a continued line; put it in quotes, or take it out",
                      at(name_, *place)));
    }
    if (const auto place = key_too_deep(text)) {
      throw Error(kExitNotMeasured,
                  fmt::format("{}: a key of more than 8 parts; no key of a policy "
                              "has more than one",
                              at(name_, *place)));
    }
    try {
      (void)toml::parse(with_ascii_only(text));
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      fail(error.source(), std::string(error.description()));
    }
  }

  Policy::Named metric(const toml::table& table) {
    refuse_unknown(table, {"names", "class", "direction", "relative_floor", "absolute_floor",
                           "relative_floor_against", "resolution", "optional"});
    Policy::Named named{metric_names(table, "names"), {}};
    if (named.names.empty()) fail(table.source(), "[[metric]] needs names");
    for (const std::string& name : named.names) {
      if (!named_.try_emplace(name).second) {
        fail(table.get("names")->source(), fmt::format("metric '{}' is named twice", name));
      }
    }
    Rule& rule = named.rule;
    const auto metric_class = text(table, "class");
    if (!metric_class) fail(table.source(), "[[metric]] needs a class");
    if (*metric_class == "exact") {
      rule.metric_class = MetricClass::exact;
    } else if (*metric_class == "statistical") {
      rule.metric_class = MetricClass::statistical;
    } else if (*metric_class != "shown") {
      fail(table.get("class")->source(),
           fmt::format("class '{}' is not one of exact, statistical, shown", *metric_class));
    }
    if (const auto direction = text(table, "direction")) {
      if (*direction != "lower" && *direction != "higher") {
        fail(table.get("direction")->source(),
             fmt::format("direction '{}' is not one of lower, higher", *direction));
      }
      rule.better = *direction == "lower" ? Better::lower : Better::higher;
    }
    for (const char* key :
         {"relative_floor", "relative_floor_against", "absolute_floor", "resolution"}) {
      if (table.contains(key) && rule.metric_class != MetricClass::statistical) {
        fail(table.get(key)->source(),
             fmt::format("{} is for the class statistical; an exact metric has no tolerance", key));
      }
    }
    for (const std::string& name : named.names) named_[name] = rule.metric_class;
    rule.relative_floor = share(table, "relative_floor").value_or(0);
    rule.relative_floor_against = share(table, "relative_floor_against");
    rule.absolute_floor = number(table, "absolute_floor").value_or(0);
    rule.resolution = number(table, "resolution").value_or(0);
    rule.place = place_of(table.source());
    rule.relative_floor_place = rule.relative_floor_against_place = rule.absolute_floor_place =
        rule.place;
    rule.optional = flag(table, "optional").value_or(false);
    return named;
  }

  // Each measured metric is looked up in them.
  std::vector<std::string> metric_names(const toml::table& table, const char* key) {
    constexpr std::size_t kMost = 10'000;
    std::vector<std::string> names = texts(table, key);
    names_ += names.size();
    if (names_ > kMost) {
      fail(table.get(key)->source(),
           fmt::format("more than {} names of metrics in all; gate fewer", kMost));
    }
    return names;
  }

  // An override that names metrics must change something that they have.
  void check_metrics(const toml::table& table) const {
    const toml::array* list = table.get_as<toml::array>("metrics");
    if (list == nullptr) return;
    std::vector<std::string> known;
    for (const auto& [name, metric_class] : named_) known.push_back(name);
    for (const toml::node& element : *list) {
      const auto metric = element.value_or(std::string());
      const auto found = named_.find(metric);
      if (found == named_.end()) {
        fail(element.source(), fmt::format("no [[metric]] names '{}'{}", metric,
                                           results::did_you_mean(metric, known)));
      }
      if (found->second == MetricClass::statistical) continue;
      for (const char* key : kFloors) {
        if (!table.contains(key)) continue;
        fail(table.get(key)->source(),
             fmt::format("{} is for the class statistical, which '{}' is not", key, metric));
      }
    }
  }

  Policy::Floor floor_of(const toml::table& table) const {
    refuse_unknown(table, {"clock", "devices", "benchmarks", "command", "relative_floor",
                           "relative_floor_against", "absolute_floor", "resolution", "measured",
                           "steady_relative_floor", "steady_absolute_floor", "steady_resolution"});
    Policy::Floor floor;
    floor.place = place_of(table.source());
    const auto clock = text(table, "clock");
    if (!clock) fail(table.source(), "[[floor]] needs a clock: gpu, event, cpu or program");
    const std::array clocks{Clock::gpu, Clock::event, Clock::cpu, Clock::program};
    const auto found = std::find_if(clocks.begin(), clocks.end(),
                                    [&](Clock each) { return to_string(each) == *clock; });
    if (found == clocks.end()) {
      fail(table.get("clock")->source(),
           fmt::format("clock '{}' is not one of gpu, event, cpu, program", *clock));
    }
    floor.clock = *found;
    floor.devices = devices(table);
    floor.benchmarks = pattern(table, "benchmarks").value_or(floor.benchmarks);
    floor.command = text(table, "command").value_or("");
    if (table.contains("command") && floor.clock != Clock::program) {
      fail(table.get("command")->source(),
           "command is for a program that is not a suite: its clock is \"program\"");
    }
    const auto relative_floor = share(table, "relative_floor");
    if (!relative_floor) fail(table.source(), "[[floor]] needs a relative_floor");
    floor.relative_floor = *relative_floor;
    floor.relative_floor_against = share(table, "relative_floor_against");
    floor.absolute_floor = number(table, "absolute_floor").value_or(0);
    floor.resolution = number(table, "resolution").value_or(0);
    floor.steady = steady_of(table, floor);
    floor.measured = text(table, "measured").value_or("");
    return floor;
  }

  std::optional<SteadyFloors> steady_of(const toml::table& table,
                                        const Policy::Floor& usual) const {
    const auto relative_floor = share(table, "steady_relative_floor");
    for (const char* key : {"steady_absolute_floor", "steady_resolution"}) {
      if (relative_floor || !table.contains(key)) continue;
      fail(table.get(key)->source(),
           fmt::format("{} needs a steady_relative_floor beside it", key));
    }
    if (!relative_floor) return std::nullopt;
    const auto no_higher = [&](const char* key, double value, const char* other, double usually) {
      if (value <= usually) return;
      fail(table.get(key)->source(),
           fmt::format("{} {:g} is above {} {:g}, which holds where nothing is steady: lower it",
                       key, value, other, usually));
    };
    const SteadyFloors steady{*relative_floor,
                              number(table, "steady_absolute_floor").value_or(usual.absolute_floor),
                              number(table, "steady_resolution").value_or(usual.resolution)};
    no_higher("steady_relative_floor", steady.relative_floor,
              usual.relative_floor_against ? "relative_floor_against" : "relative_floor",
              usual.relative_floor_against.value_or(usual.relative_floor));
    no_higher("steady_absolute_floor", steady.absolute_floor, "absolute_floor",
              usual.absolute_floor);
    no_higher("steady_resolution", steady.resolution, "resolution", usual.resolution);
    return steady;
  }

  // Of two for the same, one was forgotten.
  void refuse_second(const std::vector<Policy::Floor>& floors) const {
    const Policy::Floor& last = floors.back();
    for (const Policy::Floor& other : floors) {
      if (&other == &last || other.clock != last.clock || other.benchmarks != last.benchmarks ||
          other.devices != last.devices || other.command != last.command) {
        continue;
      }
      throw Error(
          kExitNotMeasured,
          fmt::format(
              "{}: [[floor]] has the same clock, devices and benchmarks as line {}; keep one",
              at(name_, last.place), other.place.line));
    }
  }

  Policy::Override override_of(const toml::table& table) {
    refuse_unknown(table,
                   {"benchmarks", "metrics", "gate", "optional", "critical", "relative_floor",
                    "relative_floor_against", "absolute_floor", "expires", "reason"});
    Policy::Override change;
    change.place = place_of(table.source());
    const auto benchmarks = pattern(table, "benchmarks");
    if (!benchmarks) fail(table.source(), "[[override]] needs benchmarks, a pattern of ids");
    change.benchmarks = *benchmarks;
    change.metrics = metric_names(table, "metrics");
    change.gate = flag(table, "gate");
    change.optional = flag(table, "optional");
    change.critical = flag(table, "critical");
    change.relative_floor = share(table, "relative_floor");
    change.relative_floor_against = share(table, "relative_floor_against");
    change.absolute_floor = number(table, "absolute_floor");
    change.reason = text(table, "reason").value_or("");
    change.expires = date(table, "expires");
    const bool softens = change.gate == false || change.optional == true;
    if (softens && change.reason.empty()) {
      fail(table.source(),
           fmt::format("[[override]] of '{}' gates less and needs a reason", change.benchmarks));
    }
    check_metrics(table);
    for (const char* key : kFloors) {
      if (change.gate == false && table.contains(key)) {
        fail(table.get(key)->source(),
             fmt::format("{} means nothing beside gate = false; leave out one of them", key));
      }
    }
    if (change.critical && (!change.metrics.empty() || change.gate == false)) {
      fail(table.get("critical")->source(),
           fmt::format("critical is for whole benchmarks that are gated; leave out {}",
                       change.metrics.empty() ? "gate = false" : "metrics"));
    }
    return change;
  }

  // Of two overrides of the same benchmarks and metrics that contradict each other, one was
  // forgotten. One that expires may stand beside one that lasts.
  void refuse_contradiction(const std::vector<Policy::Override>& overrides) const {
    const Policy::Override& last = overrides.back();
    const std::set<std::string> metrics(last.metrics.begin(), last.metrics.end());
    const auto differ = [](const auto& a, const auto& b) { return a && b && *a != *b; };
    for (const Policy::Override& other : overrides) {
      if (other.benchmarks != last.benchmarks || other.expires != last.expires ||
          metrics != std::set<std::string>(other.metrics.begin(), other.metrics.end())) {
        continue;
      }
      const char* key = differ(other.gate, last.gate)                       ? "gate"
                        : differ(other.optional, last.optional)             ? "optional"
                        : differ(other.critical, last.critical)             ? "critical"
                        : differ(other.relative_floor, last.relative_floor) ? "relative_floor"
                        : differ(other.relative_floor_against, last.relative_floor_against)
                            ? "relative_floor_against"
                        : differ(other.absolute_floor, last.absolute_floor) ? "absolute_floor"
                                                                            : nullptr;
      if (key == nullptr) continue;
      throw Error(kExitNotMeasured,
                  fmt::format("{}: [[override]] of '{}' sets {} differently than line {}, for the "
                              "same metrics; keep one",
                              at(name_, last.place), last.benchmarks, key, other.place.line));
    }
  }

  static constexpr std::array kFloors{"relative_floor", "relative_floor_against", "absolute_floor"};

  std::map<std::string, MetricClass> named_;
  std::size_t names_ = 0;  // in all lists of them
};

}  // namespace

Policy parse_policy(std::string_view text, const std::string& name) {
  return Reader(name).read(text);
}

PolicyReading read_with_mistakes(std::string_view text, const std::string& name) {
  PolicyReading reading;
  reading.policy = Reader(name, &reading.mistakes).read(text);
  return reading;
}

}  // namespace warpgauge::ci
