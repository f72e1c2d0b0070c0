// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ci/statistics/statistics.hpp"
#include "ci/verdict/machine_code/code_changes.hpp"
#include "ci/verdict/metrics/counter_weight.hpp"
#include "ci/verdict/metrics/limit_check.hpp"
#include "ci/verdict/metrics/narrowed_floor.hpp"
#include "ci/verdict/program/same_program.hpp"
#include "ci/verdict/text/inconclusive.hpp"

namespace warpgauge::ci {
namespace {

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

// Of the same code, what the whole machine does is taken out.
const std::string& why_no_verdict(const Estimates& estimates, const BenchmarkEstimate& benchmark,
                                  const MetricEstimate& metric) {
  if (!benchmark.no_verdict_on_time.empty()) return benchmark.no_verdict_on_time;
  const bool by_machine =
      estimates.no_verdict_on_time.empty() && results::is_of_timestamps(metric.metric) &&
      (estimates.treat_as_changed || !benchmark.code.same_instructions_and_counters());
  return by_machine ? estimates.machine_is_too_far : estimates.no_verdict_on_time;
}

void decide_by_statistics(const std::string& why_none, bool against_baseline,
                          MetricVerdict& metric) {
  if (!why_none.empty()) {
    metric.verdict = Verdict::inconclusive;
    metric.reason = fmt::format("{}, but {}", interval_text(metric), why_none);
    return;
  }
  const Evidence& evidence = *metric.evidence;
  Estimate estimate = evidence.estimate;
  estimate.p_greater = evidence.adjusted_p_greater;
  estimate.p_less = evidence.adjusted_p_less;
  const Shift shift = classify(estimate, evidence.alpha, metric.rule.usual_floor);
  metric.floor = estimate.floor;
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
    const Unclear unclear = why_unclear(metric, against_baseline);
    metric.more_processes_help = unclear.more_processes_help;
    metric.reason = fmt::format("{}; {}", unclear.why, unclear.remedy);
  }
}

// By its estimate alone.
MetricVerdict decide_metric(const Estimates& estimates, const BenchmarkEstimate& benchmark,
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
    case Basis::differs:
      decide_as(Verdict::inconclusive);
      metric.more_processes_help = true;
      break;
    case Basis::one_figure:
      decide_one_figure(estimates, metric);
      break;
    case Basis::statistics:
      decide_by_statistics(why_no_verdict(estimates, benchmark, metric), estimates.against_baseline,
                           metric);
      break;
  }
  return metric;
}

bool is_time_without_verdict(const MetricVerdict& metric) {
  return results::is_of_timestamps(metric.metric) && metric.basis == Basis::statistics &&
         metric.verdict != Verdict::same;
}

