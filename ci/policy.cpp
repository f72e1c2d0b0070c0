// SPDX-License-Identifier: Apache-2.0
#include "ci/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "ci/errors.hpp"
#include "ci/policy_toml.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Policy read(std::string_view text) {
    Policy policy;
    toml::table root;
    try {
      root = toml::parse(text);
    } catch (const toml::parse_error& error) {
      fail(error.source(), std::string(error.description()));
    }
    refuse_unknown(root, {"alpha", "beta", "processes", "most_processes", "metric", "override"});
    policy.alpha = chance(root, "alpha", policy.alpha);
    policy.beta = chance(root, "beta", policy.beta);
    policy.processes = process_count(root, "processes", policy.processes);
    policy.most_processes =
        process_count(root, "most_processes", std::max(policy.processes, policy.most_processes));
    if (policy.most_processes < policy.processes) {
      fail(root.get("most_processes")->source(), "most_processes must not be less than processes");
    }
    for (const toml::table* table : tables(root, "metric"))
      policy.metrics.push_back(metric(*table));
    for (const toml::table* table : tables(root, "override")) {
      policy.overrides.push_back(override_of(*table));
    }
    // An empty file, say, which a gate would pass whatever it measured.
    if (policy.metrics.empty()) {
      throw Error(kExitNotMeasured,
                  fmt::format("{}: no [[metric]], so that nothing would be gated; give a whole "
                              "policy, such as Warpgauge's own ci/policy.toml",
                              name_));
    }
    return policy;
  }

 private:
  [[noreturn]] void fail(const toml::source_region& where, const std::string& what) const {
    throw Error(kExitNotMeasured,
                fmt::format("{}:{}:{}: {}", name_, where.begin.line, where.begin.column, what));
  }

  void refuse_unknown(const toml::table& table,
                      std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      fail(key.source(),
           fmt::format("unknown key '{}'; known here: {}", key.str(), fmt::join(known, ", ")));
    }
  }

  std::vector<const toml::table*> tables(const toml::table& root, const char* key) const {
    std::vector<const toml::table*> found;
    const toml::node* node = root.get(key);
    if (node == nullptr) return found;
    if (!node->is_array_of_tables()) {
      fail(node->source(), fmt::format("'{}' must be written as [[{}]]", key, key));
    }
    for (const toml::node& element : *node->as_array()) found.push_back(element.as_table());
    return found;
  }

  std::optional<double> number(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !(*value >= 0) || *value > 1e18) {
      fail(node->source(), fmt::format("{} must be a number of at least 0", key));
    }
    return value;
  }

  std::optional<bool> flag(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_boolean()) fail(node->source(), fmt::format("{} must be true or false", key));
    return node->value<bool>();
  }

  std::optional<std::string> text(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    auto value = node->value_exact<std::string>();
    if (!value || value->empty()) {
      fail(node->source(), fmt::format("{} must be a string that is not empty", key));
    }
    return value;
  }

  int process_count(const toml::table& table, const char* key, int usual) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return usual;
    const auto count = node->value_exact<int64_t>();
    if (!count || *count < 1 || *count > 1000) {
      fail(node->source(), fmt::format("{} must be a whole number from 1 to 1000", key));
    }
    return static_cast<int>(*count);
  }

  double chance(const toml::table& table, const char* key, double usual) const {
    const double value = number(table, key).value_or(usual);
    if (value <= 0 || value >= 0.5) {
      fail(table.get(key)->source(), fmt::format("{} must lie between 0 and 0.5", key));
    }
    return value;
  }

  std::vector<std::string> texts(const toml::table& table, const char* key) const {
    std::vector<std::string> found;
    const toml::node* node = table.get(key);
    if (node == nullptr) return found;
    const toml::array* list = node->as_array();
    if (list == nullptr || list->empty()) {
      fail(node->source(), fmt::format("{} must be a list of strings", key));
    }
    for (const toml::node& element : *list) {
      const auto value = element.value_exact<std::string>();
      if (!value) fail(element.source(), fmt::format("{} must be a list of strings", key));
      found.push_back(*value);
    }
    return found;
  }

  Policy::Named metric(const toml::table& table) {
    refuse_unknown(table, {"names", "class", "direction", "relative_floor", "absolute_floor",
                           "resolution", "optional"});
    Policy::Named named{texts(table, "names"), {}};
    if (named.names.empty()) fail(table.source(), "[[metric]] needs names");
    for (const std::string& name : named.names) {
      if (!named_.insert(name).second) {
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
    for (const char* key : {"relative_floor", "absolute_floor", "resolution"}) {
      if (table.contains(key) && rule.metric_class != MetricClass::statistical) {
        fail(table.get(key)->source(),
             fmt::format("{} is for the class statistical; an exact metric has no tolerance", key));
      }
    }
    rule.relative_floor = number(table, "relative_floor").value_or(0);
    rule.absolute_floor = number(table, "absolute_floor").value_or(0);
    rule.resolution = number(table, "resolution").value_or(0);
    rule.optional = flag(table, "optional").value_or(false);
    return named;
  }

  Policy::Override override_of(const toml::table& table) const {
    refuse_unknown(table, {"benchmarks", "metrics", "gate", "optional", "relative_floor",
                           "absolute_floor", "reason"});
    Policy::Override change;
    const auto pattern = text(table, "benchmarks");
    if (!pattern) fail(table.source(), "[[override]] needs benchmarks, a pattern of ids");
    change.benchmarks = *pattern;
    change.metrics = texts(table, "metrics");
    change.gate = flag(table, "gate");
    change.optional = flag(table, "optional");
    change.relative_floor = number(table, "relative_floor");
    change.absolute_floor = number(table, "absolute_floor");
    change.reason = text(table, "reason").value_or("");
    const bool softens = change.gate == false || change.optional == true;
    if (softens && change.reason.empty()) {
      fail(table.source(),
           fmt::format("[[override]] of '{}' gates less and needs a reason", change.benchmarks));
    }
    return change;
  }

  const std::string& name_;
  std::set<std::string> named_;
};

bool names(const std::vector<std::string>& list, const std::string& metric) {
  return std::find(list.begin(), list.end(), metric) != list.end();
}

}  // namespace

Rule Policy::rule_for(const std::string& benchmark, const std::string& metric) const {
  Rule rule;
  for (const Named& named : metrics) {
    if (names(named.names, metric)) rule = named.rule;
  }
  const MetricClass own_class = rule.metric_class;
  for (const Override& change : overrides) {
    if (!change.metrics.empty() && !names(change.metrics, metric)) continue;
    if (::fnmatch(change.benchmarks.c_str(), benchmark.c_str(), 0) != 0) continue;
    if (change.gate) rule.metric_class = *change.gate ? own_class : MetricClass::shown;
    if (change.optional) rule.optional = *change.optional;
    if (change.relative_floor) rule.relative_floor = *change.relative_floor;
    if (change.absolute_floor) rule.absolute_floor = *change.absolute_floor;
    rule.reason = change.reason;
  }
  return rule;
}

Policy parse_policy(std::string_view text, const std::string& name) {
  return Reader(name).read(text);
}

Policy read_policy(const std::filesystem::path& path) {
  return parse_policy(results::read_file(path), path.string());
}

Policy built_in_policy() {
  Policy policy = parse_policy(kPolicyToml, "built-in policy");
  policy.overrides.clear();
  return policy;
}

}  // namespace warpgauge::ci
