// SPDX-License-Identifier: Apache-2.0
// A program's kernel of the same code whose processes differ: when its range stands for it.
#include "ci/verdict/program/same_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/verdict/estimate.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "profiling/results/program_id.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

const std::string kGather = "step/gather/4096·96";

struct Side {
  std::vector<double> kernel;  // ns, by process
  std::vector<double> range;
  double share = 0.014;  // of the program's time, that the kernel takes
  char code = 'a';
  std::string created = "2026-11-21T04:00:00Z";
};

results::Results results_with(const Side& side) {
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
  kernel.id = kGather;
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

MetricVerdict judged_kernel(const Side& before, Side after) {
  results::Results approved = results_with(before);
  approved.is_baseline = true;
  after.created = kLater;
  return verdict_on(compare(approved, results_with(after), built_in_policy()), kGather)
      .metrics.front();
}

TEST(SameProgram, TheRangeStandsForAKernelThatCannotMoveIt) {
  const MetricVerdict time = judged_kernel({kApproved, kQuiet}, {kSlower, kQuiet});
  EXPECT_EQ(time.verdict, Verdict::same);
  EXPECT_THAT(time.reason, testing::HasSubstr("% of step, which is not slower"));
  EXPECT_FALSE(time.more_processes_help);
}

// As an H100 had it: +1.75 %, of -5 to +9 %, of what takes 0.6 % of the range.
TEST(SameProgram, TheRangeStandsForAGatherThatIsHalfAPercentOfIt) {
  const std::vector<double> apart{5'030, 4'700, 5'350, 5'010, 4'840,
                                  5'390, 4'800, 5'260, 4'790, 4'960};
  const MetricVerdict time = judged_kernel({kApproved, kQuiet, 0.006}, {apart, kQuiet, 0.006});
  EXPECT_EQ(time.verdict, Verdict::same) << time.reason;
  ASSERT_TRUE(time.low && time.high);
  EXPECT_LT(*time.low, 0.96);
  EXPECT_GT(*time.high, 1.05);
}

TEST(SameProgram, ItDoesNotForOneThatCouldMoveIt) {
  const MetricVerdict time = judged_kernel({kApproved, kQuiet, 0.3}, {kSlower, kQuiet, 0.3});
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
}

TEST(SameProgram, ItDoesNotWhereItIsOpenItself) {
  const MetricVerdict time =
      judged_kernel({kApproved, kQuiet}, {kSlower, {735'000, 690'000, 741'000, 700'000, 712'000}});
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
}

TEST(SameProgram, ItDoesNotForOtherCode) {
  const MetricVerdict time = judged_kernel({kApproved, kQuiet}, {kSlower, kQuiet, 0.014, 'b'});
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
}

TEST(SameProgram, WhatSlowedForSureIsRegressedHoweverSmall) {
  const std::vector<double> twice{9'800, 9'840, 9'820, 9'810, 9'830};
  const MetricVerdict time =
      judged_kernel({{4'900, 4'920, 4'910, 4'905, 4'915}, kQuiet}, {twice, kQuiet});
  EXPECT_EQ(time.verdict, Verdict::regressed);
}

// Of JAX on an H200: entered twice a process, it had one launch in one of five processes that took
// 1.1 ms longer, as when the GPU does something else between.
struct Passes {
  std::vector<double> range;
  std::vector<double> others;  // what is small in it
  char code = 'a';             // of its kernel
  char code_elsewhere = 'a';   // of the other range's
  bool has_second_kernel = false;
};

const std::vector<double> kInterrupted{8'480'791, 8'483'398, 8'483'766, 9'035'364, 8'478'614};
const std::vector<double> kUninterrupted{8'483'413, 8'483'316, 8'480'036, 8'483'572, 8'483'619,
                                         8'484'243, 8'483'812, 8'481'588, 8'485'714, 8'485'236};
const std::vector<double> kLittle{96'449, 96'257, 96'480, 97'057, 96'864};

void add(results::Results& to, const std::string& id, const std::string& metric,
         std::vector<double> figures) {
  auto found = std::find_if(to.benchmarks.begin(), to.benchmarks.end(),
                            [&](const auto& each) { return each.id == id; });
  if (found == to.benchmarks.end()) {
    to.benchmarks.emplace_back().id = id;
    found = std::prev(to.benchmarks.end());
  }
  found->metrics[metric].sessions = {std::move(figures)};
  found->metrics[metric].labels = {to.session->created};
}

results::Results passes(const Passes& side, const std::string& created) {
  results::Results results = results_with({kQuiet, kQuiet, 0.9, side.code_elsewhere, created});
  const auto kernel = [&](const std::string& id, double share) {
    add(results, id, results::kTimeMetric, {2'106'714, 2'106'287, 2'106'170, 2'114'617, 2'105'145});
    add(results, id, results::kKernelLaunches, {6});
    add(results, id, results::kGpuTimeShare, {share});
    results.benchmarks.back().machine_code = {kernel_code("gemm", side.code)};
  };
  kernel("first/gemm/65536·64", 0.0194);
  if (side.has_second_kernel) kernel("first/gemm/4096·64", 0.0006);
  add(results, "first", results::kTimeMetric, side.range);
  add(results, "first", results::kOtherTime, side.others);
  add(results, "first", results::kGpuTimeShare, {0.0196});
  add(results, results::kWholeProgram, results::kGpuTime, {432'000'000});
  add(results, results::kWholeProgram, results::kOtherTime, {9'000'000});
  return results;
}

MetricVerdict judged_passes(const Passes& before, const Passes& after) {
  results::Results approved = passes(before, "2026-11-26T11:57:26Z");
  approved.is_baseline = true;
  const GateVerdict verdict =
      compare(approved, passes(after, "2026-11-26T12:00:00Z"), built_in_policy());
  return verdict_on(verdict, "first").metrics.front();
}

TEST(SameProgram, ARangeOfTheSameCodeIsTheSameThoughALaunchOfTheBaselineWasInterrupted) {
  const MetricVerdict time = judged_passes({kInterrupted, kLittle}, {kUninterrupted, kLittle});
  EXPECT_EQ(time.verdict, Verdict::same) << time.reason;
  EXPECT_THAT(time.reason, testing::HasSubstr("the machine code is the same, launched alike"));
}

TEST(SameProgram, OfARangeOnlyWhatLiesInItNeedsToBeTheSame) {
  const MetricVerdict time = judged_passes({kInterrupted, kLittle, 'a', 'a'},  //
                                           {kUninterrupted, kLittle, 'a', 'b'});
  EXPECT_EQ(time.verdict, Verdict::same) << time.reason;
}

TEST(SameProgram, ARangeIsOpenWhereItsOwnKernelIsOfOtherCode) {
  const MetricVerdict time =
      judged_passes({kInterrupted, kLittle, 'a'}, {kUninterrupted, kLittle, 'b'});
  EXPECT_EQ(time.verdict, Verdict::inconclusive) << time.reason;
}

TEST(SameProgram, ARangeIsOpenWhereAKernelCameOrWent) {
  const Passes one{kInterrupted, kLittle};
  Passes two{kUninterrupted, kLittle};
  two.has_second_kernel = true;
  EXPECT_EQ(judged_passes(one, two).verdict, Verdict::inconclusive);
  EXPECT_EQ(
      judged_passes({kInterrupted, kLittle, 'a', 'a', true}, {kUninterrupted, kLittle}).verdict,
      Verdict::inconclusive);
}

// 1.5 % of 8.47 ms are 127 µs; the slowest process counts.
TEST(SameProgram, ARangeIsOpenWhereWhatIsSmallInItCouldHaveSlowedItByTheFloor) {
  const std::vector<double> much{96'449, 96'257, 130'000, 97'057, 96'864};
  const MetricVerdict time = judged_passes({kInterrupted, kLittle}, {kUninterrupted, much});
  EXPECT_EQ(time.verdict, Verdict::inconclusive) << time.reason;
}

// Of PyTorch on an H200: casts in four of eight blocks, of a pass whose processes differ by 0.8 %.
const std::vector<double> kPass{2'211'707, 2'200'805, 2'225'995, 2'244'079, 2'202'164};
const std::vector<double> kPassWithCasts{2'356'071, 2'340'058, 2'359'140, 2'342'922, 2'304'103,
                                         2'326'011, 2'335'421, 2'319'325, 2'337'596, 2'322'573};

struct Forward {
  std::vector<double> range;
  double new_share = 0;  // of what is launched on this side alone; 0: nothing is
  char code = 'a';       // of the rest
};

results::Results forward(const Forward& side, const std::string& created) {
  results::Results results = results_with({kQuiet, kQuiet, 0.1, 'a', created});
  const auto kernel = [&](const std::string& id, double share, char code) {
    add(results, id, results::kTimeMetric, {94'969, 94'954, 95'479, 96'219, 95'187});
    add(results, id, results::kKernelLaunches, {960});
    add(results, id, results::kGpuTimeShare, {share});
    results.benchmarks.back().machine_code = {kernel_code("gemm", code)};
  };
  kernel("forward/gemm/2x66·384", 0.76, side.code);
  if (side.new_share > 0) kernel("forward/cast/16384·128", side.new_share, 'c');
  add(results, "forward", results::kTimeMetric, side.range);
  add(results, "forward", results::kGpuTimeShare, {0.81});
  return results;
}

MetricVerdict judged_forward(const Forward& before, const Forward& after) {
  results::Results approved = forward(before, "2026-11-26T11:57:26Z");
  approved.is_baseline = true;
  const Estimates estimates =
      estimate(approved, forward(after, "2026-11-26T12:00:00Z"), built_in_policy());
  const auto found = estimates.added_in_program.find("forward");
  for (const BenchmarkEstimate& each : estimates.benchmarks) {
    if (each.id != "forward") continue;
    // As in a gate that is left open by how far sessions may differ.
    MetricVerdict open;
    static_cast<MetricEstimate&>(open) =
        *std::find_if(each.metrics.begin(), each.metrics.end(),
                      [](const auto& metric) { return metric.metric == results::kTimeMetric; });
    open.verdict = Verdict::inconclusive;
    if (found != estimates.added_in_program.end()) decide_by_what_was_added(found->second, open);
    return open;
  }
  throw std::logic_error("the range is not there");
}

// Ranges that cover 95 % and a bit leave the whole program untimed, those that cover a bit less do
// not.
results::Results nearly_covered(bool left_to_ranges, const std::vector<double>& worked_ns,
                                const std::string& created) {
  results::Results results = results_with({kQuiet, kQuiet, 0.9, 'a', created});
  add(results, results::kWholeProgram, left_to_ranges ? results::kGpuTime : results::kTimeMetric,
      worked_ns);
  if (left_to_ranges) {
    results.benchmarks.back().not_measured[results::kTimeMetric] = results::kRangesAreTimed;
  }
  return results;
}

TEST(SameProgram, TheWholeThatOnlyOneSideLeavesToItsRangesIsNotNew) {
  const std::vector<double> was{118e6, 118.1e6, 117.9e6, 118e6, 118e6};
  const auto judged = [&](bool left_before, bool left_now, double change) {
    results::Results approved = nearly_covered(left_before, was, "2026-11-26T11:57:26Z");
    approved.is_baseline = true;
    approved.benchmarks.back().not_measured.clear();  // a baseline does not keep why
    std::vector<double> now = was;
    for (double& each : now) each *= change;
    return compare(approved, nearly_covered(left_now, now, "2026-11-26T12:00:00Z"),
                   built_in_policy());
  };
  EXPECT_EQ(judged(true, false, 1).exit_status, kExitPass) << conclusion(judged(true, false, 1));
  EXPECT_THAT(judged(true, false, 1).notes,
              testing::Contains(testing::HasSubstr("the baseline has no time of the whole")));
  EXPECT_EQ(judged(false, true, 1).exit_status, kExitPass);
  EXPECT_EQ(judged(true, true, 1).exit_status, kExitPass);
  EXPECT_EQ(judged(false, false, 1).exit_status, kExitPass);
  EXPECT_EQ(judged(false, false, 1.1).exit_status, kExitRegressed);
}

TEST(SameProgram, WhatIsLaunchedOnlyNowExplainsARangeThatIsSlowerThanItsFloor) {
  const MetricVerdict time = judged_forward({kPass}, {kPassWithCasts, 0.0475});
  EXPECT_EQ(time.verdict, Verdict::regressed) << time.reason;
  EXPECT_THAT(time.reason, testing::HasSubstr("what is launched only now takes 6.2 %"));
}

TEST(SameProgram, ItDoesNotIfTheRangeIsNoSlowerThanItsFloor) {
  EXPECT_EQ(judged_forward({kPass}, {kPass, 0.0475}).verdict, Verdict::inconclusive);
}

TEST(SameProgram, ItDoesNotIfItTakesLessThanTheFloor) {
  EXPECT_EQ(judged_forward({kPass}, {kPassWithCasts, 0.01}).verdict, Verdict::inconclusive);
}

TEST(SameProgram, ItDoesNotIfTheRestIsOfOtherCodeOrAKernelIsGone) {
  EXPECT_EQ(judged_forward({kPass}, {kPassWithCasts, 0.0475, 'b'}).verdict, Verdict::inconclusive);
  EXPECT_EQ(judged_forward({kPass, 0.03}, {kPassWithCasts}).verdict, Verdict::inconclusive);
}

TEST(SameProgram, ItDoesNotWhereProcessesDifferByAsMuch) {
  const std::vector<double> apart{2'100'000, 2'480'000, 2'350'000, 2'210'000, 2'460'000};
  EXPECT_EQ(judged_forward({kPass}, {apart, 0.0475}).verdict, Verdict::inconclusive);
}

}  // namespace
}  // namespace warpgauge::ci
