// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/metric_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "ci/statistics/fastest_quarter.hpp"
#include "ci/verdict/machine_code/kernel_pairs.hpp"
#include "ci/verdict/metrics/counter_weight.hpp"
#include "profiling/machine_code/architecture.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;

std::string why_not_measured(const BenchmarkResult& result, const std::string& metric) {
  const auto* const recorded = result.why_not_measured(metric);
  return recorded != nullptr ? recorded->second : kAbsent;
}

std::vector<LabelledFigures> sessions_of(const Metric* metric) {
  std::vector<LabelledFigures> sessions;
  for (std::size_t i = 0; metric != nullptr && i < metric->sessions.size(); ++i) {
    sessions.push_back({i < metric->labels.size() ? metric->labels[i] : "", metric->sessions[i]});
  }
  return sessions;
}

// An exact metric has one; of others the mean is the one to show.
double figure_of(const Rule& rule, const Metric& metric) {
  return rule.metric_class == MetricClass::exact ? metric.figures().front() : *metric.mean();
}

// Empty where all figures of both sides are one a side.
std::string why_not_exact(const Metric& before, const Metric& after) {
  for (const auto& [metric, side] : {std::pair(&before, "before"), std::pair(&after, "now")}) {
    const std::vector<double> figures = metric->figures();
    for (const double figure : figures) {
      if (figure == figures.front()) continue;
      return fmt::format("should be exact, but was {} and {} {}; class it as shown",
                         figures.front(), figure, side);
    }
  }
  return "";
}

bool has_zero(const Metric& metric) {
  const std::vector<double> figures = metric.figures();
  return std::find(figures.begin(), figures.end(), 0.0) != figures.end();
}

const char* remedy_for_one(Origin::Program program, bool now_is_alone) {
  switch (program) {
    case Origin::Program::plain:
      return "repeat it (--benchmark_repetitions=5), or compare with --threshold PERCENT, which "
             "is no statistics";
    case Origin::Program::imported:
      return now_is_alone ? "samples of one process are no replicates: run it five times and "
                            "import all of the files"
                          : "samples of one process are no replicates: approve a baseline of "
                            "five files";
    case Origin::Program::warpgauge:
      break;
  }
  return now_is_alone ? "measure with more processes (--processes 5)"
                      : "approve a baseline of more processes (--processes 5)";
}

struct SharedResource {
  Metric before;
  Metric after;
};

// Absent: the recorded figures are of code that both sides have.
std::optional<SharedResource> shared_resource(const std::string& name, const Rule& rule,
                                              const ResultPair& pair, const Origin& origin) {
  if (rule.metric_class != MetricClass::exact || !is_resource_metric(name)) return std::nullopt;
  const auto code = shared_code(pair.before.machine_code, pair.after.machine_code,
                                machine_code::gpu_number(origin.compute_capability));
  if (!code) return std::nullopt;
  const auto before = resource_metrics(code->before);
  const auto after = resource_metrics(code->after);
  if (!before.contains(name) || !after.contains(name)) return std::nullopt;
  return SharedResource{{{{before.at(name)}}, {}, {}}, {{{after.at(name)}}, {}, {}}};
}

// Empty: both sides have it, or should.
std::string why_not_compared(const Rule& rule, const std::string& name, const ResultPair& pair) {
  if (is_resource_metric(name) && !pair.code.machine_code.compiled_alike()) {
    return "the two sides were compiled for other architectures or by other compilers";
  }
  const bool was_there = pair.before.find(name) != nullptr;
  const bool is_there = pair.after.find(name) != nullptr;
  if (is_there && !was_there && rule.optional) {
    return "the baseline has nothing to compare with, and the metric is optional";
  }
  if (!is_there && (!was_there || rule.optional)) {
    return fmt::format("there is nothing to compare, and {}: {}",
                       was_there ? "the metric is optional" : "the baseline has nothing either",
                       why_not_measured(pair.after, name));
  }
  return "";
}

