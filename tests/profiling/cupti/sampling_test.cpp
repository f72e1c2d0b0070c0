// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/sampling.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

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

// Asked whether the device is slowed, answers from a script; notes after how many samples.
struct Script {
  std::vector<bool> answers = {};
  std::vector<int> asked_after = {};
  int samples = 0;

  std::vector<bool> take(std::size_t count) {
    return take_samples(
        count, [this] { ++samples; },
        [this] {
          asked_after.push_back(samples);
          const std::size_t index = asked_after.size() - 1;
          return index < answers.size() && answers[index];
        });
  }
};

TEST(TakeSamples, AsksBeforeTheFirstAndAfterEveryTenth) {
  Script script;
  EXPECT_EQ(script.take(100), std::vector<bool>(100, true));
  EXPECT_EQ(script.samples, 100);
  EXPECT_EQ(script.asked_after, (std::vector<int>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}));
}

TEST(TakeSamples, NeitherSideOfASlowdownCounts) {
  Script script{.answers = {false, false, true, false}};
  std::vector<bool> expected(100, true);
  for (std::size_t i = 10; i < 30; ++i) expected[i] = false;
  EXPECT_EQ(script.take(100), expected);
}

TEST(TakeSamples, ASlowdownAtTheEndsCountsToo) {
  Script script{
      .answers = {true, false, false, false, false, false, false, false, false, false, true}};
  std::vector<bool> expected(100, true);
  for (std::size_t i = 0; i < 10; ++i) expected[i] = expected[90 + i] = false;
  EXPECT_EQ(script.take(100), expected);
}

TEST(TakeSamples, TakesAnyCount) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{9}, std::size_t{10},
                                  std::size_t{25}, std::size_t{99}}) {
    Script script;
    EXPECT_EQ(script.take(count).size(), count);
    EXPECT_EQ(script.samples, static_cast<int>(count));
  }
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
