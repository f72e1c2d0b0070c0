// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/check.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "profiling/harness/unforeseen.hpp"

// As a suite could do that wants to know where it is looked at.
std::random_device::result_type std::random_device::_M_getval() { return 7; }

namespace warpgauge {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Check compare_all(const std::vector<double>& values, const std::vector<double>& references,
                  Tolerance tolerance) {
  return compare<double>(
      values, [&](std::size_t i) { return references[i]; }, tolerance);
}

TEST(UnforeseenNumber, IsNotWhatStandsInForTheStandardLibrarys) {
  EXPECT_EQ(std::random_device()(), 7U) << "else this shows nothing";
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 8; ++i) numbers.insert(unforeseen_number());
  EXPECT_EQ(numbers.size(), 8U);
}

TEST(Compare, EqualValuesPassExactly) {
  EXPECT_TRUE(compare_all({1, -2, 0}, {1, -2, 0}, {}).passed());
  EXPECT_TRUE(compare_all({}, {}, {}).passed());
}

TEST(Compare, TheSmallestDifferenceFailsAnExactComparison) {
  EXPECT_FALSE(compare_all({1}, {std::nextafter(1.0, 2.0)}, {}).passed());
}

TEST(Compare, AnErrorWithinToleranceAndNoFurtherPasses) {
  EXPECT_TRUE(compare_all({101}, {100}, {.relative = 0.01}).passed());
  EXPECT_FALSE(compare_all({101.001}, {100}, {.relative = 0.01}).passed());
  EXPECT_TRUE(compare_all({0.5}, {0}, {.relative = 0.01, .absolute = 0.5}).passed());
  EXPECT_FALSE(compare_all({-0.51}, {0}, {.relative = 0.01, .absolute = 0.5}).passed());
}

TEST(Compare, NanNeverPasses) {
  EXPECT_FALSE(compare_all({kNan}, {1}, {.absolute = kInfinity}).passed());
  EXPECT_FALSE(compare_all({1}, {kNan}, {.absolute = kInfinity}).passed());
  EXPECT_FALSE(compare_all({kNan}, {kNan}, {.absolute = kInfinity}).passed());
}

TEST(Compare, NothingIsNearAnInfiniteReference) {
  EXPECT_FALSE(compare_all({3}, {kInfinity}, {.relative = 0.01}).passed());
  EXPECT_FALSE(compare_all({kInfinity}, {kInfinity}, {}).passed());
}

TEST(Compare, IntegersBeyondADoublesPrecisionAreToldApart) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 60) + 1;
  const auto compare_with = [](std::int64_t reference) {
    return compare<std::int64_t>(std::vector{kLarge}, [&](std::size_t) { return reference; }, {});
  };
  EXPECT_TRUE(compare_with(kLarge).passed());
  EXPECT_FALSE(compare_with(kLarge - 1).passed());
  EXPECT_EQ(compare_with(kLarge - 1).worst_error, 1);
}

TEST(Compare, TheMessageNamesTheLargestErrorAndItsIndex) {
  const Check check = compare_all({1, 7, 3, 4.5}, {1, 2, 3, 4}, {.absolute = 0.25});
  EXPECT_EQ(check.wrong, 2U);
  EXPECT_EQ(check.worst_index, 1U);
  EXPECT_EQ(check.message(),
            "2 of 4 elements are wrong; largest error 5 at index 1: got 7, expected 2 within "
            "0.25");
}

TEST(Compare, ANanIsWorseThanAnyNumber) {
  EXPECT_EQ(compare_all({1e300, kNan, 1e301}, {0, 0, 0}, {}).worst_index, 1U);
}

}  // namespace
}  // namespace warpgauge
