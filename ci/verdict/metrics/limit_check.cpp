// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/limit_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/statistics/mean_bounds.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "ci/verdict/metrics/code_changes.hpp"
#include "ci/verdict/metrics/metric_basis.hpp"
#include "ci/verdict/metrics/roofline.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;
using Bound = Policy::Bound;

// What there is of a limited metric.
struct LimitedFigures {
  std::optional<Metric> metric;  // absent: not measured
  std::string why_none;
};

// One side, with what its figures are shares of.
struct LimitedSide {
  Results results;
  results::Ceilings ceilings;
  std::uint64_t l2_bytes = 0;

  explicit LimitedSide(Results of) : results(std::move(of)), ceilings(ceilings_of(results)) {
    if (ceilings.bytes_per_second.empty()) ceilings = measured_ceilings(results);
    if (results.session) l2_bytes = results.session->device.l2_bytes;
  }
};

// Without lines, samples and machine code, of which there is much.
BenchmarkResult figures_alone(const BenchmarkResult& benchmark) {
  BenchmarkResult figures;
  figures.id = benchmark.id;
  figures.outcome = benchmark.outcome;
  figures.work = benchmark.work;
  figures.metrics = benchmark.metrics;
  for (const auto& [name, figure] : code_figures(benchmark)) {
    figures.metrics.try_emplace(name, Metric{{{figure}}, {}, {}});
  }
  figures.not_timed = benchmark.not_timed;
  figures.other_processes = benchmark.other_processes;
  figures.not_measured = benchmark.not_measured;
  return figures;
}

bool is_of_machine_code(const Results& side) {
  return side.session && side.session->device.kind == results::DeviceKind::machine_code;
}

Results figures_alone(const Results& side) {
  Results figures;
  figures.name = side.name;
  figures.session = side.session;
  for (const BenchmarkResult& each : side.benchmarks) {
    BenchmarkResult& benchmark = figures.benchmarks.emplace_back(figures_alone(each));
    if (!is_of_machine_code(side)) continue;
    benchmark.not_measured.try_emplace(
        kResidentWarps,
        "no block is known of it: give 'warpgauge static' the launches of a run (--launches "
        "RESULTS), or the kernel launch bounds");
  }
  return figures;
}

// The new side, where what was not timed since its code is the same has the old side's times.
Results as_judged(const Results& before, const Results& after, const Estimates& estimates) {
  std::map<std::string_view, CodeEvidence> evidence;
  for (const BenchmarkEstimate& each : estimates.benchmarks) evidence[each.id] = each.evidence;
  const auto old_results = before.by_id();
  Results judged = figures_alone(after);
  for (BenchmarkResult& benchmark : judged.benchmarks) {
    const auto old = old_results.find(benchmark.id);
    if (benchmark.not_timed.empty() || old == old_results.end() ||
        evidence[benchmark.id] != CodeEvidence::same) {
      continue;
    }
    for (const char* metric : {results::kTimeMetric, results::kSpanMetric}) {
      const Metric* time = old->second->find(metric);
      if (time != nullptr) benchmark.metrics.try_emplace(metric, *time);
    }
  }
  return judged;
}

LimitedFigures share_figures(const LimitedSide& side, const BenchmarkResult& benchmark) {
  const CeilingShare share = share_of_ceiling(benchmark, side.ceilings, side.l2_bytes);
  if (!share.share) return {std::nullopt, share.not_measured};
  const bool by_span = results::span_of(benchmark).has_value();
  Metric metric = *benchmark.find(by_span ? results::kSpanMetric : results::kTimeMetric);
  const double duration = *results::duration_of(benchmark);
  for (auto& session : metric.sessions) {
    for (double& figure : session) figure = *share.share * duration / figure;
  }
  return {std::move(metric), ""};
}

LimitedFigures figures_of(const LimitedSide& side, const BenchmarkResult& benchmark,
                          const std::string& name) {
  if (name == kShareOfCeilingMetric) return share_figures(side, benchmark);
  const Metric* const metric = benchmark.find(name);
  if (metric == nullptr || metric->figures().empty()) {
    const auto* const recorded = benchmark.why_not_measured(name);
    const bool is_untimed = !benchmark.not_timed.empty() && results::is_of_timestamps(name);
    return {std::nullopt, recorded != nullptr ? recorded->second
                          : is_untimed        ? "was not timed: " + benchmark.not_timed
                                              : kAbsent};
  }
  if (!metric->problem.empty()) return {std::nullopt, metric->problem};
  return {*metric, ""};
}

