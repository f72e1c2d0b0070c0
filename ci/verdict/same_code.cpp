// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/same_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/statistics/device_effects.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/id_pattern.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;
using results::Status;

// Fewer say nothing of the machine, and each is held against the baseline itself.
constexpr std::size_t kFewestOfTheMachine = 5;

std::optional<double> full_time(const BenchmarkResult& benchmark) {
  const Metric* const time = benchmark.find(results::kTimeMetric);
  if (time == nullptr) return std::nullopt;
  std::vector<double> means;
  for (const auto& session : time->sessions) {
    if (!session.empty()) means.push_back(mean_of(session));
  }
  const double mean = mean_of(means);
  return mean > 0 ? std::optional(mean) : std::nullopt;
}

// By how much, as a share, the time of the same code may be off from the others'.
double allowed(const Policy& policy, const std::string& id) {
  return std::max(policy.same_code_limit, policy.rule_for(id, results::kTimeMetric).relative_floor);
}

bool in_one_environment(const Results& before, const Results& after) {
  return before.session && after.session && !environments_differ(*before.session, *after.session);
}

// Up to `wanted` ids, spread evenly over the durations.
std::set<std::string> spread_over_durations(std::vector<std::pair<double, std::string>> ids,
                                            std::size_t wanted) {
  std::sort(ids.begin(), ids.end());
  std::set<std::string> spread;
  for (std::size_t i = 0; i < std::min(wanted, ids.size()); ++i) {
    const std::size_t at = ids.size() <= wanted ? i : (2 * i + 1) * ids.size() / (2 * wanted);
    spread.insert(ids[at].second);
  }
  return spread;
}

}  // namespace

std::optional<double> time_ratio(const BenchmarkResult& before, const BenchmarkResult& after) {
  const auto time_of = [](const BenchmarkResult& benchmark) {
    const auto full = full_time(benchmark);
    return full || benchmark.sentinel_ns.value_or(0) <= 0 ? full : benchmark.sentinel_ns;
  };
  const auto old_time = time_of(before);
  const auto new_time = time_of(after);
  if (!old_time || !new_time) return std::nullopt;
  return *new_time / *old_time;
}

SameCode same_code(const Results& before, const Results& after, const Policy& policy,
                   const CodeIdentities& identities) {
  SameCode result;
  if (!in_one_environment(before, after)) return result;
  const auto old_results = before.by_id();
  std::map<std::string, double> logarithms;
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto identity = identities.find(each.id);
    if (identity == identities.end() || !identity->second.same()) continue;
    if (each.outcome.status != Status::ok) continue;
    const auto old = old_results.find(each.id);
    if (old == old_results.end() || old->second->outcome.status != Status::ok) continue;
    if (const auto ratio = time_ratio(*old->second, each)) logarithms[each.id] = std::log(*ratio);
  }
  double typical = 0;
  if (logarithms.size() >= kFewestOfTheMachine) {
    std::vector<double> all;
    for (const auto& [id, logarithm] : logarithms) all.push_back(logarithm);
    typical = median_of(std::move(all));
  }
  result.typical_ratio = std::exp(typical);
  for (const auto& [id, logarithm] : logarithms) {
    const bool agrees = std::abs(logarithm - typical) <= std::log1p(allowed(policy, id));
    (agrees ? result.same : result.apart).insert(id);
  }
  return result;
}

TimingPlan timing_plan(const Results* before, const Results& after, const Policy& policy,
                       const ComparisonTerms& terms) {
  TimingPlan plan;
  SameCode code;
  if (before != nullptr && !terms.treat_as_changed) {
    code = same_code(*before, after, policy, code_identities(*before, after, policy));
  }
  std::vector<std::pair<double, std::string>> same;
  for (const BenchmarkResult& each : after.benchmarks) {
    if (each.outcome.status != Status::ok) continue;
    if (code.same.contains(each.id)) {
      if (matches_any(policy.controls, each.id)) plan.controls.insert(each.id);
      same.emplace_back(each.sentinel_ns.value_or(0), each.id);
    } else if (policy.rule_for(each.id, results::kTimeMetric).gated()) {
      plan.to_time.insert(each.id);
    }
  }
  if (plan.to_time.empty() || terms.design == Design::interleaved) {
    plan.controls.clear();
  } else {
    plan.controls.merge(spread_over_durations(same, kManyControls + 2));
  }
  for (const BenchmarkResult& each : after.benchmarks) {
    const bool timed = plan.to_time.contains(each.id) || plan.controls.contains(each.id);
    if (timed || each.outcome.status != Status::ok) continue;
    plan.untimed[each.id] =
        code.same.contains(each.id) ? "its code is the same" : "the policy does not gate its time";
  }
  return plan;
}

}  // namespace warpgauge::ci
