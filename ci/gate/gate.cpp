// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "ci/statistics/statistics.hpp"

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

bool has_slowed(const MetricVerdict& metric) {
  return metric.verdict == Verdict::regressed && metric.metric_class == MetricClass::statistical;
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

const MetricVerdict* find(const GateVerdict& verdict, const std::string& id,
                          const std::string& metric) {
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (benchmark.id != id) continue;
    for (const MetricVerdict& each : benchmark.metrics) {
      if (each.metric == metric) return &each;
    }
  }
  return nullptr;
}

std::string change(const MetricVerdict* metric) {
  if (metric == nullptr || !metric->before || !metric->after) return "nothing to compare";
  return fmt::format("{:+.2f} %", 100 * (*metric->after / *metric->before - 1));
}

bool is_worse(const MetricVerdict& metric, double p_worse) {
  const bool lower_is_better = metric.rule.better == Better::lower;
  Estimate estimate = metric.evidence->estimate;
  estimate.p_greater = lower_is_better ? p_worse : 1;
  estimate.p_less = lower_is_better ? 1 : p_worse;
  return classify(estimate, *metric.floor, metric.evidence->alpha) ==
         (lower_is_better ? Shift::greater : Shift::less);
}

// Of the metrics that had slowed in `first` those that the new processes alone call worse too. Only
// these were measured again, so p-values are adjusted over them and no others.
std::set<const MetricVerdict*> confirmed(const GateVerdict& first, const GateVerdict& second) {
  std::vector<const MetricVerdict*> slowed;
  std::vector<double> p_values;
  for (const BenchmarkVerdict& benchmark : second.benchmarks) {
    for (const MetricVerdict& metric : benchmark.metrics) {
      const MetricVerdict* before = find(first, benchmark.id, metric.metric);
      if (before == nullptr || !has_slowed(*before) || !metric.evidence || !metric.floor) continue;
      const Estimate& estimate = metric.evidence->estimate;
      p_values.push_back(metric.rule.better == Better::lower ? estimate.p_greater
                                                             : estimate.p_less);
      slowed.push_back(&metric);
    }
  }
  p_values = holm(p_values);
  std::set<const MetricVerdict*> worse;
  for (std::size_t i = 0; i < slowed.size(); ++i) {
    if (is_worse(*slowed[i], p_values[i])) worse.insert(slowed[i]);
  }
  return worse;
}

// Takes back what the second measurement, of the same kind as the first, does not say too.
void confirm(const GateVerdict& first, const GateVerdict& second, int processes,
             GateVerdict& both) {
  const std::set<const MetricVerdict*> worse_again = confirmed(first, second);
  for (BenchmarkVerdict& benchmark : both.benchmarks) {
    for (MetricVerdict& metric : benchmark.metrics) {
      if (metric.verdict != Verdict::regressed && metric.verdict != Verdict::inconclusive) continue;
      const MetricVerdict* before = find(first, benchmark.id, metric.metric);
      const MetricVerdict* again = find(second, benchmark.id, metric.metric);
      if (before == nullptr || !has_slowed(*before)) {
        // Regressed only since the others were measured again: it was not.
        if (has_slowed(metric)) {
          metric.verdict = Verdict::inconclusive;
          metric.reason = fmt::format(
              "looks worse ({}) only since other benchmarks were measured again; measure again",
              change(&metric));
        }
        continue;
      }
      if (worse_again.contains(again)) continue;
      metric.verdict = Verdict::inconclusive;
      metric.reason = fmt::format(
          "looked worse ({}), but {} fresh processes do not confirm it ({}); measure again",
          change(before), processes, change(again));
    }
    if (!benchmark.metrics.empty()) benchmark.verdict = Verdict::same;
  }
  sort_by_gravity(both.benchmarks);
}

}  // namespace

GateVerdict measure_and_judge(const Measuring& measuring, Effort effort, const Judge& judge) {
  measuring.observe_all();
  GateVerdict verdict = judge(measuring.kept());
  if (!measuring.has_clock) return verdict;

  const int more = effort.most_processes - effort.processes;
  const Ids unclear = with_metric(verdict, can_become_clear);
  if (more > 0 && !unclear.empty()) {
    measuring.time_again(unclear, more);
    verdict = judge(measuring.kept());
  }

  const Ids slowed = with_metric(verdict, has_slowed);
  if (slowed.empty()) return verdict;
  measuring.time_again(slowed, effort.processes);
  Sides sides = measuring.kept();
  GateVerdict both = judge(sides);
  const auto newest = static_cast<std::size_t>(effort.processes);
  keep_newest(sides.after, slowed, newest);
  if (sides.before) keep_newest(*sides.before, slowed, newest);
  confirm(verdict, judge(sides), effort.processes, both);
  return both;
}

}  // namespace warpgauge::ci
