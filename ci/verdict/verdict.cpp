// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/verdict.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "ci/support/errors.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

int graver(int a, int b) {
  for (const int status : {kExitNotMeasured, kExitRegressed, kExitNoVerdict}) {
    if (a == status || b == status) return status;
  }
  return kExitPass;
}

}  // namespace

int exit_status(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
    case Verdict::improved:
      return kExitPass;
    case Verdict::added:
    case Verdict::inconclusive:
      return kExitNoVerdict;
    case Verdict::regressed:
      return kExitRegressed;
    case Verdict::not_measured:
    case Verdict::missing:
    case Verdict::failed:
      return kExitNotMeasured;
  }
  return kExitNotMeasured;
}

void sort_by_gravity(std::vector<BenchmarkVerdict>& benchmarks) {
  for (BenchmarkVerdict& benchmark : benchmarks) {
    std::stable_sort(benchmark.metrics.begin(), benchmark.metrics.end(),
                     [](const MetricVerdict& a, const MetricVerdict& b) {
                       // Time leads among equals: it is what the counters are there to explain.
                       const auto rank = [](const MetricVerdict& metric) {
                         return std::pair(-static_cast<int>(metric.verdict),
                                          metric.metric != results::kTimeMetric);
                       };
                       return rank(a) < rank(b);
                     });
    for (const MetricVerdict& metric : benchmark.metrics) {
      benchmark.verdict = std::max(benchmark.verdict, metric.verdict);
    }
  }
  std::sort(benchmarks.begin(), benchmarks.end(),
            [](const BenchmarkVerdict& a, const BenchmarkVerdict& b) {
              const auto rank = [](const BenchmarkVerdict& benchmark) {
                const bool leads =
                    benchmark.critical && exit_status(benchmark.verdict) != kExitPass;
                return std::tuple(!leads, -static_cast<int>(benchmark.verdict),
                                  std::string_view(benchmark.id));
              };
              return rank(a) < rank(b);
            });
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::improved:
      return "improved";
    case Verdict::added:
      return "new";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::regressed:
      return "regressed";
    case Verdict::not_measured:
      return "not measured";
    case Verdict::missing:
      return "missing";
    case Verdict::failed:
      return "failed";
  }
  return "";
}

std::size_t GateVerdict::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(benchmarks.begin(), benchmarks.end(),
                    [&](const BenchmarkVerdict& each) { return each.verdict == verdict; }));
}

int exit_status(const GateVerdict& verdict) {
  // Without any baseline nothing was gated: that is more than a benchmark or two being new, and no
  // allowance covers it.
  int status = verdict.no_baseline.empty() ? kExitPass : kExitNoVerdict;
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
