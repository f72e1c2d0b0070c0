// SPDX-License-Identifier: Apache-2.0
// What repetition says of counters that are shown.
#include "ci/verdict/metrics/counter_range.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ci/report/explain_trace.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::CounterRange;
using results::CounterRanges;

TEST(CounterRange, ItsClassFollowsFromItsSessions) {
  EXPECT_EQ(repeats({5, 100, 100}), Repeats::exact);
  EXPECT_EQ(repeats({4, 100, 100}), Repeats::unknown);
  EXPECT_EQ(repeats({5, 95, 100}), Repeats::bounded);
  EXPECT_EQ(repeats({4, 95, 100}), Repeats::unknown);
  EXPECT_EQ(repeats({5, 94.9, 100}), Repeats::noisy);
  EXPECT_EQ(repeats({2, 94.9, 100}), Repeats::noisy) << "further sessions only add to it";
  EXPECT_EQ(repeats({5, 0, 0}), Repeats::exact);
}

TEST(CounterRange, TakesInWhatIsCountedOnceAndNotGated) {
  Measured counted{.id = "a/b/1",
                   .times_ns = {5, 6},
                   .counters = {{"dram_read_bytes", 100},
                                {"occupancy", 50.5},
                                {"shared_load_requests", 8},
                                {"span", 7},
                                {"code_bytes", 2048}}};
  CounterRanges ranges;
  take_in(results_of(h200(), {counted}).benchmarks.front(), built_in_policy(), ranges);
  EXPECT_EQ(ranges,
            (CounterRanges{{"dram_read_bytes", {1, 100, 100}}, {"occupancy", {1, 50.5, 50.5}}}));

  counted.counters = {{"dram_read_bytes", 90}};
  take_in(results_of(h200(), {counted}).benchmarks.front(), built_in_policy(), ranges);
  counted.counters = {{"dram_read_bytes", 95}};
  for (int i = 0; i < 7; ++i) {
    take_in(results_of(h200(), {counted}).benchmarks.front(), built_in_policy(), ranges);
  }
  EXPECT_EQ(ranges.at("dram_read_bytes"), (CounterRange{kSessionsOfARange, 90, 100}));
  EXPECT_EQ(ranges.at("occupancy"), (CounterRange{1, 50.5, 50.5}));

  // A counter that the policy would gate, but not for this benchmark, is shown.
  Policy policy = built_in_policy();
  policy.overrides.push_back({.benchmarks = "a/*",
                              .metrics = {"shared_load_requests"},
                              .gate = false,
                              .optional = {},
                              .relative_floor = {},
                              .absolute_floor = {},
                              .reason = "polls"});
  counted.counters = {{"shared_load_requests", 8}};
  CounterRanges polls;
  take_in(results_of(h200(), {counted}).benchmarks.front(), policy, polls);
  EXPECT_EQ(polls, (CounterRanges{{"shared_load_requests", {1, 8, 8}}}));
}

TEST(CounterRange, BeyondItIsWhatChanceSeldomShows) {
  EXPECT_FALSE(is_beyond({5, 100, 102}, 104));
  EXPECT_TRUE(is_beyond({5, 100, 102}, 104.1));
  EXPECT_FALSE(is_beyond({5, 100, 102}, 98));
  EXPECT_TRUE(is_beyond({5, 100, 102}, 97.9));
  EXPECT_FALSE(is_beyond({5, 100, 100}, 100));
  EXPECT_TRUE(is_beyond({5, 100, 100}, 101));
  EXPECT_FALSE(is_beyond({4, 100, 100}, 200)) << "four sessions say too little";
}

TEST(CounterRange, InWords) {
  EXPECT_EQ(range_text({5, 1000, 1000}), "1,000 in 5 sessions or more, exact");
  EXPECT_EQ(range_text({5, 1000, 1001.5}), "1,000 to 1002 in 5 sessions or more, bounded");
  EXPECT_EQ(range_text({1, 0, 0}), "0 in 1 session");
}

// A baseline whose sessions read 1,000 to 1,010 bytes, and results that read so many, in this time.
GateVerdict compared(double bytes, double time_ns) {
  const auto measured = [](double read, double time) {
    return results_of(h200(), {{.id = "a/b/1",
                                .times_ns = {time, time + 10, time + 20},
                                .counters = {{"dram_read_bytes", read}, {"occupancy", 50}}}});
  };
  results::Results before = measured(1000, 100'000);
  before.is_baseline = true;
  before.benchmarks.front().metrics.erase("dram_read_bytes");
  before.benchmarks.front().ranges = {{"dram_read_bytes", {5, 1000, 1010}},
                                      {"occupancy", {5, 50, 50}}};
  return compare(before, measured(bytes, time_ns), built_in_policy());
}

std::string reason_of_time(const GateVerdict& verdict) {
  for (const MetricVerdict& each : verdict.benchmarks.front().metrics) {
    if (each.metric == "time") return each.reason;
  }
  return "no time";
}

TEST(CounterRange, WhatIsBeyondItIsNamedWhereTheTimeMoved) {
  EXPECT_EQ(
      reason_of_time(compared(1100, 150'000)),
      "not as in the baseline's sessions: dram_read_bytes 1,100 (1,000 to 1,010 in 5 sessions "
      "or more, bounded)");
  EXPECT_NE(reason_of_time(compared(500, 50'000)).find("dram_read_bytes 500 "), std::string::npos);
  EXPECT_EQ(reason_of_time(compared(1005, 150'000)), "");
  EXPECT_EQ(reason_of_time(compared(1100, 100'000)), "") << "the time is the same";
}

TEST(CounterRange, IsPartOfTheDerivation) {
  const std::string beyond = derivations(compared(1100, 100'000), "a/b/1");
  EXPECT_NE(
      beyond.find("    range     1,000 to 1,010 in 5 sessions or more, bounded; now beyond it\n"),
      std::string::npos)
      << beyond;
  EXPECT_NE(beyond.find("    range     50 in 5 sessions or more, exact\n"), std::string::npos)
      << beyond;
}

}  // namespace
}  // namespace warpgauge::ci
