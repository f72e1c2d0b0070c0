// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/mean_bounds.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <stdexcept>
#include <vector>

namespace warpgauge::ci {
namespace {

// By a table of Student's t: 2.132 leaves 5 % above it with 4 degrees of freedom, 6.314 with 1.
TEST(MeanBounds, OfOneSessionAreByItsProcesses) {
  const std::vector<ProcessFigures> sessions{{98, 99, 100, 101, 102}};
  const Interval bounds = bounds_of_mean(sessions, 0, 0.05);
  EXPECT_NEAR(bounds.low, 100 - 2.132 * 0.7071, 1e-3);
  EXPECT_NEAR(bounds.high, 100 + 2.132 * 0.7071, 1e-3);
}

TEST(MeanBounds, OfTwoSessionsAreByWhatTheyDifferIfThatIsMore) {
  const std::vector<ProcessFigures> sessions{{99.9, 100, 100.1}, {109.9, 110, 110.1}};
  const Interval bounds = bounds_of_mean(sessions, 0, 0.05);
  EXPECT_NEAR(bounds.low, 105 - 6.314 * 5, 1e-2);
  EXPECT_NEAR(bounds.high, 105 + 6.314 * 5, 1e-2);
}

TEST(MeanBounds, AreNoNarrowerThanTheClockIsCoarse) {
  const std::vector<ProcessFigures> sessions{{64, 64, 64}};
  const Interval bounds = bounds_of_mean(sessions, 32, 0.05);
  EXPECT_NEAR(bounds.low, 64 - 9.2376, 1e-3);
  EXPECT_NEAR(bounds.high, 64 + 9.2376, 1e-3);
}

TEST(MeanBounds, MissTheMeanAsOftenAsIsAskedFor) {
  std::mt19937_64 random(20);
  std::normal_distribution<double> noise(100, 1);
  constexpr int kTries = 4'000;
  int above = 0;
  for (int i = 0; i < kTries; ++i) {
    ProcessFigures session(5);
    for (double& figure : session) figure = noise(random);
    const std::vector<ProcessFigures> sessions{session};
    if (bounds_of_mean(sessions, 0, 0.05).low > 100) ++above;
  }
  EXPECT_NEAR(above, 0.05 * kTries, 60);
}

TEST(MeanBounds, OneFigureHasNone) {
  const std::vector<ProcessFigures> sessions{{100}};
  EXPECT_THROW((void)bounds_of_mean(sessions, 0, 0.05), std::invalid_argument);
}

}  // namespace
}  // namespace warpgauge::ci
