// SPDX-License-Identifier: Apache-2.0
// A program's kernel of the same code whose processes differ: when its range stands for it.
#include "ci/verdict/identity/same_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiling/results/program_id.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

const std::string kKernel = "step/gather/4096·96";

struct Side {
  std::vector<double> kernel;  // ns, by process
  std::vector<double> range;
  double share = 0.014;  // of the program's time, that the kernel takes
  char code = 'a';
  std::string created = "2026-11-21T04:00:00Z";
};

results::Results results_of(const Side& side) {
  results::Results results;
  results.name = "program";
  results.session.emplace();
  results.session->device = h200();
  results.session->created = side.created;
  results.session->processes = static_cast<int>(side.kernel.size());
  results.session->program = results::Program{"python3 bench.py", ""};
  const auto add = [&](results::BenchmarkResult& to, const char* metric,
                       std::vector<double> figures) {
    to.metrics[metric].sessions = {std::move(figures)};
    to.metrics[metric].labels = {side.created};
  };
  results::BenchmarkResult& kernel = results.benchmarks.emplace_back();
  kernel.id = kKernel;
  kernel.machine_code = {kernel_code("gather", side.code)};
  add(kernel, results::kTimeMetric, side.kernel);
  add(kernel, results::kKernelLaunches, {40});
  add(kernel, results::kGpuTimeShare, {side.share});
  results::BenchmarkResult& range = results.benchmarks.emplace_back();
  range.id = "step";
  add(range, results::kTimeMetric, side.range);
  add(range, results::kGpuTimeShare, {0.99});
  return results;
}

const std::vector<double> kQuiet{700'000, 700'500, 699'800, 700'100, 700'300};
const std::vector<double> kApproved{4'900, 4'920, 4'910, 4'905, 5'190};
const std::vector<double> kSlower{5'030, 4'990, 5'250, 5'010, 4'940};  // +1.6 %, floor 1.5 %

const MetricVerdict& time_of_kernel(const GateVerdict& verdict) {
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    if (each.id == kKernel) return each.metrics.front();
  }
  throw std::logic_error("the kernel is not there");
}

MetricVerdict judged(const Side& before, Side after) {
  results::Results approved = results_of(before);
  approved.is_baseline = true;
  after.created = kLater;
  return time_of_kernel(compare(approved, results_of(after), built_in_policy()));
}

TEST(SameProgram, TheRangeStandsForAKernelThatCannotMoveIt) {
  const MetricVerdict time = judged({kApproved, kQuiet}, {kSlower, kQuiet});
  EXPECT_EQ(time.verdict, Verdict::same);
  EXPECT_THAT(time.reason, testing::HasSubstr("% of step, which is not slower"));
  EXPECT_FALSE(time.more_processes_help);
}

// As an H100 had it: +1.75 %, of -5 to +9 %, of what takes 0.6 % of the range.
TEST(SameProgram, TheRangeStandsForAGatherThatIsHalfAPercentOfIt) {
  const std::vector<double> apart{5'030, 4'700, 5'350, 5'010, 4'840,
                                  5'390, 4'800, 5'260, 4'790, 4'960};
  const MetricVerdict time = judged({kApproved, kQuiet, 0.006}, {apart, kQuiet, 0.006});
  EXPECT_EQ(time.verdict, Verdict::same) << time.reason;
  ASSERT_TRUE(time.low && time.high);
  EXPECT_LT(*time.low, 0.96);
  EXPECT_GT(*time.high, 1.05);
}

TEST(SameProgram, ItDoesNotForOneThatCouldMoveIt) {
  const MetricVerdict time = judged({kApproved, kQuiet, 0.3}, {kSlower, kQuiet, 0.3});
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
}

TEST(SameProgram, ItDoesNotWhereItIsOpenItself) {
  const MetricVerdict time =
      judged({kApproved, kQuiet}, {kSlower, {735'000, 690'000, 741'000, 700'000, 712'000}});
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
}

TEST(SameProgram, ItDoesNotForOtherCode) {
  const MetricVerdict time = judged({kApproved, kQuiet}, {kSlower, kQuiet, 0.014, 'b'});
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
}

TEST(SameProgram, WhatSlowedForSureIsRegressedHoweverSmall) {
  const std::vector<double> twice{9'800, 9'840, 9'820, 9'810, 9'830};
  const MetricVerdict time = judged({{4'900, 4'920, 4'910, 4'905, 4'915}, kQuiet}, {twice, kQuiet});
  EXPECT_EQ(time.verdict, Verdict::regressed);
}

}  // namespace
}  // namespace warpgauge::ci
