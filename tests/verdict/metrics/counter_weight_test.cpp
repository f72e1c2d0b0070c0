// SPDX-License-Identifier: Apache-2.0
// What counters and resources that grew are worth beside a clock.
#include "ci/verdict/metrics/counter_weight.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;

constexpr double kBefore = 12'000;  // ns

std::vector<double> around(double time_ns) {
  return {time_ns, time_ns + 1, time_ns - 1, time_ns + 2, time_ns - 2};
}

std::vector<results::SourceLine> lines(std::uint64_t wavefronts, std::uint64_t ideal) {
  results::SourceLine line =
      source_line(31, Access::shared_load, 1536, wavefronts, "sum += tile[i];");
  line.ideal_wavefronts = ideal;
  return {line};
}

// Two kernels of other machine code: one takes kBefore, the other `time_ns`.
GateVerdict judge_counters(std::map<std::string, double> before,
                           std::map<std::string, double> after, double time_ns,
                           std::vector<results::SourceLine> lines_before = {},
                           std::vector<results::SourceLine> lines_after = {}) {
  Measured old{.id = "transpose/padded/256x192",
               .times_ns = around(kBefore),
               .counters = std::move(before),
               .lines = std::move(lines_before)};
  Measured now{.id = old.id,
               .times_ns = around(time_ns),
               .counters = std::move(after),
               .lines = std::move(lines_after)};
  return ci::judge({old}, {now});
}

Verdict of_barriers(double before, double after, double time_ns) {
  return metric(judge_counters({{"barriers", before}}, {{"barriers", after}}, time_ns), "barriers")
      .verdict;
}

TEST(CounterWeight, ACounterThatGrewALittlePassesIfTimeIsNotWorse) {
  EXPECT_EQ(of_barriers(1000, 1001, kBefore), Verdict::not_worse);
  EXPECT_EQ(of_barriers(1000, 1020, kBefore), Verdict::not_worse) << "2 % is the limit";
  EXPECT_EQ(of_barriers(1000, 1021, kBefore), Verdict::regressed);
  EXPECT_EQ(of_barriers(0, 1, kBefore), Verdict::regressed) << "without end";
  EXPECT_EQ(of_barriers(1000, 999, kBefore), Verdict::improved);
}

TEST(CounterWeight, TimeThatGotBetterPaysForIt) {
  EXPECT_EQ(of_barriers(1000, 2000, 0.8 * kBefore), Verdict::not_worse);
}

TEST(CounterWeight, TimeThatGotWorseDoesNot) {
  EXPECT_EQ(of_barriers(1000, 1001, 1.3 * kBefore), Verdict::regressed);
}

TEST(CounterWeight, WithoutAClockAnyGrowthCounts) {
  EXPECT_EQ(only(ci::judge({counted(1536)}, {counted(1537)}, emulated())), Verdict::regressed);
}

TEST(CounterWeight, BankConflictsCountWhateverTheClockSays) {
  const GateVerdict verdict =
      judge_counters({{"shared_load_wavefronts", 1536}}, {{"shared_load_wavefronts", 1537}},
                     0.8 * kBefore, lines(1536, 1536), lines(1537, 1536));
  EXPECT_EQ(metric(verdict, "shared_load_wavefronts").verdict, Verdict::regressed);
  EXPECT_EQ(verdict.exit_status, kExitRegressed);
}

// Four loads of 4 bytes that became one of 16 are as many wavefronts, or more of fewer requests.
TEST(CounterWeight, WavefrontsThatWiderLoadsNeedAreNoConflicts) {
  const auto of = [&](double time_ns, std::uint64_t ideal) {
    return metric(judge_counters({{"shared_load_wavefronts", 1536}},
                                 {{"shared_load_wavefronts", 1544}}, time_ns, lines(1536, 1536),
                                 lines(1544, ideal)),
                  "shared_load_wavefronts")
        .verdict;
  };
  EXPECT_EQ(of(kBefore, 1544), Verdict::not_worse);
  EXPECT_EQ(of(kBefore, 1543), Verdict::regressed);
  EXPECT_EQ(of(1.3 * kBefore, 1544), Verdict::regressed);
}

