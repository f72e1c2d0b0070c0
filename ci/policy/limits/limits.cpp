// SPDX-License-Identifier: Apache-2.0
// Which [[limit]]s and [[ratio]]s hold of a benchmark.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/policy/rule_scope.hpp"
#include "ci/support/id_glob.hpp"

namespace warpgauge::ci {
namespace {

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

}  // namespace

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

Policy without_limits(Policy policy) {
  policy.limits.clear();
  return policy;
}

}  // namespace warpgauge::ci
