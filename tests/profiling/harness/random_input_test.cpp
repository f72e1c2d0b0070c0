// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/random_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <set>
#include <vector>

namespace warpgauge {
namespace {

TEST(RandomInput, SplitMixGivesThePublishedSequence) {
  // First outputs for seed 1234567, from the reference implementation by Sebastiano Vigna.
  constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;
  EXPECT_EQ(split_mix(1234567), 6457827717110365317U);
  EXPECT_EQ(split_mix(1234567 + kGamma), 3203168211198807973U);
}

template <class T>
double mean(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(RandomInput, FillsItsRangeEvenly) {
  const auto values = random_elements<float>(100'000);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, 0.0F);
  EXPECT_LT(*high, 1.0F);
  EXPECT_NEAR(mean(values), 0.5, 0.005);  // five standard errors of 1/√12/√100000
}

TEST(RandomInput, IntegersFillTheirRangeEvenly) {
  const auto values = random_elements<int>(1'000'000);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_EQ(*low, -8192);
  EXPECT_EQ(*high, 8191);
  EXPECT_NEAR(mean(values), -0.5, 24);  // five standard errors of 16384/√12/√1000000
  const auto bytes = random_elements<std::uint8_t>(100'000);
  EXPECT_EQ(*std::min_element(bytes.begin(), bytes.end()), 0);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 255);
}

TEST(RandomInput, DoublesFillTheirPrecision) {
  const auto values = random_elements<double>(100);
  EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double value) {
    return static_cast<double>(static_cast<float>(value)) != value;
  }));
}

TEST(RandomInput, WholeNumbersFillTheirRangeAndAreTheSameInEveryType) {
  std::set<float> seen;
  for (std::size_t i = 0; i < 10'000; ++i) {
    const auto value = random_whole_number<float>(i, 8, kInputSeed);
    EXPECT_EQ(static_cast<std::int64_t>(value),
              random_whole_number<std::int64_t>(i, 8, kInputSeed));
    seen.insert(value);
  }
  EXPECT_EQ(seen, (std::set<float>{-7, -5, -3, -1, 1, 3, 5, 7}));
}

// A mean other than 0 would make sums grow with their number, and floats of 2^31 of them inexact.
TEST(RandomInput, SumsOfWholeNumbersStayAsSmallAsChanceAllows) {
  constexpr std::size_t kCount = std::size_t{1} << 22;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    sum += random_whole_number<std::int64_t>(i, 8, kInputSeed);
  }
  EXPECT_LT(std::abs(sum), 5 * 8 * (1 << 11));
}

TEST(RandomInput, OtherSeedsGiveOtherValues) {
  EXPECT_NE(random_elements<float>(8), random_elements<float>(8, kInputSeed + 1));
  EXPECT_EQ(random_elements<float>(8), random_elements<float>(8));
}

}  // namespace
}  // namespace warpgauge