// Of a gated metric that at least one side has.
std::pair<Basis, std::string> basis_of(const MetricEstimate& metric, const Metric* before,
                                       const Metric* after, const BenchmarkResult& result,
                                       Origin::Program program) {
  if (after == nullptr) {
    std::string why = why_not_measured(result, metric.metric);
    const Basis basis = why == results::kLaunchesDiffer ? Basis::differs : Basis::not_measured;
    return {basis, std::move(why)};
  }
  if (before == nullptr) return {Basis::no_baseline, "has no baseline"};
  if (metric.metric_class == MetricClass::exact) {
    std::string why = why_not_exact(*before, *after);
    const Basis basis = why.empty() ? Basis::exact : Basis::not_measured;
    return {basis, std::move(why)};
  }
  if (has_zero(*before) || has_zero(*after)) {
    return {Basis::no_ratio,
            "is 0 in some process, which has no ratio; class it as exact or shown"};
  }
  const bool now_is_alone = after->figures().size() < 2;
  if (now_is_alone || before->figures().size() < 2) {
    return {Basis::one_figure, fmt::format("one figure says nothing about its spread; {}",
                                           remedy_for_one(program, now_is_alone))};
  }
  return {Basis::statistics, ""};
}

}  // namespace

Evidence::InTurns in_turns(const Origin& origin) {
  if (origin.program != Origin::Program::warpgauge) return Evidence::InTurns::by_import;
  return origin.command.empty() ? Evidence::InTurns::by_gate : Evidence::InTurns::not_at_all;
}

std::vector<ProcessFigures> judged_figures(const Metric& figures, const MetricEstimate& metric) {
  return metric.by_fastest_quarter ? fastest_quarters(figures.sessions) : figures.sessions;
}

MetricEstimate metric_estimate(const std::string& name, const Rule& rule, const ResultPair& pair,
                               const Origin& origin) {
  const auto shared = shared_resource(name, rule, pair, origin);
  const Metric* const before = shared ? &shared->before : pair.before.find(name);
  const Metric* const after = shared ? &shared->after : pair.after.find(name);
  MetricEstimate metric;
  metric.metric = name;
  metric.metric_class = rule.metric_class;
  metric.rule = rule;
  metric.before_sessions = sessions_of(before);
  metric.after_sessions = sessions_of(after);
  metric.by_fastest_quarter = before != nullptr && after != nullptr &&
                              is_by_fastest_quarter(name, origin, before->sessions) &&
                              is_by_fastest_quarter(name, origin, after->sessions);
  if (before != nullptr) metric.before = figure_of(rule, *before);
  if (after != nullptr) metric.after = figure_of(rule, *after);
  if (!rule.gated()) {
    const auto range = pair.before.ranges.find(name);
    if (range != pair.before.ranges.end()) metric.range = range->second;
    return metric;
  }
  metric.not_compared = why_not_compared(rule, name, pair);
  if (!metric.not_compared.empty()) return metric;
  std::tie(metric.basis, metric.why_no_figures) =
      basis_of(metric, before, after, pair.after, origin.program);
  metric.excess_wavefronts = excess_wavefronts(name, pair.before, pair.after);
  metric.resident_warps = resident_warps(name, pair.before, pair.after);
  return metric;
}

MetricEstimate metric_estimate(const CodeMetric& code, const Rule& rule) {
  MetricEstimate metric;
  metric.metric = code.metric;
  metric.rule = rule;
  metric.metric_class = rule.gated() ? MetricClass::exact : MetricClass::shown;
  metric.basis = rule.gated() ? Basis::exact : Basis::nothing;
  metric.before = code.before;
  metric.after = code.after;
  metric.before_sessions = {{"", {code.before}}};
  metric.after_sessions = {{"", {code.after}}};
  metric.worse_where_not_run = code.worse_where_not_run;
  return metric;
}

}  // namespace warpgauge::ci
