// SPDX-License-Identifier: Apache-2.0
// Series whose changes are known. How often others are missed or made up: change_rates_test.cpp.
#include "ci/statistics/series/change_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "ci/statistics/series/divergence.hpp"

namespace warpgauge::ci {
namespace {

std::vector<SeriesPoint> points_of(const std::vector<double>& values, double variance = 0) {
  std::vector<SeriesPoint> points;
  for (const double value : values) points.push_back({value, variance});
  return points;
}

// Noise of deviation 1 about levels, `length` points each.
std::vector<double> levels(const std::vector<double>& all, std::size_t length, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> noise;
  std::vector<double> values;
  for (const double level : all) {
    for (std::size_t i = 0; i < length; ++i) values.push_back(level + noise(random));
  }
  return values;
}

// As the paper writes it.
double divergence(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const auto m = static_cast<double>(y.size());
  double between = 0;
  double within_x = 0;
  double within_y = 0;
  for (const double a : x) {
    for (const double b : y) between += std::abs(a - b);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) within_x += std::abs(x[i] - x[j]);
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) within_y += std::abs(y[i] - y[j]);
  }
  const double energy =
      2 / (m * n) * between - within_x / (n * (n - 1) / 2) - within_y / (m * (m - 1) / 2);
  return m * n / (m + n) * energy;
}

TEST(Divergences, AreThoseOfTheDefinition) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> values(4 + random() % 40);
    // Ties, as the steps of a clock make them, and values far from 0.
    for (double& value : values) value = 1e6 + static_cast<double>(random() % 12);
    const std::vector<double> all = divergences(values);
    ASSERT_EQ(all.size(), values.size() + 1);
    for (std::size_t split = 2; split + 2 <= values.size(); ++split) {
      const std::span<const double> span(values);
      EXPECT_NEAR(all[split], divergence(span.first(split), span.subspan(split)), 1e-8);
    }
    EXPECT_EQ(all[0], 0);
    EXPECT_EQ(all[1], 0);
  }
}

TEST(FindChanges, FindsAStepWhereItIs) {
  const auto changes = find_changes(points_of(levels({100, 105}, 30)));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kind, ChangeKind::step);
  EXPECT_EQ(changes[0].first, 30u);
  EXPECT_NEAR(changes[0].before, 100, 0.6);
  EXPECT_NEAR(changes[0].after, 105, 0.6);
  EXPECT_LT(changes[0].p, 1e-10);
}

TEST(FindChanges, FindsSeveralStepsUpAndDown) {
  const auto changes = find_changes(points_of(levels({0, 6, 0, 12, 8}, 20)));
  ASSERT_EQ(changes.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(changes[i].kind, ChangeKind::step);
    EXPECT_EQ(changes[i].first, 20 * (i + 1)) << i;
  }
}

TEST(FindChanges, FindsAShortStretchInALongSeries) {
  std::vector<double> values = levels({0}, 500);
  for (std::size_t i = 300; i < 306; ++i) values[i] += 8;
  const auto changes = find_changes(points_of(values));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].first, 300u);
  EXPECT_EQ(changes[1].first, 306u);
}

TEST(FindChanges, AFewOddRunsAreNoChange) {
  std::vector<double> values = levels({0}, 100, 3);
  for (const std::size_t i : {20u, 21u, 60u, 99u}) values[i] += 15;
  EXPECT_TRUE(find_changes(points_of(values)).empty());
}

TEST(FindChanges, AnOddRunHidesNoStepHoweverFarOffItIs) {
  for (const std::size_t length : {10u, 15u, 50u}) {
    for (const double off : {40.0, -100.0, 1e4, 1e9}) {
      for (std::size_t odd = 0; odd < 2 * length; odd += 3) {
        std::vector<double> values = levels({0, 20}, length, 17);
        values[odd] += off;
        const auto changes = find_changes(points_of(values));
        const auto step = std::ranges::find(changes, ChangeKind::step, &Change::kind);
        ASSERT_NE(step, changes.end()) << length << " points each, " << off << " at " << odd;
        EXPECT_LE(step->first, length + 2);
        EXPECT_GE(step->first + 2, length);
      }
    }
  }
}

TEST(FindChanges, AnOddRunKeepsThePlacesOfTheOthers) {
  std::vector<double> values = levels({0, 8}, 20, 18);
  values[4] += 1000;
  values[30] -= 1000;
  const auto changes = find_changes(points_of(values));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].first, 20u);
  EXPECT_NEAR(changes[0].before, 0, 1);
  EXPECT_NEAR(changes[0].after, 8, 1);
}

TEST(FindChanges, OfOddRunsThreeInARowAreALevel) {
  std::vector<double> values = levels({0}, 40, 19);
  for (std::size_t i = 37; i < 40; ++i) values[i] += 1000;
  const auto changes = find_changes(points_of(values));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].first, 37u);
}

TEST(FindChanges, ARunThatWasMeasuredBadlyHidesNoStep) {
  std::vector<SeriesPoint> points = points_of(levels({0, 8}, 20, 20), 1);
  points[7].variance = 1e12;
  EXPECT_EQ(find_changes(points).size(), 1u);
}

