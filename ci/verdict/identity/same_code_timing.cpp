// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/same_code_timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/statistics/device_effects.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/utc_time.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;
using results::Status;

// Fewer say nothing of the machine, and each is held against the baseline itself.
constexpr std::size_t kFewestOfTheMachine = 10;
// Controls on a GPU that the baseline lacks, besides those that are spread over the durations.
constexpr std::size_t kAlsoOnAnotherGpu = 4;

std::optional<double> full_figure(const BenchmarkResult& benchmark, std::string_view clock) {
  const Metric* const metric = benchmark.find(std::string(clock));
  if (metric == nullptr) return std::nullopt;
  std::vector<double> means;
  for (const auto& session : metric->sessions) {
    if (!session.empty()) means.push_back(mean_of(session));
  }
  const double mean = mean_of(means);
  return mean > 0 ? std::optional(mean) : std::nullopt;
}

// Whether the benchmark was timed before, but never on this GPU. A device without a UUID is the
// same.
bool is_on_another_gpu(const BenchmarkResult& before, const std::string& uuid) {
  const Metric* const time = before.find(results::kTimeMetric);
  if (uuid.empty() || time == nullptr || time->labels.empty()) return false;
  return std::none_of(time->labels.begin(), time->labels.end(),
                      [&](const std::string& label) { return results::uuid_in(label) == uuid; });
}

// By how much, as a share, the time of the same code may be off from the others'. On a GPU that the
// baseline has no time of, a short look may be so by twice as much: kernels of the same code differ
// there, too.
double allowed(const BenchmarkResult& before, const Policy& policy, const Results& after,
               bool at_short_look) {
  constexpr double kOnAnotherGpu = 2;
  const bool may_differ = at_short_look && is_on_another_gpu(before, after.session->device.uuid);
  const Rule rule = policy.rule_for(before.id, results::kTimeMetric,
                                    origin_of(after.session).timing(Design::apart));
  return std::max(policy.same_code_limit * (may_differ ? kOnAnotherGpu : 1), rule.relative_floor);
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

// Those of `ids` that the short look shows to be slowest against the baseline. On a kind of GPU
// that the baseline lacks a few kernels may take 4 % longer, and few controls may hold none of
// them. A short look is too coarse to say that, and good enough to tell which to ask. Of kernels of
// a few microseconds it says least.
std::set<std::string> slowest_against(
    const std::map<std::string_view, const BenchmarkResult*>& before,
    const std::vector<std::pair<double, std::string>>& ids, std::size_t wanted) {
  constexpr double kLeastNs = 5'000;
  std::vector<std::pair<double, std::string>> ratios;
  for (const auto& [sentinel, id] : ids) {
    const auto old_figure = full_figure(*before.at(id), results::kTimeMetric);
    if (old_figure && sentinel >= kLeastNs) ratios.emplace_back(-sentinel / *old_figure, id);
  }
  std::sort(ratios.begin(), ratios.end());
  ratios.resize(std::min(wanted, ratios.size()));
  std::set<std::string> slowest;
  for (const auto& [ratio, id] : ratios) slowest.insert(id);
  return slowest;
}

std::optional<double> sentinel_of(const BenchmarkResult& benchmark, std::string_view clock) {
  const auto& sentinel =
      clock == results::kSpanMetric ? benchmark.sentinel_span_ns : benchmark.sentinel_ns;
  return sentinel.value_or(0) > 0 ? sentinel : std::nullopt;
}

// Logarithms of new figures over old ones, of kTimeMetric or kSpanMetric.
struct Moved {
  double at_first = 0;         // at the short look, if there was one
  double at_last = 0;          // by all that was measured
  bool at_short_look = false;  // there is no more than that
};

std::optional<Moved> moved_by(const BenchmarkResult& before, const BenchmarkResult& after,
                              std::string_view clock) {
  const auto full = full_figure(after, clock);
  const auto sentinel = sentinel_of(after, clock);
  const auto old_full = full_figure(before, clock);
  const auto old_figure = old_full ? old_full : sentinel_of(before, clock);
  if (!old_figure || !(full || sentinel)) return std::nullopt;
  const auto logarithm = [&](double figure) { return std::log(figure / *old_figure); };
  return Moved{logarithm(sentinel ? *sentinel : *full), logarithm(full ? *full : *sentinel), !full};
}

bool gates_timestamps(const std::string& id, const Policy& policy) {
  return policy.rule_for(id, results::kTimeMetric).gated() ||
         policy.rule_for(id, results::kSpanMetric).gated();
}

bool gates_span(const BenchmarkResult& before, const Policy& policy) {
  return before.find(results::kSpanMetric) != nullptr &&
         policy.rule_for(before.id, results::kSpanMetric).gated();
}

// A machine that is slower as a whole moves all of the same code alike. By more than a benchmark
// may be off, it is no machine that any verdict should rest on.
double common_shift_of(const std::map<std::string, double>& logarithms, const Policy& policy) {
  if (logarithms.size() < kFewestOfTheMachine) return 0;
  std::vector<double> all;
  all.reserve(logarithms.size());
  for (const auto& [id, logarithm] : logarithms) all.push_back(logarithm);
  const double shift = median_of(std::move(all));
  return std::abs(shift) <= std::log1p(policy.same_code_limit) ? shift : 0;
}

// Whether the benchmark is gated by a figure of a clock that the sentinel does not look at.
bool has_other_clock(const BenchmarkResult& before, const Policy& policy) {
  return std::any_of(before.metrics.begin(), before.metrics.end(), [&](const auto& metric) {
    return !results::is_of_timestamps(metric.first) &&
           policy.rule_for(before.id, metric.first).metric_class == MetricClass::statistical;
  });
}

}  // namespace

