// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/decide.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ci/statistics/statistics.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

std::string interval_text(const MetricEstimate& metric) {
  return fmt::format("{:+.1f} to {:+.1f} %", 100 * (metric.low.value_or(1) - 1),
                     100 * (metric.high.value_or(1) - 1));
}

// The least change for the worse that counts.
std::string floor_text(const MetricEstimate& metric) {
  const double most = 1 + metric.floor.value_or(0);
  const bool lower = metric.rule.better == Better::lower;
  return fmt::format("{:+.1f} %", 100 * ((lower ? most : 1 / most) - 1));
}

Verdict verdict_of_change(bool grew, const MetricEstimate& metric) {
  return grew == (metric.rule.better == Better::lower) ? Verdict::regressed : Verdict::improved;
}

void decide_exact(MetricVerdict& metric) {
  if (*metric.after != *metric.before) {
    metric.verdict = verdict_of_change(*metric.after > *metric.before, metric);
  }
}

void decide_one_figure(const Estimates& estimates, MetricVerdict& metric) {
  if (!estimates.threshold) {
    metric.verdict = Verdict::inconclusive;
    metric.reason = metric.why_no_figures;
    return;
  }
  const double threshold = *estimates.threshold;
  const double ratio = *metric.after / *metric.before;
  metric.reason = fmt::format("by threshold of {:g} %, no statistics", 100 * threshold);
  if (!estimates.no_verdict_on_time.empty()) {
    metric.verdict = Verdict::inconclusive;
    metric.reason += "; " + estimates.no_verdict_on_time;
  } else if (ratio > 1 + threshold || 1 / ratio > 1 + threshold) {
    metric.verdict = verdict_of_change(ratio > 1, metric);
  }
}

// Whether all of the interval is worse than the floor: then it is the p-value that does not
// suffice.
bool looks_worse(const MetricEstimate& metric) {
  const double most = 1 + metric.evidence->estimate.floor;
  return metric.rule.better == Better::lower ? *metric.low > most : *metric.high < 1 / most;
}

// What would settle it.
const char* remedy(const MetricEstimate& metric) {
  const Evidence& evidence = *metric.evidence;
  const Estimate& estimate = evidence.estimate;
  const bool by_rare_devices =
      estimate.of_rare_devices.standard_error > estimate.of_sessions.standard_error;
  if (looks_worse(metric) && by_rare_devices) {
    return "the baseline has no session of this GPU: approve some, or measure on one that it has";
  }
  if (!estimate.limited_by_sessions) return "measure with more processes";
  if (evidence.machine_deviation * evidence.machine_deviation > evidence.spread.variance) {
    return "the baseline has no machine like this one: approve sessions of it";
  }
  return "sessions of the baseline differ as much: approve more of them";
}

// What may be worse: by the whole interval or a part of it.
std::string why_unclear(const MetricEstimate& metric) {
  const Evidence& evidence = *metric.evidence;
  const bool lower = metric.rule.better == Better::lower;
  if (!looks_worse(metric)) {
    return fmt::format("{} may be worse than {}", interval_text(metric), floor_text(metric));
  }
  return fmt::format("{} is worse than {}, but p {:.2g}, adjusted over {}, is not below {:g}",
                     interval_text(metric), floor_text(metric),
                     lower ? evidence.adjusted_p_greater : evidence.adjusted_p_less,
                     counted(evidence.tests, "test"), evidence.alpha);
}

// Of the same code, what the whole machine does is taken out.
const std::string& why_no_verdict(const Estimates& estimates, const CodeIdentity& code,
                                  const MetricEstimate& metric) {
  const bool by_machine = estimates.no_verdict_on_time.empty() &&
                          metric.metric == results::kTimeMetric &&
                          !code.same_instructions_and_counters();
  return by_machine ? estimates.machine_is_too_far : estimates.no_verdict_on_time;
}

void decide_by_statistics(const std::string& why_none, MetricVerdict& metric) {
  if (!why_none.empty()) {
    metric.verdict = Verdict::inconclusive;
    metric.reason = fmt::format("{}, but {}", interval_text(metric), why_none);
    return;
  }
  const Evidence& evidence = *metric.evidence;
  Estimate estimate = evidence.estimate;
  estimate.p_greater = evidence.adjusted_p_greater;
  estimate.p_less = evidence.adjusted_p_less;
  const Shift shift = classify(estimate, evidence.alpha);
  const bool lower_is_better = metric.rule.better == Better::lower;
  if (shift == Shift::none) return;
  if (shift == Shift::greater || shift == Shift::less) {
    metric.verdict = verdict_of_change(shift == Shift::greater, metric);
  } else if (shift == (lower_is_better ? Shift::not_greater : Shift::not_less)) {
    metric.verdict = Verdict::not_worse;
    metric.reason =
        fmt::format("{}, none of it worse than {}", interval_text(metric), floor_text(metric));
  } else {
    metric.verdict = Verdict::inconclusive;
    metric.more_processes_help = !estimate.limited_by_sessions;
    metric.reason = fmt::format("{}; {}", why_unclear(metric), remedy(metric));
  }
}