TEST(FindChanges, AChangeIsKnownAfterThreePointsNotBefore) {
  std::vector<double> values = levels({0}, 40, 2);
  for (const double value : {20.0, 21.0}) values.push_back(value);
  EXPECT_TRUE(find_changes(points_of(values)).empty());
  values.push_back(20.5);
  const auto changes = find_changes(points_of(values));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].first, 40u);
}

TEST(FindChanges, ADriftIsOneChange) {
  std::vector<double> values = levels({0}, 120, 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.06 * static_cast<double>(i);
  const auto changes = find_changes(points_of(values));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kind, ChangeKind::drift);
  EXPECT_EQ(changes[0].first, 0u);
  EXPECT_EQ(changes[0].last, 119u);
  EXPECT_NEAR(changes[0].after - changes[0].before, 0.06 * 119, 1.0);
}

TEST(FindChanges, ADriftThatBeginsLaterBeginsThere) {
  std::vector<double> values = levels({0}, 160, 9);
  for (std::size_t i = 80; i < 160; ++i) values[i] += 0.1 * static_cast<double>(i - 80);
  const auto changes = find_changes(points_of(values));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kind, ChangeKind::drift);
  EXPECT_NEAR(static_cast<double>(changes[0].first), 80, 20);
  EXPECT_EQ(changes[0].last, 159u);
}

TEST(FindChanges, AStepWithinADriftIsToldApart) {
  std::vector<double> values = levels({0}, 120, 6);
  for (std::size_t i = 0; i < 120; ++i) values[i] += 0.06 * static_cast<double>(i);
  for (std::size_t i = 60; i < 120; ++i) values[i] += 10;
  const auto changes = find_changes(points_of(values));
  const auto steps = std::count_if(changes.begin(), changes.end(), [](const Change& change) {
    return change.kind == ChangeKind::step && change.first == 60;
  });
  const auto drifts = std::count_if(changes.begin(), changes.end(), [](const Change& change) {
    return change.kind == ChangeKind::drift;
  });
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(drifts, 2);
  EXPECT_EQ(changes.size(), 3u);
}

TEST(FindChanges, WhatTheClockCannotTellApartIsNoChange) {
  // Three points happen to agree to the digit, and so do the three before.
  const std::vector<double> values{1000, 1000, 1000, 1000, 1001, 1001, 1001, 1001};
  EXPECT_EQ(find_changes(points_of(values)).size(), 1u);
  EXPECT_TRUE(find_changes(points_of(values, 1.0)).empty());
}

TEST(FindChanges, WithoutScatterAnyStepIsOne) {
  std::vector<double> values(10, 5.0);
  values.insert(values.end(), 10, 5.000001);
  const auto changes = find_changes(points_of(values));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].kind, ChangeKind::step);
  EXPECT_EQ(changes[0].first, 10u);
  EXPECT_TRUE(find_changes(points_of(std::vector<double>(50, 0.1))).empty());
}

TEST(FindChanges, ShortSeriesHaveNone) {
  for (std::size_t n = 0; n < 6; ++n) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = i < n / 2 ? 0 : 100;
    EXPECT_TRUE(find_changes(points_of(values)).empty()) << n;
  }
}

TEST(FindChanges, TheSamePointsGiveTheSameChanges) {
  const auto points = points_of(levels({0, 1, 3, 2.5}, 40, 11));
  const auto once = find_changes(points);
  EXPECT_FALSE(once.empty());
  EXPECT_EQ(find_changes(points), once);
}

TEST(FindChanges, AnotherUnitAndAnotherOriginChangeNothing) {
  const std::vector<double> values = levels({0, 2, 5}, 40, 12);
  std::vector<double> others;
  for (const double value : values) others.push_back(1e4 + 0.25 * value);
  const auto one = find_changes(points_of(values));
  const auto other = find_changes(points_of(others));
  ASSERT_EQ(one.size(), other.size());
  EXPECT_FALSE(one.empty());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].kind, other[i].kind);
    EXPECT_EQ(one[i].first, other[i].first);
    EXPECT_NEAR(other[i].after, 1e4 + 0.25 * one[i].after, 1e-6);
  }
}

TEST(FindChanges, ALongSeriesTakesNoLongTime) {
  // Quadratic time would be a hundred times as long as all tests here together.
  const auto changes = find_changes(points_of(levels({0, 0.5, 3, 3.2}, 2500, 13)));
  EXPECT_EQ(changes.size(), 3u);
}

TEST(FindExactChanges, AnyDifferenceIsOne) {
  EXPECT_EQ(find_exact_changes(std::vector<double>{7, 7, 8, 8, 7, 7}),
            (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(find_exact_changes(std::vector<double>{1e15, 1e15 + 1}), std::vector<std::size_t>{1});
  EXPECT_TRUE(find_exact_changes(std::vector<double>{}).empty());
  EXPECT_TRUE(find_exact_changes(std::vector<double>{7}).empty());
}

}  // namespace
}  // namespace warpgauge::ci
