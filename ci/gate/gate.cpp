// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/gate.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "ci/verdict/decide.hpp"
#include "ci/verdict/estimate.hpp"

namespace warpgauge::ci {
namespace {

using Ids = std::set<std::string>;

template <class Predicate>
Ids with_metric(const GateVerdict& verdict, Predicate is_meant) {
  Ids ids;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(), is_meant)) {
      ids.insert(benchmark.id);
    }
  }
  return ids;
}

bool can_become_clear(const MetricVerdict& metric) {
  return metric.verdict == Verdict::inconclusive && metric.more_processes_help;
}

// Of these benchmarks only what the newest processes timed.
void keep_newest(results::Results& all, const Ids& ids, std::size_t processes) {
  for (results::BenchmarkResult& benchmark : all.benchmarks) {
    if (!ids.contains(benchmark.id)) continue;
    for (auto& [name, metric] : benchmark.metrics) {
      for (auto& figures : metric.sessions) {
        if (figures.size() > processes)
          figures.erase(figures.begin(), figures.end() - static_cast<std::ptrdiff_t>(processes));
      }
    }
  }
}

void observe(const Measuring& measuring, Effort effort) {
  if (!measuring.plan) return measuring.observe_all();
  measuring.look();
  TimingPlan plan = measuring.plan(measuring.measured());
  measuring.leave_untimed(plan.untimed);
  if (plan.to_time.empty()) return;
  measuring.count_lines(plan.to_time);
  plan.controls.merge(plan.to_time);
  measuring.time_again(plan.controls, effort.processes);
}

// Once everything was observed.
GateVerdict judge_in_steps(const Measuring& measuring, Effort effort, const Judge& judge) {
  GateVerdict verdict = judge({measuring.measured(), std::nullopt});
  if (!measuring.has_clock) return verdict;

  const int more = effort.most_processes - effort.processes;
  const Ids unclear = with_metric(verdict, can_become_clear);
  if (more > 0 && !unclear.empty()) {
    measuring.time_again(unclear, more);
    verdict = judge({measuring.measured(), std::nullopt});
  }

  const Ids slowed = with_metric(verdict, has_slowed);
  if (slowed.empty()) return verdict;
  measuring.time_again(slowed, effort.processes);
  Sides all = measuring.measured();
  Sides newest = all;
  const auto processes = static_cast<std::size_t>(effort.processes);
  keep_newest(newest.after, slowed, processes);
  if (newest.before) keep_newest(*newest.before, slowed, processes);
  return judge({std::move(all), MeasuredSides::Again{std::move(verdict.benchmarks),
                                                     std::move(newest), effort.processes}});
}

}  // namespace

GateVerdict judge(const MeasuredSides& measured, const results::Results* stored,
                  const Policy& policy, const ComparisonTerms& terms,
                  const std::set<Verdict>& allowed) {
  const auto before = [&](const Sides& sides) -> const results::Results& {
    return sides.before ? *sides.before : *stored;
  };
  std::optional<Confirmation> confirmation;
  if (measured.again) {
    const MeasuredSides::Again& again = *measured.again;
    confirmation =
        Confirmation{again.first, estimate(before(again.newest), again.newest.after, policy, terms),
                     again.processes};
  }
  return compare(before(measured.all), measured.all.after, policy, terms, allowed, confirmation);
}

GateVerdict measure_and_judge(const Measuring& measuring, Effort effort, const Judge& judge) {
  observe(measuring, effort);
  std::optional<GateVerdict> verdict;
  try {
    verdict = judge_in_steps(measuring, effort, judge);
  } catch (...) {
    measuring.keep();
    throw;
  }
  measuring.keep();
  return *std::move(verdict);
}

}  // namespace warpgauge::ci