// The same code on the same input is the same by a short look, and as a control. Timed in full, the
// clock has its say, unless it is unclear; interleaved, it alone decides: both share the machine.
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
  if (!has_moved(metric) || !results::is_of_timestamps(metric.metric) ||
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

// Time leads among equals: it is what the counters are there to explain.
std::vector<MetricVerdict> gravest_first(std::vector<MetricVerdict> metrics) {
  const auto rank = [](const MetricVerdict& metric) {
    return std::tuple(-static_cast<int>(metric.verdict), metric.metric != results::kTimeMetric,
                      metric.verdict == Verdict::regressed ? gravity_rank(metric.metric) : 0);
  };
  std::stable_sort(metrics.begin(), metrics.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return metrics;
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

// What the new processes alone say of a metric that had slowed at first.
struct SecondLook {
  double p_worse = 1;  // adjusted over what was measured again
  bool worse = false;
};

// Only these were measured again, so p-values are adjusted over them and no others.
std::map<Key, SecondLook> second_looks(const std::set<Key>& slowed,
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
  std::map<Key, SecondLook> looks;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    looks[tested[i].first] = {p_values[i], is_worse(*tested[i].second, p_values[i])};
  }
  return looks;
}

template <class Metrics>
auto* find(const Metrics& metrics, const Key& key) {
  const auto found = metrics.find(key);
  return found == metrics.end() ? nullptr : found->second;
}

std::string why_not_confirmed(const MetricVerdict* first, const MetricEstimate* again,
                              const SecondLook* look, int processes) {
  const std::string by = look == nullptr ? ""
                                         : fmt::format(", p {:.2g} is not below {:.2g}",
                                                       look->p_worse, again->evidence->alpha);
  return fmt::format(
      "looked worse ({}), but {} fresh processes do not confirm it ({}{}); measure again",
      change_text(first), processes, change_text(again), by);
}

// Takes back what the second measurement does not show too.
void confirm(const Confirmation& confirmation, std::vector<BenchmarkVerdict>& decided) {
  const auto first = by_key<MetricVerdict>(confirmation.first);
  const auto again = by_key<MetricEstimate>(confirmation.again.benchmarks);
  std::set<Key> slowed;
  for (const auto& [key, metric] : first) {
    if (has_slowed(*metric)) slowed.insert(key);
  }
  const std::map<Key, SecondLook> looks = second_looks(slowed, again);
  for (BenchmarkVerdict& benchmark : decided) {
    for (MetricVerdict& metric : benchmark.metrics) {
      if (metric.verdict != Verdict::regressed && metric.verdict != Verdict::inconclusive) continue;
      const Key key{benchmark.id, metric.metric};
      const auto look = looks.find(key);
      const bool worse = look != looks.end() && look->second.worse;
      if (slowed.contains(key) ? worse : !has_slowed(metric)) continue;
      metric.verdict = Verdict::inconclusive;
      metric.reason = slowed.contains(key)
                          ? why_not_confirmed(find(first, key), find(again, key),
                                              look == looks.end() ? nullptr : &look->second,
                                              confirmation.processes)
                          : fmt::format(
                                "looks worse ({}) only since other benchmarks were measured again; "
                                "measure again",
                                change_text(&metric));
    }
  }
}

// By both sides in turns, with what they are against the baseline. Nothing: no figures there.
std::optional<MetricVerdict> decided_in_turns(const Turns& turns,
                                              const BenchmarkEstimate& benchmark,
                                              const MetricVerdict& open) {
  for (const MetricEstimate& each : benchmark.metrics) {
    if (each.metric != open.metric || each.basis != Basis::statistics) continue;
    MetricVerdict metric = decide_metric(turns.estimates, benchmark, each);
    metric.reason = fmt::format("in turns with {}: {}; against the baseline {}", turns.with,
                                metric.reason.empty() ? interval_text(each) : metric.reason,
                                interval_text(open));
    return metric;
  }
  return std::nullopt;
}

// Turns that leave it open, as few of them may, take no alarm back.
void settle_in_turns(const Turns& turns, std::vector<BenchmarkVerdict>& decided) {
  std::map<std::string, const BenchmarkEstimate*> in_turns;
  for (const BenchmarkEstimate& each : turns.estimates.benchmarks) in_turns[each.id] = &each;
  for (BenchmarkVerdict& benchmark : decided) {
    const auto why_not = turns.why_not.find(benchmark.id);
    const auto found = in_turns.find(benchmark.id);
    for (MetricVerdict& metric : benchmark.metrics) {
      if (!is_for_turns(metric)) continue;
      if (why_not != turns.why_not.end()) {
        if (is_open(metric)) metric.reason += "; " + why_not->second;
      } else if (found != in_turns.end()) {
        const auto by_turns = decided_in_turns(turns, *found->second, metric);
        if (!by_turns) continue;
        if (is_open(metric) || by_turns->verdict != Verdict::inconclusive) {
          metric = *by_turns;
        } else {
          metric.reason += fmt::format("; turns with {} leave that open", turns.with);
        }
      }
    }
  }
}

// What is still unclear there, but for the machine's part, might not be with more time.
void name_budget(const BudgetEnd& end, std::vector<BenchmarkVerdict>& decided) {
  for (BenchmarkVerdict& benchmark : decided) {
    if (!end.ids.contains(benchmark.id)) continue;
    for (MetricVerdict& metric : benchmark.metrics) {
      if (!is_open(metric)) continue;
      metric.reason += fmt::format(
          "; the budget of {} s ended before all was measured: raise `budget` in the policy",
          end.budget.count());
    }
  }
}

}  // namespace

std::vector<BenchmarkVerdict> decide(const Estimates& estimates, const FurtherLooks& further) {
  const bool machine_excuses = estimates.against_baseline && !estimates.treat_as_changed;
  std::vector<BenchmarkVerdict> decided;
  std::set<std::string> same_code;  // of a program
  for (const BenchmarkEstimate& benchmark : estimates.benchmarks) {
    BenchmarkVerdict& verdict = decided.emplace_back();
    verdict.id = benchmark.id;
    verdict.critical = benchmark.critical;
    verdict.verdict = verdict_of_presence(benchmark.presence);
    verdict.message = benchmark.message;
    for (const MetricEstimate& metric : benchmark.metrics) {
      verdict.metrics.push_back(decide_metric(estimates, benchmark, metric));
      decide_by_code(benchmark.evidence, estimates.against_baseline, verdict.metrics.back());
      const bool allows = why_no_verdict(estimates, benchmark, metric).empty();
      if (allows && estimates.against_baseline && estimates.same_in_program.contains(verdict.id)) {
        decide_by_same_program(further.more_may_follow, verdict.metrics.back());
        same_code.insert(verdict.id);
      }
      const auto added = estimates.added_in_program.find(verdict.id);
      if (allows && added != estimates.added_in_program.end()) {
        decide_by_what_was_added(added->second, verdict.metrics.back());
      }
      if (machine_excuses) lay_to_the_machine(benchmark.code, verdict.metrics.back());
    }
  }
  decide_by_range(same_code, decided);
  if (further.confirmation) confirm(*further.confirmation, decided);
  if (further.turns) settle_in_turns(*further.turns, decided);
  if (further.budget_end) name_budget(*further.budget_end, decided);
  for (BenchmarkVerdict& benchmark : decided) {
    weigh_counters(estimates.counter_limit, benchmark);
    hold_to_limits(benchmark);
    benchmark.metrics = gravest_first(std::move(benchmark.metrics));
  }
  return decided;
}

bool may_be_of_the_machine(const MetricEstimate& time) {
  constexpr double kMost = 0.10;
  return time.before && time.after &&
         std::abs(std::log(*time.after / *time.before)) <= std::log1p(kMost);
}

bool is_for_turns(const MetricVerdict& metric) {
  return is_open(metric) || (has_slowed(metric) && results::is_of_timestamps(metric.metric) &&
                             may_be_of_the_machine(metric));
}

}  // namespace warpgauge::ci