MetricEstimate& estimate_of(const std::string& name, BenchmarkEstimate& benchmark) {
  for (MetricEstimate& each : benchmark.metrics) {
    if (each.metric == name) return each;
  }
  MetricEstimate& metric = benchmark.metrics.emplace_back();
  metric.metric = name;
  return metric;
}

bool is_by_a_clock(const std::string& metric) {
  return results::is_of_timestamps(metric) || metric == kShareOfCeilingMetric;
}

class LimitHolder {
 public:
  LimitHolder(const Results& before, const Results& after, const Policy& policy,
              const ComparisonTerms& terms, const Estimates& estimates)
      : policy_(policy),
        terms_(terms),
        before_(figures_alone(before)),
        after_(as_judged(before, after, estimates)),
        old_results_(before_.results.by_id()),
        new_results_(after_.results.by_id()),
        origin_(origin_of(after, after, policy)) {
    origin_.device = after.session ? after.session->device.key : "";
  }

  void hold(Estimates& estimates) {
    for (BenchmarkEstimate& benchmark : estimates.benchmarks) {
      const auto after = new_results_.find(benchmark.id);
      if (after == new_results_.end() || benchmark.presence == Presence::failed) continue;
      for (const Policy::Limit* limit : policy_.limits_for(benchmark.id, origin_.device)) {
        collect(*limit, *after->second, benchmark);
      }
    }
    for (const HeldFigures& each : held_) {
      estimate_of(each.limit.metric, *each.benchmark).limits.push_back(estimated(each));
    }
  }

 private:
  struct HeldFigures {
    const Policy::Limit& limit;
    BenchmarkEstimate* benchmark;
    LimitedFigures figures;
    std::string nobody_else;  // why its clock says nothing; empty: it does
    double resolution = 0;
    bool by_statistics = false;
  };

  void collect(const Policy::Limit& limit, const BenchmarkResult& result,
               BenchmarkEstimate& benchmark) {
    LimitedFigures figures = figures_of(after_, result, limit.metric);
    if (!figures.metric && policy_.may_be_absent(result.id, limit.metric)) return;
    const Rule rule = rule_for(result.id, limit.metric, policy_, origin_, terms_.design);
    MetricEstimate& metric = estimate_of(limit.metric, benchmark);
    if (metric.rule.place.line == 0 && metric.limits.empty()) metric.rule = rule;
    const bool is_borrowed = metric.basis == Basis::same_code;
    if (figures.metric && !metric.after && !is_borrowed) metric.after = figures.metric->mean();
    if (!metric.before) metric.before = figure_before(result.id, limit.metric);
    HeldFigures& held =
        held_.emplace_back(HeldFigures{limit, &benchmark, std::move(figures), "", rule.resolution});
    if (is_by_a_clock(limit.metric) && !result.other_processes.empty()) {
      held.nobody_else = fmt::format(
          "{} computed on the GPU while it was timed: end that, and measure again",
          some_of({result.other_processes.begin(), result.other_processes.end()}, kMostNamed));
    }
    held.by_statistics = held.figures.metric && (rule.own_class == MetricClass::statistical ||
                                                 limit.metric == kShareOfCeilingMetric ||
                                                 !held.figures.metric->only_figure());
    if (held.by_statistics) ++tests_;
  }

  [[nodiscard]] std::optional<double> figure_before(const std::string& id,
                                                    const std::string& metric) const {
    const auto old = old_results_.find(id);
    if (old == old_results_.end()) return std::nullopt;
    const LimitedFigures figures = figures_of(before_, *old->second, metric);
    return figures.metric ? figures.metric->mean() : std::nullopt;
  }

  [[nodiscard]] LimitEstimate estimated(const HeldFigures& held) const {
    LimitEstimate limit{.bound = held.limit.bound,
                        .value = held.limit.value,
                        .by = fmt::format("{}:{}", policy_.name, held.limit.place.line),
                        .reason = held.limit.reason};
    if (!held.figures.metric) {
      limit.not_measured = held.figures.why_none;
      return limit;
    }
    const Metric& metric = *held.figures.metric;
    const bool is_one = metric.figures().size() == 1;
    if (!held.nobody_else.empty()) {
      limit.unclear_because = held.nobody_else;
    } else if (!held.by_statistics || (is_one && terms_.threshold)) {
      limit.low = limit.high = metric.mean();
    } else if (is_one) {
      limit.unclear_because =
          "one figure says nothing about its spread; measure with more processes (--processes 5)";
    } else {
      const double alpha = policy_.alpha / static_cast<double>(tests_);
      const bool most = limit.bound == Bound::most;
      const auto at = [&](double chance) {
        return bounds_of_mean(metric.sessions, held.resolution, chance);
      };
      limit.low = at(most ? alpha : policy_.beta).low;
      limit.high = at(most ? policy_.beta : alpha).high;
    }
    return limit;
  }

