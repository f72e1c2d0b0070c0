// SPDX-License-Identifier: Apache-2.0
// What a process's figure is of launches that are alike, and of those that are not.
#include "ci/measure/program/launch_figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace warpgauge::ci {
namespace {

// So many that are slow among a hundred.
std::vector<double> mixed(int slow, double slow_ns) {
  std::vector<double> samples(100, 5'000);
  for (int i = 0; i < slow; ++i) samples[static_cast<std::size_t>(3 * i)] = slow_ns;
  return samples;
}

TEST(LaunchFigure, OfLaunchesThatAreAlikeHeedsNoOddOnes) {
  std::vector<double> samples{100, 101, 99, 100, 102, 98, 100, 101, 99, 100};
  EXPECT_NEAR(launch_figure(samples), 100, 0.5);
  samples.front() = 10'000;
  EXPECT_NEAR(launch_figure(samples), 100, 0.5);
  EXPECT_DOUBLE_EQ(launch_figure(mixed(2, 500'000)), 5'000) << "one in fifty";
}

TEST(LaunchFigure, OfSeveralKindsIsTheMeanOfAll) {
  EXPECT_NEAR(launch_figure(mixed(20, 500'000)), 104'000, 1) << "which 500 µs make the most of";
  EXPECT_NEAR(launch_figure(mixed(20, 550'000)), 114'000, 1);
  std::vector<double> with_an_odd_one = mixed(20, 500'000);
  with_an_odd_one.back() = 9e9;
  EXPECT_NEAR(launch_figure(with_an_odd_one), 104'000, 5'000);
}

TEST(LaunchFigure, GoesOverFromOneIntoTheOther) {
  for (double slow_ns = 7'000; slow_ns < 11'000; slow_ns += 10) {
    const double step = launch_figure(mixed(30, slow_ns + 10)) / launch_figure(mixed(30, slow_ns));
    EXPECT_LT(std::abs(step - 1), 0.004) << slow_ns;
  }
}

TEST(LaunchFigure, OfFewIsTheirMean) {
  EXPECT_DOUBLE_EQ(launch_figure(std::vector<double>{7}), 7);
  EXPECT_DOUBLE_EQ(launch_figure(std::vector<double>{1, 9}), 5);
  EXPECT_DOUBLE_EQ(launch_figure(std::vector<double>{1, 2, 9}), 4);
}

}  // namespace
}  // namespace warpgauge::ci