TEST(CounterWeight, WithoutLinesMoreWavefrontsCount) {
  const GateVerdict verdict =
      judge_counters({{"shared_load_wavefronts", 1536}}, {{"shared_load_wavefronts", 1544}},
                     kBefore, lines(1536, 1536));
  const MetricVerdict& wavefronts = metric(verdict, "shared_load_wavefronts");
  EXPECT_EQ(wavefronts.verdict, Verdict::regressed);
  EXPECT_NE(wavefronts.reason.find("is not known"), std::string::npos) << wavefronts.reason;
}

// Lines that do not add up to the counter tell nothing of it.
TEST(CounterWeight, LinesOfOtherWavefrontsAreNotBelieved) {
  EXPECT_EQ(
      metric(judge_counters({{"shared_load_wavefronts", 1536}}, {{"shared_load_wavefronts", 1544}},
                            kBefore, lines(1536, 1536), lines(1540, 1540)),
             "shared_load_wavefronts")
          .verdict,
      Verdict::regressed);
}

Measured with_code(std::vector<double> times, int registers, std::uint64_t shared_bytes = 0,
                   std::uint32_t threads = 256) {
  Measured measured = timed(std::move(times));
  measured.counters = {{"barriers", 1},
                       {"registers", registers},
                       {"static_shared_bytes", static_cast<double>(shared_bytes)},
                       {"spill_store_bytes", 0}};
  measured.machine_code = {kernel_code(
      "transpose", registers == 32 ? 'a' : static_cast<char>('b' + registers % 4), registers)};
  measured.machine_code.front().static_shared_bytes = shared_bytes;
  measured.launches = {{.kernel = "transpose", .grid = {64, 1, 1}, .block = {threads, 1, 1}}};
  return measured;
}

Verdict of_registers(const std::vector<double>& times, int registers) {
  return metric(ci::judge({with_code(times, 32)}, {with_code(times, registers)}), "registers")
      .verdict;
}

TEST(CounterWeight, RegistersAreTheClocksAffairWhereThereIsOne) {
  EXPECT_EQ(of_registers(around(kBefore), 40), Verdict::not_worse);
  EXPECT_EQ(of_registers(around(kBefore), 255), Verdict::not_worse);
}

TEST(CounterWeight, WithoutAClockRegistersCountByTheWarpsThatTheyCost) {
  const auto judged = [](int before, int after) {
    return metric(ci::judge({with_code({}, before)}, {with_code({}, after)}), "registers");
  };
  EXPECT_EQ(judged(33, 40).verdict, Verdict::not_worse);
  EXPECT_EQ(judged(33, 40).reason, "as many warps are resident, 48");
  EXPECT_EQ(judged(32, 33).verdict, Verdict::regressed);
  EXPECT_NE(judged(32, 33).reason.find("48 warps are resident, before 64"), std::string::npos)
      << judged(32, 33).reason;
}

