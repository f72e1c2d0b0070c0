// SPDX-License-Identifier: Apache-2.0
#include "profiling/random_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace warpgauge {
namespace {

TEST(RandomInput, SplitMixGivesThePublishedSequence) {
  // First outputs for seed 1234567, from the reference implementation by Sebastiano Vigna.
  constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;
  EXPECT_EQ(split_mix(1234567), 6457827717110365317U);
  EXPECT_EQ(split_mix(1234567 + kGamma), 3203168211198807973U);
}

TEST(RandomInput, FillsItsRangeEvenly) {
  const auto values = random_values(100'000, -1.0F, 3.0F);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -1.0F);
  EXPECT_LT(*high, 3.0F);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 100'000;
  EXPECT_NEAR(mean, 1.0, 0.02);  // five standard errors of 4/√12/√100000
}

TEST(RandomInput, OtherSeedsGiveOtherValues) {
  EXPECT_NE(random_values(8), random_values(8, 0, 1, kInputSeed + 1));
  EXPECT_EQ(random_values(8), random_values(8));
}

}  // namespace
}  // namespace warpgauge
