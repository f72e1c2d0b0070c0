// SPDX-License-Identifier: Apache-2.0
// What looks worse is measured again, and called so only if the new processes alone say so too.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/gate/gate.hpp"

namespace warpgauge::ci {
namespace {

constexpr double kAlpha = 0.001;

// The verdict on a time of `p_worse` by itself, which is that of `adjusted` over the suite.
BenchmarkVerdict timed(const std::string& id, double ratio, double p_worse, Verdict adjusted) {
  MetricVerdict metric;
  metric.metric = "time";
  metric.metric_class = MetricClass::statistical;
  metric.verdict = adjusted;
  metric.before = 100;
  metric.after = 100 * ratio;
  metric.floor = 0.005;
  Evidence evidence;
  evidence.estimate.ratio = ratio;
  evidence.estimate.low = 0.9;
  evidence.estimate.high = 1.1;
  evidence.estimate.p_greater = p_worse;
  evidence.alpha = kAlpha;
  metric.evidence = evidence;
  BenchmarkVerdict benchmark;
  benchmark.id = id;
  benchmark.verdict = adjusted;
  benchmark.metrics.push_back(metric);
  return benchmark;
}

GateVerdict suite(std::vector<BenchmarkVerdict> benchmarks) {
  GateVerdict verdict;
  verdict.benchmarks = std::move(benchmarks);
  return verdict;
}

// The gate's answer when its judgements, one after the other, are these.
GateVerdict answer(std::vector<GateVerdict> judgements) {
  Measuring measuring;
  measuring.has_clock = true;
  measuring.observe_all = [] {};
  measuring.time_again = [](const auto&, int) {};
  measuring.kept = [] { return Sides{}; };
  std::size_t next = 0;
  return measure_and_judge(measuring, {.processes = 5, .most_processes = 5},
                           [&](const Sides&) { return judgements.at(next++); });
}

Verdict verdict_of(const GateVerdict& verdict, const std::string& id) {
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (benchmark.id == id) return benchmark.metrics.at(0).verdict;
  }
  ADD_FAILURE() << "no " << id;
  return Verdict::missing;
}

// One of a hundred had slowed: the hundredfold of its p was small enough once. It alone is measured
// again, so once more need only its p be small.
TEST(Confirmation, AdjustsOverWhatWasMeasuredAgain) {
  std::vector<BenchmarkVerdict> first{timed("a/b/1", 1.01, 1e-6, Verdict::regressed)};
  std::vector<BenchmarkVerdict> second{timed("a/b/1", 1.01, 1e-4, Verdict::inconclusive)};
  for (int i = 0; i < 99; ++i) {
    first.push_back(timed("c/d/" + std::to_string(i), 1, 0.5, Verdict::same));
    second.push_back(first.back());
  }
  EXPECT_EQ(verdict_of(answer({suite(first), suite(first), suite(second)}), "a/b/1"),
            Verdict::regressed);
}

TEST(Confirmation, WhatTheNewProcessesDoNotSayIsTakenBack) {
  const GateVerdict first = suite({timed("a/b/1", 1.01, 1e-6, Verdict::regressed),
                                   timed("a/c/1", 1.01, 1e-6, Verdict::regressed)});
  const auto second = [&](double ratio, double p_worse) {
    return suite({timed("a/b/1", ratio, p_worse, Verdict::same),
                  timed("a/c/1", 1.01, 1e-6, Verdict::regressed)});
  };
  for (const auto& [ratio, p_worse] :
       {std::pair(1.0, 0.5), std::pair(1.01, 0.01), std::pair(1.004, 1e-6), std::pair(0.99, 1.0)}) {
    const GateVerdict verdict = answer({first, first, second(ratio, p_worse)});
    EXPECT_EQ(verdict_of(verdict, "a/b/1"), Verdict::inconclusive) << ratio << ' ' << p_worse;
    EXPECT_EQ(verdict_of(verdict, "a/c/1"), Verdict::regressed);
  }
}

// Judged with all that was measured, and so with other spreads and neighbours than at first.
TEST(Confirmation, WhatLooksWorseOnlySinceOthersWereMeasuredAgainIsNotSaid) {
  const GateVerdict first = suite(
      {timed("a/b/1", 1.01, 1e-6, Verdict::regressed), timed("a/c/1", 1.01, 0.01, Verdict::same)});
  const GateVerdict all = suite({timed("a/b/1", 1.01, 1e-6, Verdict::regressed),
                                 timed("a/c/1", 1.01, 1e-6, Verdict::regressed)});
  const GateVerdict verdict = answer({first, all, all});
  EXPECT_EQ(verdict_of(verdict, "a/b/1"), Verdict::regressed);
  EXPECT_EQ(verdict_of(verdict, "a/c/1"), Verdict::inconclusive);
}

TEST(Confirmation, SeveralThatSlowedShareTheirChanceOfAFalseAlarm) {
  std::vector<BenchmarkVerdict> first;
  std::vector<BenchmarkVerdict> second;
  for (int i = 0; i < 4; ++i) {
    first.push_back(timed("a/b/" + std::to_string(i), 1.01, 1e-6, Verdict::regressed));
    second.push_back(timed("a/b/" + std::to_string(i), 1.01, 4e-4, Verdict::inconclusive));
  }
  EXPECT_EQ(verdict_of(answer({suite(first), suite(first), suite(second)}), "a/b/0"),
            Verdict::inconclusive);
}

}  // namespace
}  // namespace warpgauge::ci
