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
constexpr std::size_t kFewestOfTheMachine = 10;

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

// New time over old; absent where a side has none.
std::optional<double> time_ratio(const BenchmarkResult& before, const BenchmarkResult& after) {
  const auto sentinel = [](const BenchmarkResult& each) {
    return each.sentinel_ns.value_or(0) > 0 ? each.sentinel_ns : std::nullopt;
  };
  const auto full = full_time(before);
  const auto old_time = full ? full : sentinel(before);
  const auto new_time = sentinel(after) ? sentinel(after) : full_time(after);
  if (!old_time || !new_time) return std::nullopt;
  return *new_time / *old_time;
}

// A machine that is slower as a whole moves all of the same code alike. By more than a benchmark
// may be off, it is no machine that any verdict should rest on.
double common_shift_of(const std::map<std::string, double>& logarithms, const Policy& policy) {
  if (logarithms.size() < kFewestOfTheMachine) return 0;
  std::vector<double> all;
  for (const auto& [id, logarithm] : logarithms) all.push_back(logarithm);
  const double shift = median_of(std::move(all));
  return std::abs(shift) <= std::log1p(policy.same_code_limit) ? shift : 0;
}

// Whether the benchmark is gated by another figure of the clock, such as `span`.
bool has_other_clock(const BenchmarkResult& before, const Policy& policy) {
  return std::any_of(before.metrics.begin(), before.metrics.end(), [&](const auto& metric) {
    return metric.first != results::kTimeMetric &&
           policy.rule_for(before.id, metric.first).metric_class == MetricClass::statistical;
  });
}

}  // namespace

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
  const double typical = common_shift_of(logarithms, policy);
  result.typical_ratio = std::exp(typical);
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto logarithm = logarithms.find(each.id);
    if (logarithm == logarithms.end()) continue;
    const bool agrees =
        std::abs(logarithm->second - typical) <= std::log1p(allowed(policy, each.id));
    (!agrees ? result.apart : each.sentinel_ns ? result.same : result.timed).insert(each.id);
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
  const auto old_results = before != nullptr ? before->by_id() : decltype(before->by_id())();
  std::vector<std::pair<double, std::string>> same;
  for (const BenchmarkResult& each : after.benchmarks) {
    if (each.outcome.status != Status::ok) continue;
    const auto old = old_results.find(each.id);
    if (old != old_results.end() && has_other_clock(*old->second, policy)) {
      plan.to_time.insert(each.id);
    } else if (code.same.contains(each.id)) {
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
