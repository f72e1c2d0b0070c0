// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/process_pattern.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace warpgauge::ci {
namespace {

constexpr double kFloor = 0.007;
constexpr double kSpread = 0.0015;
constexpr int kTrials = 1000;

// Processes of a kernel of 20 µs.
class Processes {
 public:
  std::vector<double> steady(std::size_t count, double spread = kSpread) {
    std::vector<double> figures;
    for (std::size_t i = 0; i < count; ++i) {
      figures.push_back(20'000 * (1 + spread * normal_(random_)));
    }
    return figures;
  }

  std::size_t place(std::size_t count) { return random_() % count; }

 private:
  std::mt19937_64 random_{20261123};
  std::normal_distribution<double> normal_;
};

template <class Draw>
int named(Draw draw, Pattern pattern, double least = kFloor) {
  int count = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto found = process_pattern(draw(), least);
    count += found && found->is == pattern ? 1 : 0;
  }
  return count;
}

TEST(ProcessPattern, OneFarFromTheOthersIsAnOutlierWhereverItStands) {
  Processes processes;
  for (const std::size_t count : {5u, 10u}) {
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> figures = processes.steady(count);
      const std::size_t place = processes.place(count);
      figures[place] *= trial % 2 == 0 ? 1.3 : 0.8;
      const auto found = process_pattern(figures, kFloor);
      ASSERT_TRUE(found) << trial;
      EXPECT_EQ(found->is, Pattern::outlier);
      EXPECT_EQ(found->outlier, place);
      EXPECT_NEAR(found->deviation, trial % 2 == 0 ? 0.3 : -0.2, 0.01);
    }
  }
}

TEST(ProcessPattern, FiguresNearTwoPlacesAreTwoModes) {
  Processes processes;
  for (const std::size_t count : {5u, 10u}) {
    int found_modes = 0;
    int both_twice = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> figures = processes.steady(count);
      std::size_t high = 0;
      for (double& each : figures) {
        if (processes.place(2) == 0) continue;
        each *= 24.2 / 21.2;
        ++high;
      }
      both_twice += high >= 2 && high + 2 <= count ? 1 : 0;
      const auto found = process_pattern(figures, kFloor);
      if (!found || found->is != Pattern::two_modes) continue;
      ++found_modes;
      EXPECT_NEAR(found->high / found->low, 24.2 / 21.2, 0.01);
      EXPECT_NEAR(found->deviation, 24.2 / 21.2 - 1, 0.01);
    }
    EXPECT_GT(found_modes, both_twice * 95 / 100) << count;
    EXPECT_LE(found_modes, both_twice) << count;
  }
}

TEST(ProcessPattern, WhatGrowsFromProcessToProcessDrifts) {
  Processes processes;
  const auto drifting = [&] {
    std::vector<double> figures = processes.steady(10);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      figures[i] *= 1 + 0.02 * static_cast<double>(i) / 9;
    }
    return figures;
  };
  EXPECT_GT(named(drifting, Pattern::drift), kTrials * 99 / 100);
  EXPECT_NEAR(process_pattern(drifting(), kFloor)->deviation, 0.02, 0.005);
}

TEST(ProcessPattern, AStepBetweenTheEarlierAndTheLaterIsADrift) {
  Processes processes;
  const auto stepping = [&] {
    std::vector<double> figures = processes.steady(10);
    for (std::size_t i = 5; i < figures.size(); ++i) figures[i] *= 1.05;
    return figures;
  };
  EXPECT_GT(named(stepping, Pattern::drift), kTrials * 99 / 100);
}

// Without the floor's say: as rare as each rule promises. With it: hardly ever.
TEST(ProcessPattern, SteadyProcessesSeldomHaveOne) {
  Processes processes;
  for (const std::size_t count : {4u, 5u, 10u}) {
    const auto steady = [&] { return processes.steady(count); };
    for (const Pattern pattern : {Pattern::outlier, Pattern::two_modes, Pattern::drift}) {
      EXPECT_LE(named(steady, pattern, 0), kTrials * 2 / 100)
          << count << ' ' << static_cast<int>(pattern);
      EXPECT_LE(named(steady, pattern), kTrials / 1000) << count;
    }
  }
}

TEST(ProcessPattern, ThereIsNoneOfFewOrEqualFigures) {
  EXPECT_FALSE(process_pattern(std::vector<double>{}, 0));
  EXPECT_FALSE(process_pattern(std::vector<double>{1, 1, 2}, 0));
  EXPECT_FALSE(process_pattern(std::vector<double>{3, 3, 3, 3, 3}, 0));
  const auto alone = process_pattern(std::vector<double>{3, 3, 3, 4, 3}, 0);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->is, Pattern::outlier);
  EXPECT_EQ(alone->outlier, 3u);
}

}  // namespace
}  // namespace warpgauge::ci