// By its estimate alone.
MetricVerdict decide_metric(const Estimates& estimates, const CodeIdentity& code,
                            const MetricEstimate& estimate) {
  MetricVerdict metric;
  static_cast<MetricEstimate&>(metric) = estimate;
  const auto decide_as = [&](Verdict verdict) {
    metric.verdict = verdict;
    metric.reason = metric.why_no_figures;
  };
  switch (metric.basis) {
    case Basis::nothing:
      break;
    case Basis::not_measured:
      decide_as(Verdict::not_measured);
      break;
    case Basis::no_baseline:
      decide_as(Verdict::added);
      break;
    case Basis::exact:
      decide_exact(metric);
      break;
    case Basis::same_code:
      decide_as(Verdict::same);
      break;
    case Basis::no_ratio:
      decide_as(Verdict::inconclusive);
      break;
    case Basis::one_figure:
      decide_one_figure(estimates, metric);
      break;
    case Basis::statistics:
      decide_by_statistics(why_no_verdict(estimates, code, metric), metric);
      break;
  }
  return metric;
}

bool is_time_without_verdict(const MetricVerdict& metric) {
  return metric.metric == results::kTimeMetric && metric.basis == Basis::statistics &&
         metric.verdict != Verdict::same;
}

// The same code on the same input is the same by a short look, and stays so if it is timed as a
// control. If it was timed in full instead, that has its say, unless it is unclear. Interleaved,
// the clock alone decides: both sides share the machine.
void decide_by_code(CodeEvidence evidence, bool against_baseline, MetricVerdict& metric) {
  if (!is_time_without_verdict(metric)) return;
  if (evidence == CodeEvidence::apart) {
    metric.reason +=
        fmt::format("{}the machine code is the same: look at data, memory and environment",
                    metric.reason.empty() ? "" : "; ");
    return;
  }
  const bool unclear = metric.verdict == Verdict::inconclusive;
  const bool same = evidence == CodeEvidence::same || (evidence == CodeEvidence::timed && unclear);
  if (!against_baseline || !same) return;
  metric.reason = fmt::format(
      "{}, but the code is the same, launched alike on the same input: it is the machine",
      interval_text(metric));
  metric.verdict = Verdict::same;
  metric.more_processes_help = false;
}

// Takes back what the machine explains.
void lay_to_the_machine(const CodeIdentity& code, MetricVerdict& metric) {
  if (!has_moved(metric) || metric.metric != results::kTimeMetric ||
      !code.same_instructions_and_counters() || !may_be_of_the_machine(metric)) {
    return;
  }
  const std::string machine =
      fmt::format("{} with the same machine code and the same exact counters: it is the machine",
                  interval_text(metric));
  if (metric.verdict == Verdict::improved) {
    metric.verdict = Verdict::not_worse;
    metric.reason = machine;
    return;
  }
  metric.verdict = Verdict::inconclusive;
  metric.reason = machine +
                  "; measure again, on another one if there is one, or approve this as one more "
                  "session";
}

Verdict verdict_of_presence(Presence presence) {
  switch (presence) {
    case Presence::both_sides:
      return Verdict::same;
    case Presence::missing:
      return Verdict::missing;
    case Presence::failed:
      return Verdict::failed;
    case Presence::not_measured:
      return Verdict::not_measured;
    case Presence::nowhere_measured:
      return Verdict::inconclusive;
    case Presence::without_baseline:
      return Verdict::added;
  }
  return Verdict::not_measured;
}

using Key = std::pair<std::string, std::string>;  // benchmark and metric

template <class Metric, class Benchmark>
std::map<Key, const Metric*> by_key(const std::vector<Benchmark>& benchmarks) {
  std::map<Key, const Metric*> metrics;
  for (const Benchmark& benchmark : benchmarks) {
    for (const Metric& metric : benchmark.metrics) {
      metrics[{benchmark.id, metric.metric}] = &metric;
    }
  }
  return metrics;
}

