// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/exit_status.hpp"

#include <set>

#include "ci/support/errors.hpp"

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
    case Verdict::not_worse:
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

int exit_status(const GateVerdict& verdict) { return exit_status(verdict, verdict.allowed); }

int exit_status(const GateVerdict& verdict, const std::set<Verdict>& allowed) {
  // Without any baseline nothing was gated: that is more than a benchmark or two being new, and no
  // allowance covers it.
  int status = verdict.no_baseline.empty() ? kExitPass : kExitNoVerdict;
  for (const Shortfall& each : verdict.shortfalls) status = graver(status, each.exit_status);
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    const auto take = [&](Verdict each) {
      const bool softened = allowed.contains(each) && !benchmark.critical;
      if (!softened) status = graver(status, exit_status(each));
    };
    take(benchmark.verdict);
    // A softened verdict must not hide a graver or another one below it.
    for (const MetricVerdict& metric : benchmark.metrics) take(metric.verdict);
  }
  return status;
}

}  // namespace warpgauge::ci
