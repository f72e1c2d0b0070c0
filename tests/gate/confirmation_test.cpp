// SPDX-License-Identifier: Apache-2.0
// What looks worse is measured again, and called so only if the new processes alone say so too.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ci/gate/gate.hpp"
#include "ci/verdict/decide.hpp"

namespace warpgauge::ci {
namespace {

constexpr double kAlpha = 0.001;

// A time that differs by this ratio, with this p-value by itself and that one over the suite.
BenchmarkEstimate timed(const std::string& id, double ratio, double p_worse, double adjusted_p) {
  MetricEstimate metric;
  metric.metric = "time";
  metric.metric_class = MetricClass::statistical;
  metric.basis = Basis::statistics;
  metric.before = 100;
  metric.after = 100 * ratio;
  metric.low = 0.9;
  metric.high = 1.1;
  metric.floor = 0.005;
  Evidence evidence;
  evidence.estimate.ratio = ratio;
  evidence.estimate.low = 0.9;
  evidence.estimate.high = 1.1;
  evidence.estimate.p_greater = p_worse;
  evidence.adjusted_p_greater = adjusted_p;
  evidence.alpha = kAlpha;
  metric.evidence = evidence;
  BenchmarkEstimate benchmark;
  benchmark.id = id;
  benchmark.metrics.push_back(metric);
  return benchmark;
}

constexpr double kSure = kAlpha / 2;
constexpr double kUnsure = 0.5;

Estimates suite(std::vector<BenchmarkEstimate> benchmarks) {
  Estimates estimates;
  estimates.benchmarks = std::move(benchmarks);
  return estimates;
}

// The decision when a suite is so at first, with what was measured again, and by that alone.
std::vector<BenchmarkVerdict> decided(const Estimates& first, const Estimates& all,
                                      const Estimates& again) {
  return decide(all, {.confirmation = Confirmation{decide(first), again, 5}});
}

Verdict verdict_of(const std::vector<BenchmarkVerdict>& verdicts, const std::string& id) {
  for (const BenchmarkVerdict& benchmark : verdicts) {
    if (benchmark.id == id) return benchmark.metrics.at(0).verdict;
  }
  ADD_FAILURE() << "no " << id;
  return Verdict::missing;
}

// One of a hundred had slowed: the hundredfold of its p was small enough once. It alone is measured
// again, so once more need only its p be small.
TEST(Confirmation, AdjustsOverWhatWasMeasuredAgain) {
  std::vector<BenchmarkEstimate> first{timed("a/b/1", 1.01, 1e-6, 1e-4)};
  std::vector<BenchmarkEstimate> second{timed("a/b/1", 1.01, 1e-4, 1e-2)};
  for (int i = 0; i < 99; ++i) {
    first.push_back(timed("c/d/" + std::to_string(i), 1, 0.5, 1));
    second.push_back(first.back());
  }
  EXPECT_EQ(verdict_of(decide(suite(second)), "a/b/1"), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(decided(suite(first), suite(first), suite(second)), "a/b/1"),
            Verdict::regressed);
}

TEST(Confirmation, WhatTheNewProcessesDoNotSayIsTakenBack) {
  const Estimates first =
      suite({timed("a/b/1", 1.01, 1e-6, kSure), timed("a/c/1", 1.01, 1e-6, kSure)});
  for (const auto& [ratio, p_worse] :
       {std::pair(1.0, 0.5), std::pair(1.01, 0.01), std::pair(1.004, 0.4), std::pair(0.99, 1.0)}) {
    const Estimates second =
        suite({timed("a/b/1", ratio, p_worse, kUnsure), timed("a/c/1", 1.01, 1e-6, kSure)});
    const auto verdict = decided(first, first, second);
    EXPECT_EQ(verdict_of(verdict, "a/b/1"), Verdict::inconclusive) << ratio << ' ' << p_worse;
    EXPECT_EQ(verdict_of(verdict, "a/c/1"), Verdict::regressed);
  }
}

// Judged with all that was measured, and so with other spreads and neighbours than at first.
TEST(Confirmation, WhatLooksWorseOnlySinceOthersWereMeasuredAgainIsNotSaid) {
  const Estimates first =
      suite({timed("a/b/1", 1.01, 1e-6, kSure), timed("a/c/1", 1.01, 0.01, kUnsure)});
  const Estimates all =
      suite({timed("a/b/1", 1.01, 1e-6, kSure), timed("a/c/1", 1.01, 1e-6, kSure)});
  const auto verdict = decided(first, all, all);
  EXPECT_EQ(verdict_of(verdict, "a/b/1"), Verdict::regressed);
  EXPECT_EQ(verdict_of(verdict, "a/c/1"), Verdict::inconclusive);
}

TEST(Confirmation, SeveralThatSlowedShareTheirChanceOfAFalseAlarm) {
  std::vector<BenchmarkEstimate> first;
  std::vector<BenchmarkEstimate> second;
  for (int i = 0; i < 4; ++i) {
    first.push_back(timed("a/b/" + std::to_string(i), 1.01, 1e-6, kSure));
    second.push_back(timed("a/b/" + std::to_string(i), 1.01, 4e-4, kUnsure));
  }
  EXPECT_EQ(verdict_of(decided(suite(first), suite(first), suite(second)), "a/b/0"),
            Verdict::inconclusive);
}

// Results of one benchmark, timed in processes that are numbered as they come.
results::Results timed_by(int processes) {
  results::Results results;
  results::BenchmarkResult& benchmark = results.benchmarks.emplace_back();
  benchmark.id = "a/b/1";
  auto& sessions = benchmark.metrics["time"].sessions;
  sessions.emplace_back();
  for (int i = 0; i < processes; ++i) sessions.back().push_back(i);
  return results;
}

TEST(Confirmation, TheNewProcessesAloneAreHandedOverBesideAllOfThem) {
  int processes = 0;
  Measuring measuring;
  measuring.has_clock = true;
  measuring.observe_all = [&] { processes = 5; };
  measuring.time_again = [&](const auto&, int more) { processes += more; };
  measuring.measured = [&] { return Sides{timed_by(processes), timed_by(processes)}; };
  measuring.keep = [] {};
  std::vector<MeasuredSides> judged;
  const GateVerdict answer = measure_and_judge(
      measuring, {.processes = 5, .most_processes = 5}, [&](const MeasuredSides& measured) {
        judged.push_back(measured);
        GateVerdict verdict;
        verdict.benchmarks = decide(suite({timed("a/b/1", 1.01, 1e-6, kSure)}));
        return verdict;
      });
  ASSERT_EQ(judged.size(), 2u);
  EXPECT_FALSE(judged[0].again);
  ASSERT_TRUE(judged[1].again);
  EXPECT_EQ(judged[1].again->processes, 5);
  EXPECT_EQ(verdict_of(judged[1].again->first, "a/b/1"), Verdict::regressed);
  const auto figures = [](const results::Results& side) {
    return side.benchmarks.at(0).metrics.at("time").sessions.at(0);
  };
  EXPECT_EQ(figures(judged[1].all.after).size(), 10u);
  const std::vector<double> newest{5, 6, 7, 8, 9};
  EXPECT_EQ(figures(judged[1].again->newest.after), newest);
  EXPECT_EQ(figures(*judged[1].again->newest.before), newest);
  EXPECT_EQ(verdict_of(answer.benchmarks, "a/b/1"), Verdict::regressed);
}

TEST(Confirmation, WhatWasMeasuredIsKeptOnceAlsoWhereThereIsNoVerdict) {
  int kept = 0;
  Measuring measuring;
  measuring.observe_all = [] {};
  measuring.measured = [] { return Sides{std::nullopt, timed_by(1)}; };
  measuring.keep = [&] { ++kept; };
  (void)measure_and_judge(measuring, {}, [](const MeasuredSides&) { return GateVerdict(); });
  EXPECT_EQ(kept, 1);
  const auto fail = [](const MeasuredSides&) -> GateVerdict { throw std::runtime_error("no"); };
  EXPECT_THROW((void)measure_and_judge(measuring, {}, fail), std::runtime_error);
  EXPECT_EQ(kept, 2);
  measuring.observe_all = [] { throw std::runtime_error("no"); };
  EXPECT_THROW((void)measure_and_judge(measuring, {}, fail), std::runtime_error);
  EXPECT_EQ(kept, 2);
}

}  // namespace
}  // namespace warpgauge::ci