TEST(CounterWeight, SharedMemoryCountsByTheWarpsThatItCosts) {
  const auto judged = [](std::uint64_t bytes) {
    return metric(ci::judge({with_code({}, 32, 1024)}, {with_code({}, 33, bytes)}),
                  "static_shared_bytes")
        .verdict;
  };
  EXPECT_EQ(judged(16'384), Verdict::regressed);
  Measured before = with_code({}, 64, 1024);
  Measured after = with_code({}, 65, 2048);
  after.machine_code.front().registers = 64;
  after.counters["registers"] = 64;
  EXPECT_EQ(metric(ci::judge({before}, {after}), "static_shared_bytes").verdict,
            Verdict::not_worse);
}

TEST(CounterWeight, WhereTheLaunchIsNotKnownMoreRegistersCount) {
  Measured before = with_code({}, 33);
  Measured after = with_code({}, 40);
  before.launches.clear();
  after.launches.clear();
  EXPECT_EQ(metric(ci::judge({before}, {after}), "registers").verdict, Verdict::regressed);
}

TEST(CounterWeight, WhatNothingExcusesIsKnownByItsName) {
  for (const char* metric : {"spill_load_bytes", "spill_store_bytes", "allocations", "widgets"}) {
    EXPECT_TRUE(always_decides(metric)) << metric;
  }
  for (const char* metric : {"registers", "static_shared_bytes", "barriers", "stack_bytes",
                             "shared_load_wavefronts", "global_store_sectors"}) {
    EXPECT_FALSE(always_decides(metric)) << metric;
  }
}

// Of one machine code: what the host does within a launch has no excuse in the kernels' time.
TEST(CounterWeight, WhatTheHostDoesCountsThoughTheKernelsTakeAsLong) {
  const auto with = [](double copies) {
    Measured measured = with_code(around(kBefore), 32);
    measured.counters["copies"] = copies;
    return measured;
  };
  EXPECT_EQ(metric(ci::judge({with(1)}, {with(1)}), "copies").verdict, Verdict::same);
  EXPECT_EQ(metric(ci::judge({with(0)}, {with(1)}), "copies").verdict, Verdict::regressed);
  EXPECT_EQ(ci::judge({with(0)}, {with(1)}).exit_status, kExitRegressed);
}

TEST(CounterWeight, SpillsCountWhateverTheClockSays) {
  Measured before = with_code(around(kBefore), 32);
  Measured after = with_code(around(0.8 * kBefore), 33);
  after.counters["spill_store_bytes"] = 8;
  const GateVerdict verdict = ci::judge({before}, {after});
  EXPECT_EQ(metric(verdict, "spill_store_bytes").verdict, Verdict::regressed);
  EXPECT_EQ(verdict.exit_status, kExitRegressed);
}

// The measured case: eight rows of "regressed" with the same cause each.
TEST(ReportBlock, SaysTheCauseOnceAndTheRestInOneLine) {
  const GateVerdict verdict = judge_counters(
      {{"shared_load_requests", 1536}, {"shared_load_wavefronts", 1536}, {"barriers", 1000}},
      {{"shared_load_requests", 1536}, {"shared_load_wavefronts", 49152}, {"barriers", 1100}},
      1.3 * kBefore, lines(1536, 1536), lines(49152, 1536));
  const ReportBlock block = report_block(verdict.benchmarks.front());
  ASSERT_EQ(block.rows.size(), 1U);
  EXPECT_EQ(block.rows.front().metric->metric, "time");
  EXPECT_TRUE(block.rows.front().why.ends_with(
      "; shared_load_wavefronts 1,536 → 49,152 (×32.0): 1 → 32 a request at "
      "kernels/transpose.cuh:31: sum += tile[i];"))
      << block.rows.front().why;
  EXPECT_TRUE(block.also.starts_with("regressed: barriers 1,000 → 1,100 (+10.0 %)")) << block.also;
}

TEST(ReportBlock, WhatIsToldWithoutFailingIsOneLine) {
  const GateVerdict verdict = judge_counters(
      {{"barriers", 1000}, {"global_load_requests", 10'000}, {"global_load_sectors", 40'000}},
      {{"barriers", 1001}, {"global_load_requests", 10'001}, {"global_load_sectors", 40'001}},
      kBefore);
  EXPECT_EQ(verdict.exit_status, kExitPass);
  const ReportBlock block = report_block(verdict.benchmarks.front());
  ASSERT_EQ(block.rows.size(), 1U);
  EXPECT_EQ(block.also,
            "not worse: global_load_requests 10,000 → 10,001 (+0.01 %), global_load_sectors "
            "40,000 → 40,001 (+0.002 %)");
}

}  // namespace
}  // namespace warpgauge::ci