CodeIdentities code_identities(const Results& before, const Results& after, const Policy& policy,
                               const ComparisonTerms& terms) {
  CodeIdentities identities = code_identities(before, after, policy);
  if (terms.merge_base) {
    hold_against_merge_base(code_identities(*terms.merge_base, after, policy), identities);
  }
  return identities;
}

SameCode same_code(const Results& before, const Results& after, const Policy& policy,
                   const CodeIdentities& identities) {
  SameCode result;
  if (!in_one_environment(before, after)) return result;
  const auto old_results = before.by_id();
  std::map<std::string, double> first_looks;  // the machine as a whole is judged by these
  std::map<std::string, std::vector<Moved>> clocks;
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto identity = identities.find(each.id);
    if (identity == identities.end() || !identity->second.same()) continue;
    if (each.outcome.status != Status::ok) continue;
    const auto old = old_results.find(each.id);
    if (old == old_results.end() || old->second->outcome.status != Status::ok) continue;
    const auto time = moved_by(*old->second, each, results::kTimeMetric);
    if (!time) continue;
    std::vector<Moved> moved{*time};
    if (gates_span(*old->second, policy)) {
      const auto span = moved_by(*old->second, each, results::kSpanMetric);
      if (!span) continue;
      moved.push_back(*span);
    }
    first_looks[each.id] = time->at_first;
    clocks[each.id] = std::move(moved);
  }
  const double typical = common_shift_of(first_looks, policy);
  result.typical_ratio = std::exp(typical);
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto moved = clocks.find(each.id);
    if (moved == clocks.end()) continue;
    const BenchmarkResult& old = *old_results.at(each.id);
    const bool agrees =
        std::all_of(moved->second.begin(), moved->second.end(), [&](const Moved& clock) {
          const double most = allowed(old, policy, after, clock.at_short_look);
          return std::abs(clock.at_last - typical) <= std::log1p(most);
        });
    (!agrees ? result.apart : each.sentinel_ns ? result.same : result.timed).insert(each.id);
  }
  return result;
}

Untimed untimed(const Results& before, const Results& after, const SameCode& same_code) {
  Untimed result;
  const auto old_results = before.by_id();
  for (const BenchmarkResult& each : after.benchmarks) {
    if (each.not_timed.empty() || !same_code.same.contains(each.id)) continue;
    ++result.benchmarks;
    const auto old = old_results.find(each.id);
    const std::string& timed = old == old_results.end() ? each.timed : old->second->timed;
    if (!timed.empty() && (result.since.empty() || timed < result.since)) result.since = timed;
  }
  const auto then = utc_seconds(result.since);
  const auto now = after.session ? utc_seconds(after.session->created) : std::nullopt;
  constexpr std::int64_t kDay = 86'400;
  if (!then || !now) return result;
  result.days = static_cast<int>(std::max<std::int64_t>(0, (*now - *then) / kDay));
  result.is_to_come = *then > *now + kDay;  // clocks differ by less
  return result;
}

TimingPlan timing_plan(const Results* before, const Results& after, const Policy& policy,
                       const ComparisonTerms& terms) {
  TimingPlan plan;
  SameCode code;
  if (before != nullptr && !terms.treat_as_changed) {
    code = same_code(*before, after, policy, code_identities(*before, after, policy, terms));
  }
  const auto old_results = before != nullptr ? before->by_id() : decltype(before->by_id())();
  std::vector<std::pair<double, std::string>> same;
  for (const BenchmarkResult& each : after.benchmarks) {
    if (each.outcome.status != Status::ok) continue;
    const auto old = old_results.find(each.id);
    const bool other_clock = old != old_results.end() && has_other_clock(*old->second, policy);
    if (!other_clock && code.same.contains(each.id)) {
      if (matches_any(policy.controls, each.id)) plan.controls.insert(each.id);
      same.emplace_back(each.sentinel_ns.value_or(0), each.id);
    } else if (other_clock || gates_timestamps(each.id, policy)) {
      plan.to_time.insert(each.id);
    }
  }
  if (plan.to_time.empty() || terms.design == Design::interleaved) {
    plan.controls.clear();
  } else {
    std::set<std::string> spread = spread_over_durations(same, kManyControls + 2);
    std::erase_if(same, [&](const auto& each) {
      return spread.contains(each.second) ||
             !is_on_another_gpu(*old_results.at(each.second), after.session->device.uuid);
    });
    plan.controls.merge(slowest_against(old_results, same, kAlsoOnAnotherGpu));
    plan.controls.merge(spread);
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
