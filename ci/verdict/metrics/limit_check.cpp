// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/limit_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/statistics/fastest_quarter.hpp"
#include "ci/statistics/mean_bounds.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/filter_scope.hpp"
#include "ci/verdict/machine_code/code_changes.hpp"
#include "ci/verdict/metrics/clock.hpp"
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

  explicit LimitedSide(Results of) : results(std::move(of)) {
    ceilings = ceilings_of(results);
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

// The one of each process by that of the other in it: what a process does to all of its figures
// falls out. Absent: they are not of the same processes.
std::optional<Metric> ratio_by_process(const Metric& of, const Metric& to) {
  Metric ratio;
  if (of.sessions.size() != to.sessions.size()) return std::nullopt;
  for (std::size_t s = 0; s < of.sessions.size(); ++s) {
    if (of.sessions[s].size() != to.sessions[s].size()) return std::nullopt;
    std::vector<double>& session = ratio.sessions.emplace_back();
    for (std::size_t p = 0; p < of.sessions[s].size(); ++p) {
      session.push_back(of.sessions[s][p] / to.sessions[s][p]);
    }
  }
  return ratio;
}

bool all_are_zero(const Metric& metric) {
  return metric.only_figure().has_value() && *metric.only_figure() == 0;
}

bool any_is_zero(const Metric& metric) {
  const std::vector<double> figures = metric.figures();
  return std::find(figures.begin(), figures.end(), 0) != figures.end();
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
        origin_(origin_of(after, after, policy)),
        scope_(after_.results) {
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
    std::string against = {};  // of a [[ratio]]: the id
    // … whose figures these are, where they are not of the same processes.
    std::optional<Metric> divisor = std::nullopt;
    // … what is added to a figure that may be of other sessions than the one it is held against.
    double tolerance = 0;
  };

  void collect(const Policy::Limit& limit, const BenchmarkResult& result,
               BenchmarkEstimate& benchmark) {
    if (limit.is_ratio() && is_left_out(*limit.counterpart(result.id))) return;
    LimitedFigures figures = figures_of(after_, result, limit.metric);
    if (!figures.metric && policy_.may_be_absent(result.id, limit.metric)) return;
    const Rule rule = rule_for(result.id, limit.metric, policy_, origin_, terms_.design);
    MetricEstimate& metric = estimate_of(limit.metric, benchmark);
    if (metric.rule.place.line == 0 && metric.limits.empty()) metric.rule = rule;
    const bool is_borrowed = metric.basis == Basis::same_code;
    // A ratio is taken by process, from which what slows one down falls out.
    if (figures.metric && !limit.is_ratio() &&
        is_by_fastest_quarter(limit.metric, origin_, figures.metric->sessions)) {
      figures.metric->sessions = fastest_quarters(std::move(figures.metric->sessions));
    }
    if (figures.metric && !metric.after && !is_borrowed) metric.after = figures.metric->mean();
    if (!metric.before) metric.before = figure_before(result.id, limit.metric);
    HeldFigures& held =
        held_.emplace_back(HeldFigures{limit, &benchmark, std::move(figures), "", rule.resolution});
    name_other_processes(result, held);
    if (limit.is_ratio()) hold_against(*limit.counterpart(result.id), result, rule, held);
    held.by_statistics = held.figures.metric && (rule.own_class == MetricClass::statistical ||
                                                 limit.metric == kShareOfCeilingMetric ||
                                                 !held.figures.metric->only_figure());
    if (held.by_statistics) ++tests_;
  }

  void name_other_processes(const BenchmarkResult& result, HeldFigures& held) const {
    if (!is_by_a_clock(held.limit.metric) || result.other_processes.empty()) return;
    held.nobody_else = fmt::format(
        "{} computed on the GPU while it was timed: end that, and measure again",
        some_of({result.other_processes.begin(), result.other_processes.end()}, kMostNamed));
  }

  // By a --filter, of the measurement or the comparison.
  [[nodiscard]] bool is_left_out(const std::string& id) {
    return !new_results_.contains(id) && (terms_.is_filtered || !scope_.includes(id));
  }

  // The figures become those in units of the other benchmark's.
  void hold_against(const std::string& other, const BenchmarkResult& result, const Rule& rule,
                    HeldFigures& held) const {
    held.against = other;
    const auto found = new_results_.find(other);
    if (found == new_results_.end()) {
      held.figures = {std::nullopt, fmt::format("there is no {} to hold it against", other)};
      return;
    }
    if (!held.figures.metric) return;
    const BenchmarkResult& base = *found->second;
    LimitedFigures figures = figures_of(after_, base, held.limit.metric);
    if (base.outcome.status != results::Status::ok) {
      held.figures = {std::nullopt, other + " failed"};
    } else if (!figures.metric) {
      held.figures = {std::nullopt, fmt::format("{}: {}", other, figures.why_none)};
    } else {
      take_ratio(*std::move(figures.metric), rule, held);
    }
    name_other_processes(base, held);
    // One is of now, and one of the baseline's sessions.
    if (result.not_timed.empty() != base.not_timed.empty()) held.tolerance = rule.relative_floor;
  }

  static void take_ratio(Metric divisor, const Rule& rule, HeldFigures& held) {
    const Metric& metric = *held.figures.metric;
    if (any_is_zero(divisor)) {
      const bool within = held.limit.bound == Bound::most && all_are_zero(metric);
      held.figures = {
          within ? std::optional(Metric{{{0}}, {}, {}}) : std::nullopt,
          fmt::format("{} of {} is 0, so there is no ratio", held.limit.metric, held.against)};
      return;
    }
    const double share = *metric.mean() / *divisor.mean();
    held.resolution = rule.resolution * (1 + share) / *divisor.mean();
    if (auto by_process = ratio_by_process(metric, divisor)) {
      held.figures.metric = *std::move(by_process);
    } else if (rule.own_class != MetricClass::statistical && metric.only_figure() &&
               divisor.only_figure()) {
      held.figures.metric = Metric{{{share}}, {}, {}};
    } else {
      held.divisor = std::move(divisor);
    }
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
                        .reason = held.limit.reason,
                        .against = held.against};
    if (!held.figures.metric) {
      limit.not_measured = held.figures.why_none;
      return limit;
    }
    const Metric& metric = *held.figures.metric;
    const bool is_one =
        metric.figures().size() == 1 || (held.divisor && held.divisor->figures().size() == 1);
    const double scale = held.divisor ? *held.divisor->mean() : 1;
    if (!held.nobody_else.empty()) {
      limit.unclear_because = held.nobody_else;
    } else if (!held.by_statistics || (is_one && terms_.threshold)) {
      limit.low = limit.high = *metric.mean() / scale;
    } else if (is_one) {
      limit.unclear_because =
          "one figure says nothing about its spread; measure with more processes (--processes 5)";
    } else {
      const double alpha = policy_.alpha / static_cast<double>(tests_);
      const bool most = limit.bound == Bound::most;
      limit.low = bounds(held, most ? alpha : policy_.beta).low;
      limit.high = bounds(held, most ? policy_.beta : alpha).high;
    }
    return limit;
  }

  // With this chance beyond each end.
  static Interval bounds(const HeldFigures& held, double chance) {
    Interval bounds;
    if (!held.divisor) {
      bounds = bounds_of_mean(held.figures.metric->sessions, held.resolution, chance);
    } else {
      const double scale = *held.divisor->mean();
      const Interval of =
          bounds_of_mean(held.figures.metric->sessions, held.resolution * scale, chance / 2);
      const Interval to =
          bounds_of_mean(held.divisor->sessions, held.resolution * scale, chance / 2);
      constexpr double kLeastShare = 1e-6;
      bounds = {of.low / to.high, of.high / std::max(to.low, kLeastShare * scale)};
    }
    return {bounds.low / (1 + held.tolerance), bounds.high * (1 + held.tolerance)};
  }

  static constexpr std::size_t kMostNamed = 3;

  const Policy& policy_;
  const ComparisonTerms& terms_;
  LimitedSide before_;
  LimitedSide after_;
  std::map<std::string_view, const BenchmarkResult*> old_results_;
  std::map<std::string_view, const BenchmarkResult*> new_results_;
  Origin origin_;
  FilterScope scope_;
  std::vector<HeldFigures> held_;
  std::size_t tests_ = 0;
};

}  // namespace

void add_limits(const Results& before, const Results& after, const Policy& policy,
                const ComparisonTerms& terms, Estimates& estimates) {
  if (policy.limits.empty() || terms.time_alone) return;
  LimitHolder(before, after, policy, terms, estimates).hold(estimates);
}

}  // namespace warpgauge::ci
