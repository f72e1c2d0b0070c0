// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/aggregate.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/verdict/notes.hpp"

namespace warpgauge::ci {
namespace {

int graver(int a, int b) {
  for (const int status : {kExitNotMeasured, kExitRegressed, kExitNoVerdict}) {
    if (a == status || b == status) return status;
  }
  return kExitPass;
}

// Time leads among equals: it is what the counters are there to explain.
std::vector<MetricVerdict> gravest_first(std::vector<MetricVerdict> metrics) {
  const auto rank = [](const MetricVerdict& metric) {
    return std::pair(-static_cast<int>(metric.verdict), metric.metric != results::kTimeMetric);
  };
  std::stable_sort(metrics.begin(), metrics.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return metrics;
}

// Critical ones that do not pass lead.
std::vector<BenchmarkVerdict> gravest_first(std::vector<BenchmarkVerdict> benchmarks) {
  const auto rank = [](const BenchmarkVerdict& benchmark) {
    const bool leads = benchmark.critical && exit_status(benchmark.verdict) != kExitPass;
    return std::tuple(!leads, -static_cast<int>(benchmark.verdict), std::string_view(benchmark.id));
  };
  std::sort(benchmarks.begin(), benchmarks.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return benchmarks;
}

}  // namespace

GateVerdict aggregate(std::vector<BenchmarkVerdict> benchmarks, const Estimates& estimates,
                      const results::Results& before, const results::Results& after,
                      const std::set<Verdict>& allowed) {
  GateVerdict verdict;
  verdict.policy = estimates.policy;
  verdict.before = before.name;
  verdict.after = after.name;
  verdict.before_session = before.session;
  verdict.after_session = after.session;
  if (after.session) verdict.device = after.session->device.name;
  verdict.ceilings = ceilings_of(after).bytes_per_second;
  verdict.no_baseline = estimates.no_baseline;
  verdict.allowed = allowed;
  verdict.shortfalls = estimates.shortfalls;
  verdict.notes = estimates.notes;
  for (const auto& notes : {notes_on_code(estimates, benchmarks), notes_of_benchmarks(after)}) {
    verdict.notes.insert(verdict.notes.end(), notes.begin(), notes.end());
  }
  for (BenchmarkVerdict& benchmark : benchmarks) {
    benchmark.metrics = gravest_first(std::move(benchmark.metrics));
    for (const MetricVerdict& metric : benchmark.metrics) {
      benchmark.verdict = std::max(benchmark.verdict, metric.verdict);
    }
  }
  verdict.benchmarks = gravest_first(std::move(benchmarks));
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

int exit_status(const GateVerdict& verdict) {
  // Without any baseline nothing was gated: that is more than a benchmark or two being new, and no
  // allowance covers it.
  int status = verdict.no_baseline.empty() ? kExitPass : kExitNoVerdict;
  for (const Shortfall& each : verdict.shortfalls) status = graver(status, each.exit_status);
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    const auto take = [&](Verdict each) {
      const bool softened = verdict.allowed.contains(each) && !benchmark.critical;
      if (!softened) status = graver(status, exit_status(each));
    };
    take(benchmark.verdict);
    // A softened verdict must not hide a graver or another one below it.
    for (const MetricVerdict& metric : benchmark.metrics) take(metric.verdict);
  }
  return status;
}

}  // namespace warpgauge::ci
