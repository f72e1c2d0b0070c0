// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/policy_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ci/policy/known_metrics.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Results;

bool is_held_to_anything(const BenchmarkEstimate& benchmark) {
  return std::any_of(
      benchmark.metrics.begin(), benchmark.metrics.end(), [](const MetricEstimate& metric) {
        return (metric.rule.gated() && metric.basis != Basis::nothing) || !metric.limits.empty();
      });
}

// Missing or failed: that says enough.
bool fails_by_itself(const BenchmarkEstimate& benchmark) {
  return benchmark.presence == Presence::missing || benchmark.presence == Presence::failed ||
         benchmark.presence == Presence::not_measured;
}

bool would_be_held_to_something(const BenchmarkResult& benchmark, const Policy& policy) {
  return std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(), [&](const auto& metric) {
    return policy.rule_for(benchmark.id, metric.first).gated();
  });
}

bool gated_anything(const Policy& policy, const Estimates& estimates, const Results& after) {
  std::set<std::string_view> fresh;  // without a baseline
  for (const BenchmarkEstimate& benchmark : estimates.benchmarks) {
    if (fails_by_itself(benchmark) || is_held_to_anything(benchmark)) return true;
    if (benchmark.presence == Presence::without_baseline) fresh.insert(benchmark.id);
  }
  return std::any_of(after.benchmarks.begin(), after.benchmarks.end(), [&](const auto& each) {
    return fresh.contains(each.id) && would_be_held_to_something(each, policy);
  });
}

}  // namespace

std::set<std::string> metric_names(const Results& results) {
  std::set<std::string> names;
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    for (const auto& [name, metric] : benchmark.metrics) names.insert(name);
    for (const auto& [name, range] : benchmark.ranges) names.insert(name);
    for (const auto& [name, reason] : benchmark.not_measured) names.insert(name);
    if (!benchmark.not_timed.empty()) names.insert(results::kTimeMetric);
  }
  return names;
}

bool gates_anything(const Policy& policy, const Results& results) {
  return std::any_of(results.benchmarks.begin(), results.benchmarks.end(),
                     [&](const auto& each) { return would_be_held_to_something(each, policy); });
}

std::vector<Shortfall> policy_shortfalls(const Policy& policy, const std::set<std::string>& known,
                                         const Estimates& estimates, const Results& after) {
  std::vector<Shortfall> shortfalls;
  for (const std::string& unknown : unknown_metrics(policy, known)) {
    shortfalls.push_back({kExitNotMeasured, unknown});
  }
  if (estimates.benchmarks.empty() || gated_anything(policy, estimates, after)) return shortfalls;
  shortfalls.push_back(
      {kExitNotMeasured,
       fmt::format("{} gates nothing of what both sides measured, so that anything would pass; "
                   "gate a metric that both have, or compare other benchmarks",
                   policy.name.empty() ? "the policy" : policy.name)});
  return shortfalls;
}

std::optional<Shortfall> age_shortfall(const Untimed& untimed, const Policy& policy) {
  if (policy.max_age && untimed.is_to_come) {
    return Shortfall{kExitNoVerdict,
                     fmt::format("{} of the same code not timed, the last time on {}, which is yet "
                                 "to come: correct `timed` of the baseline's device.json, or "
                                 "measure with --all and approve",
                                 counted(untimed.benchmarks, "benchmark"), untimed.since)};
  }
  if (!policy.max_age || untimed.days <= *policy.max_age) return std::nullopt;
  return Shortfall{
      kExitNoVerdict,
      fmt::format("{} of the same code not timed, the last time {} ago, more than max_age of {}, "
                  "{}: measure with --all, and approve the results, with --code-only to keep the "
                  "times",
                  counted(untimed.benchmarks, "benchmark"),
                  counted(static_cast<std::size_t>(untimed.days), "day"),
                  policy.name.empty() ? "the policy" : policy.name, *policy.max_age)};
}

}  // namespace warpgauge::ci