bool is_worse(const MetricEstimate& metric, double p_worse) {
  const bool lower_is_better = metric.rule.better == Better::lower;
  Estimate estimate = metric.evidence->estimate;
  estimate.p_greater = lower_is_better ? p_worse : 1;
  estimate.p_less = lower_is_better ? 1 : p_worse;
  return classify(estimate, metric.evidence->alpha) ==
         (lower_is_better ? Shift::greater : Shift::less);
}

// Of the metrics that had slowed at first, those that the new processes alone call worse too. Only
// these were measured again, so p-values are adjusted over them and no others.
std::set<Key> worse_again(const std::set<Key>& slowed,
                          const std::map<Key, const MetricEstimate*>& again) {
  std::vector<std::pair<Key, const MetricEstimate*>> tested;
  std::vector<double> p_values;
  for (const auto& [key, metric] : again) {
    if (!slowed.contains(key) || !metric->evidence) continue;
    const Estimate& estimate = metric->evidence->estimate;
    p_values.push_back(metric->rule.better == Better::lower ? estimate.p_greater : estimate.p_less);
    tested.emplace_back(key, metric);
  }
  p_values = holm(p_values);
  std::set<Key> worse;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (is_worse(*tested[i].second, p_values[i])) worse.insert(tested[i].first);
  }
  return worse;
}

std::string change(const MetricEstimate* metric) {
  if (metric == nullptr || !metric->before || !metric->after) return "nothing to compare";
  return fmt::format("{:+.2f} %", 100 * (*metric->after / *metric->before - 1));
}

template <class Metrics>
auto* find(const Metrics& metrics, const Key& key) {
  const auto found = metrics.find(key);
  return found == metrics.end() ? nullptr : found->second;
}

// Takes back what the second measurement does not show too.
void confirm(const Confirmation& confirmation, std::vector<BenchmarkVerdict>& decided) {
  const auto first = by_key<MetricVerdict>(confirmation.first);
  const auto again = by_key<MetricEstimate>(confirmation.again.benchmarks);
  std::set<Key> slowed;
  for (const auto& [key, metric] : first) {
    if (has_slowed(*metric)) slowed.insert(key);
  }
  const std::set<Key> worse = worse_again(slowed, again);
  for (BenchmarkVerdict& benchmark : decided) {
    for (MetricVerdict& metric : benchmark.metrics) {
      if (metric.verdict != Verdict::regressed && metric.verdict != Verdict::inconclusive) continue;
      const Key key{benchmark.id, metric.metric};
      if (slowed.contains(key) ? worse.contains(key) : !has_slowed(metric)) continue;
      metric.verdict = Verdict::inconclusive;
      metric.reason =
          slowed.contains(key)
              ? fmt::format(
                    "looked worse ({}), but {} fresh processes do not confirm it ({}); "
                    "measure again",
                    change(find(first, key)), confirmation.processes, change(find(again, key)))
              : fmt::format(
                    "looks worse ({}) only since other benchmarks were measured again; "
                    "measure again",
                    change(&metric));
    }
  }
}

}  // namespace

std::vector<BenchmarkVerdict> decide(const Estimates& estimates,
                                     const std::optional<Confirmation>& confirmation) {
  std::vector<BenchmarkVerdict> decided;
  for (const BenchmarkEstimate& benchmark : estimates.benchmarks) {
    BenchmarkVerdict& verdict = decided.emplace_back();
    verdict.id = benchmark.id;
    verdict.critical = benchmark.critical;
    verdict.verdict = verdict_of_presence(benchmark.presence);
    verdict.message = benchmark.message;
    for (const MetricEstimate& metric : benchmark.metrics) {
      verdict.metrics.push_back(decide_metric(estimates, benchmark.code, metric));
      decide_by_code(benchmark.evidence, estimates.against_baseline, verdict.metrics.back());
      if (estimates.against_baseline && benchmark.evidence != CodeEvidence::apart) {
        lay_to_the_machine(benchmark.code, verdict.metrics.back());
      }
    }
  }
  if (confirmation) confirm(*confirmation, decided);
  return decided;
}

bool may_be_of_the_machine(const MetricEstimate& time) {
  constexpr double kMost = 0.10;
  return time.before && time.after &&
         std::abs(std::log(*time.after / *time.before)) <= std::log1p(kMost);
}

bool has_slowed(const MetricVerdict& metric) {
  return metric.verdict == Verdict::regressed && metric.metric_class == MetricClass::statistical;
}

}  // namespace warpgauge::ci
