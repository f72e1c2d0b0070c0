// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/sampling.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace warpgauge::cupti {
namespace {

TEST(SampleCount, FillsTheBudgetWithinItsLimits) {
  EXPECT_EQ(sample_count(Seconds(1e-5)), 100U);
  EXPECT_EQ(sample_count(Seconds(0.02)), 25U);
  EXPECT_EQ(sample_count(Seconds(3)), 10U);
}

TEST(SampleCount, AnyClockGivesACount) {
  EXPECT_EQ(sample_count(Seconds(0)), 100U);
  EXPECT_EQ(sample_count(Seconds(std::numeric_limits<double>::quiet_NaN())), 100U);
  EXPECT_EQ(sample_count(Seconds(std::numeric_limits<double>::infinity())), 10U);
}

TEST(WarmUp, RunsASlowSampleTwiceOnly) {
  int runs = 0;
  const Seconds one = warm_up([&] {
    ++runs;
    const auto end = std::chrono::steady_clock::now() + kWarmUp;
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  EXPECT_EQ(runs, 2);
  EXPECT_GE(one, kWarmUp);
}

}  // namespace
}  // namespace warpgauge::cupti
