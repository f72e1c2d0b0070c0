// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/trimmed_mean.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace warpgauge::results {
namespace {

TEST(TrimmedMean, DropsATenthOnEachSide) {
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{5, 1e9, 3, 4, 6, -1e9, 7, 8, 2, 1}), 4.5);
}

TEST(TrimmedMean, KeepsAllOfFewSamples) {
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{1, 2, 9}), 4);
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{7}), 7);
}

TEST(TrimmedMean, SeesShiftsSmallerThanATimestampStep) {
  // 40 of 100 samples moved by one step of 32 ns: a median would not see it.
  std::vector<double> samples(100, 1920);
  for (int i = 0; i < 40; ++i) samples[static_cast<std::size_t>(i)] += 32;
  EXPECT_NEAR(trimmed_mean(samples), 1920 + 32 * 30.0 / 80, 1e-9);
}

TEST(ProcessFigure, IsOfTheFasterHalf) {
  std::vector<double> samples;
  for (int i = 1; i <= 20; ++i) samples.push_back(i);
  EXPECT_DOUBLE_EQ(process_figure(samples), 6);  // of 2 to 10
  for (int i = 10; i < 20; ++i) samples[static_cast<std::size_t>(i)] *= 1.1;
  EXPECT_DOUBLE_EQ(process_figure(samples), 6);
  EXPECT_DOUBLE_EQ(process_figure(std::vector<double>{7}), 7);
  EXPECT_DOUBLE_EQ(process_figure(std::vector<double>{9, 7}), 7);
  EXPECT_DOUBLE_EQ(process_figure(std::vector<double>{9, 7, 8}), 7.5);
  EXPECT_THROW(static_cast<void>(process_figure({})), std::invalid_argument);
}

TEST(TrimmedMean, RefusesWhatHasNoMean) {
  EXPECT_THROW(static_cast<void>(trimmed_mean({})), std::invalid_argument);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> samples(100, 1.0);
    samples[50] = bad;
    EXPECT_THROW(static_cast<void>(trimmed_mean(samples)), std::invalid_argument) << bad;
  }
  EXPECT_THROW(static_cast<void>(trimmed_mean(std::vector<double>{1, 2}, 0.5)),
               std::invalid_argument);
}

}  // namespace
}  // namespace warpgauge::results
