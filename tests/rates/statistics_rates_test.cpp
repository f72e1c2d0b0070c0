// SPDX-License-Identifier: Apache-2.0
// How often one test, one interval and a whole suite err, in simulated measurements of known truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/statistics/laboratory.hpp"

namespace warpgauge::ci {
namespace {

TEST(StatisticsRates, OneTestOfIdenticalWorkErrsAsOftenAsItSays) {
  Laboratory laboratory;
  constexpr int kTrials = 20'000;
  int alarms = 0;
  for (int i = 0; i < kTrials; ++i) {
    const std::vector<ProcessFigures> before{laboratory.session()};
    const std::vector<ProcessFigures> after{laboratory.session()};
    if (compare_means(before, after, {}, {.beta = kAlpha}).p_greater < kAlpha) ++alarms;
  }
  // Expected 200, standard deviation 14.
  EXPECT_NEAR(alarms, kTrials * kAlpha, 60);
}

// Welch's degrees of freedom. Of two sides in turns, and of one against a baseline of sessions.
TEST(StatisticsRates, ASideThatScattersTenTimesAsMuchErrsAsOftenAsItSays) {
  constexpr int kTrials = 20'000;
  for (const int sessions : {0, 1, 3}) {
    Laboratory steady;
    Laboratory wild;
    steady.between_processes = 0.0015;
    wild.between_processes = 0.015;
    for (const bool wild_before : {false, true}) {
      int greater = 0;
      int less = 0;
      for (int i = 0; i < kTrials; ++i) {
        TwoSides sides;
        sides.before = (wild_before ? wild : steady).sessions(std::max(1, sessions));
        sides.after = {(wild_before ? steady : wild).session()};
        sides.by_processes_alone = sessions == 0;
        const Estimate estimate = estimate_suite({&sides, 1}, kAlpha).front().estimate;
        greater += estimate.p_greater < kAlpha ? 1 : 0;
        less += estimate.p_less < kAlpha ? 1 : 0;
      }
      // Expected 200, standard deviation 14.
      EXPECT_LE(greater, kTrials * kAlpha + 60) << sessions << wild_before;
      EXPECT_LE(less, kTrials * kAlpha + 60) << sessions << wild_before;
    }
  }
}

TEST(StatisticsRates, IntervalHoldsTheTruthAsOftenAsItSays) {
  Laboratory laboratory;
  laboratory.between_processes = 0.01;
  constexpr int kTrials = 20'000;
  constexpr double kFactor = 1.05;
  int missed = 0;
  for (int i = 0; i < kTrials; ++i) {
    const std::vector<ProcessFigures> before{laboratory.session()};
    const std::vector<ProcessFigures> after{laboratory.session(kFactor)};
    const Estimate estimate = compare_means(before, after, {}, {.beta = kAlpha});
    if (kFactor < estimate.low || kFactor > estimate.high) ++missed;
  }
  EXPECT_NEAR(missed, 2 * kTrials * kAlpha, 90);
}

// Even without a floor, a whole suite errs at most in alpha of its runs.
TEST(StatisticsRates, ASuiteOfIdenticalWorkIsSeldomCalledDifferent) {
  Laboratory laboratory;
  constexpr int kRuns = 2'000;
  int runs_with_alarm = 0;
  for (int run = 0; run < kRuns; ++run) {
    if (compare_suites(laboratory, 20, 1, 1, 0).greater > 0) ++runs_with_alarm;
  }
  EXPECT_LE(runs_with_alarm, kRuns * kAlpha + 14);  // three standard deviations above 20
  EXPECT_GE(runs_with_alarm, 2) << "far fewer than alpha: the adjustment is too strict";
}

TEST(StatisticsRates, WithTheFloorIdenticalWorkIsNeverCalledDifferent) {
  Laboratory laboratory;
  Tally tally;
  for (int run = 0; run < 500; ++run) {
    const Tally one = compare_suites(laboratory, 20, 1, 1, 0.02);
    tally.greater += one.greater;
    tally.less += one.less;
    tally.none += one.none;
  }
  EXPECT_EQ(tally.greater, 0);
  EXPECT_EQ(tally.less, 0);
  EXPECT_GE(tally.none, 9'990) << "of 10,000";
}

TEST(StatisticsRates, SpreadBetweenSessionsIsCounted) {
  Laboratory laboratory;
  laboratory.between_processes = 0.0005;
  laboratory.between_sessions = 0.01;
  int with_spread = 0;
  for (int run = 0; run < 500; ++run) {
    with_spread += compare_suites(laboratory, 10, 3, 1, 0).greater > 0 ? 1 : 0;
  }
  // Taken for independent processes, nearly every run would give an alarm.
  EXPECT_LE(with_spread, 500 * kAlpha + 7);
}

}  // namespace
}  // namespace warpgauge::ci