  static constexpr std::size_t kMostNamed = 3;

  const Policy& policy_;
  const ComparisonTerms& terms_;
  LimitedSide before_;
  LimitedSide after_;
  std::map<std::string_view, const BenchmarkResult*> old_results_;
  std::map<std::string_view, const BenchmarkResult*> new_results_;
  Origin origin_;
  std::vector<HeldFigures> held_;
  std::size_t tests_ = 0;
};

// With as many digits as tell it from the limit.
std::string figure_text(const std::string& metric, double figure, double limit) {
  std::string text = readable_figure(metric, figure);
  if (figure == limit || text != readable_figure(metric, limit)) return text;
  return fmt::format("{:.9g}{}", figure, results::unit_of(metric).empty() ? "" : " ns");
}

bool can_become_clear(const LimitEstimate& limit) {
  return limit.low && limit.high && *limit.low < *limit.high;
}

}  // namespace

void add_limits(const Results& before, const Results& after, const Policy& policy,
                const ComparisonTerms& terms, Estimates& estimates) {
  if (policy.limits.empty() || terms.time_alone) return;
  LimitHolder(before, after, policy, terms, estimates).hold(estimates);
}

Verdict verdict_of(const LimitEstimate& limit) {
  if (!limit.not_measured.empty()) return Verdict::not_measured;
  if (!limit.low || !limit.high) return Verdict::inconclusive;
  const bool most = limit.bound == Bound::most;
  if (most ? *limit.low > limit.value : *limit.high < limit.value) return Verdict::regressed;
  const bool within = most ? *limit.high <= limit.value : *limit.low >= limit.value;
  return within ? Verdict::same : Verdict::inconclusive;
}

std::string limit_text(const std::string& metric, const LimitEstimate& limit) {
  const bool most = limit.bound == Bound::most;
  const std::string value = readable_figure(metric, limit.value);
  const std::string allowed = fmt::format("{} by [[limit]] ({}){}{}", most ? "allowed" : "required",
                                          limit.by, limit.reason.empty() ? "" : ": ", limit.reason);
  const char* const at = most ? "at most" : "at least";
  if (!limit.not_measured.empty()) {
    return fmt::format("{}, and {} {} is {}", limit.not_measured, at, value, allowed);
  }
  if (!limit.low || !limit.high) {
    return fmt::format("{}; {} {} is {}", limit.unclear_because, at, value, allowed);
  }
  const std::string low = figure_text(metric, *limit.low, limit.value);
  const std::string high = figure_text(metric, *limit.high, limit.value);
  const std::string figure =
      fmt::format("{} {}", metric, low == high ? low : fmt::format("{} to {}", low, high));
  switch (verdict_of(limit)) {
    case Verdict::regressed:
      return fmt::format("{} {} {} {}", figure, most ? '>' : '<', value, allowed);
    case Verdict::inconclusive:
      return fmt::format("{}, and {} {} is {}; measure with more processes (--processes 10)",
                         figure, at, value, allowed);
    default:
      return fmt::format("{}, and {} {} is {}", figure, at, value, allowed);
  }
}

void hold_to_limits(BenchmarkVerdict& benchmark) {
  for (MetricVerdict& metric : benchmark.metrics) {
    Verdict worst = Verdict::same;
    std::vector<std::string> texts;
    for (const LimitEstimate& limit : metric.limits) {
      const Verdict verdict = verdict_of(limit);
      if (verdict == Verdict::same) continue;
      worst = std::max(worst, verdict);
      texts.push_back(limit_text(metric.metric, limit));
      metric.more_processes_help = metric.more_processes_help ||
                                   (verdict == Verdict::inconclusive && can_become_clear(limit));
    }
    if (texts.empty()) continue;
    metric.by_limit = worst > metric.verdict;
    // Why it would pass is beside the point.
    const bool passes = metric.verdict <= Verdict::improved;
    if (!metric.reason.empty() && !passes) texts.push_back(metric.reason);
    metric.reason = fmt::format("{}", fmt::join(texts, "; "));
    if (metric.by_limit) metric.verdict = worst;
    if (metric.metric_class == MetricClass::shown) {
      const bool one = std::all_of(metric.limits.begin(), metric.limits.end(),
                                   [](const auto& limit) { return limit.low == limit.high; });
      metric.metric_class = one ? MetricClass::exact : MetricClass::statistical;
    }
  }
  const auto decides = [](const MetricVerdict& metric) { return metric.by_limit; };
  const bool any = std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(), decides);
  if (any && !benchmark.message.empty()) benchmark.message += "; a limit of the policy decides";
}

}  // namespace warpgauge::ci
