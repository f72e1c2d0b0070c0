// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/mean_bounds.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <stdexcept>
#include <vector>

#include "ci/statistics/students_t.hpp"

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

// Boost computes the same in long double; a chance may be as small as the levels that are spent.
TEST(StudentsTDistribution, IsRightToTwelveDigits) {
  using boost::math::cdf;
  using boost::math::complement;
  using boost::math::quantile;
  for (const double degrees : {0.3, 1.0, 2.7, 4.0, 11.0, 250.0, 1e5}) {
    const StudentsT quick(degrees);
    const boost::math::students_t_distribution<long double> exact(degrees);
    for (const double t : {0.0, 1e-3, 0.7, 2.1, 9.0, 35.0}) {
      const auto expected = static_cast<double>(cdf(complement(exact, t)));
      EXPECT_NEAR(cdf(complement(quick, t)), expected, 1e-12 * expected) << degrees << ' ' << t;
    }
    for (const double chance : {0.4, 0.05, 1e-3, 1e-7}) {
      const auto expected = static_cast<double>(quantile(complement(exact, chance)));
      EXPECT_NEAR(quantile(complement(quick, chance)), expected, 1e-12 * expected)
          << degrees << ' ' << chance;
    }
  }
}

}  // namespace
}  // namespace warpgauge::ci
