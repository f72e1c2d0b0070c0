// SPDX-License-Identifier: Apache-2.0
// Figures of clocks whose step is known, and figures that know of none.
#include "ci/statistics/grid.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace warpgauge::ci {
namespace {

// Of kernels of 2 µs to 1 ms, which scatter by this share.
std::vector<double> kernels(std::mt19937& random, std::size_t count, double deviation) {
  std::normal_distribution<> normal;
  std::vector<double> figures;
  for (std::size_t i = 0; i < count; ++i) {
    const double time = 2'000 * std::pow(500, static_cast<double>(i / 10 % 7) / 7);
    figures.push_back(time * (1 + deviation * normal(random)));
  }
  return figures;
}

std::vector<double> on_steps(std::vector<double> figures, double step) {
  for (double& each : figures) each = step * std::round(each / step);
  return figures;
}

std::vector<double> printed(std::vector<double> figures, const std::string& format) {
  for (double& each : figures) each = std::stod(fmt::format(fmt::runtime(format), each));
  return figures;
}

TEST(Grid, AStepIsFoundHoweverItsMultiplesWereWritten) {
  std::mt19937 random(1);
  for (const double step : {32.0, 1000.0 / 24, 96.0}) {
    for (const std::size_t count : {10, 70, 700}) {
      std::vector<double> figures = on_steps(kernels(random, count, 0.02), step);
      std::erase_if(figures, [](double each) { return each <= 0; });
      const auto expect_found = [&](const std::vector<double>& written, const char* how) {
        const auto found = grid_step(written);
        ASSERT_TRUE(found) << how << " " << step << " " << count;
        EXPECT_NEAR(*found, step, 1e-4 * step) << how << " " << count;
      };
      expect_found(figures, "whole");
      expect_found(printed(figures, "{:.6g}"), "six digits");
      std::vector<double> floats = figures;
      for (double& each : floats) each = 1e9 * static_cast<double>(static_cast<float>(1e-9 * each));
      expect_found(floats, "seconds as a float");
    }
  }
}

TEST(Grid, OneKernelOnAFewStepsIsEnough) {
  EXPECT_NEAR(*grid_step(std::vector<double>{10'240, 10'272, 10'240, 10'304, 10'272, 10'240}), 32,
              1e-9);
  EXPECT_NEAR(*grid_step(std::vector<double>{2'080, 2'144, 2'112, 2'240, 2'080, 2'144}), 32, 1e-9);
}

TEST(Grid, FiguresWithoutAStepHaveNone) {
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    std::mt19937 random(seed);
    const std::size_t count = 3 + seed % 60;
    const double deviation = seed % 2 == 0 ? 0.002 : 0.05;
    const std::vector<double> figures = kernels(random, count, deviation);
    for (const char* format : {"{}", "{:.0f}", "{:.2f}", "{:.6g}", "{:.4g}"}) {
      const auto found = grid_step(printed(figures, format));
      EXPECT_FALSE(found) << format << " seed " << seed << ": " << *found;
    }
  }
}

TEST(Grid, RoundNumbersAreNoClock) {
  EXPECT_FALSE(grid_step(std::vector<double>{}));
  EXPECT_FALSE(grid_step(std::vector<double>{0, 32, 64, 96, 128, 160, 192}));
  EXPECT_FALSE(grid_step(std::vector<double>(20, 10'240)));
  EXPECT_FALSE(grid_step(std::vector<double>{100, 100, 100, 150, 150, 200}));
  EXPECT_FALSE(grid_step(std::vector<double>{10, 11, 10, 12, 10, 10, 13, 11}));
  EXPECT_FALSE(grid_step(std::vector<double>{10'000, 10'100, 10'200, 10'100, 10'000, 10'400}));
}

// As CUPTI tells them: a clock that is a little slow, rounded to nanoseconds.
std::vector<std::vector<double>> timestamps(unsigned seed, std::size_t benchmarks,
                                            std::size_t repetitions, double step) {
  std::mt19937 random(seed);
  std::normal_distribution<> normal;
  std::vector<std::vector<double>> groups(benchmarks);
  for (std::size_t b = 0; b < benchmarks; ++b) {
    const double time = 2'000 * std::pow(500, static_cast<double>(b % 7) / 7);
    for (std::size_t i = 0; i < repetitions; ++i) {
      const double exact = time * (1 + 0.01 * normal(random));
      const double ticks = step > 0 ? step * std::round(exact / step) : exact;
      groups[b].push_back(std::round(ticks * 0.99996));
    }
  }
  return groups;
}

TEST(Grid, TimestampsLieOnTheirStepThoughTheyDriftAndAreRounded) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    EXPECT_TRUE(lies_on_step(timestamps(seed, 7, 10, 32), 32)) << seed;
    EXPECT_FALSE(lies_on_step(timestamps(seed, 7, 10, 0), 32)) << seed;
    EXPECT_FALSE(lies_on_step(timestamps(seed, 1, 10, 0), 32)) << seed;
    EXPECT_FALSE(lies_on_step(timestamps(seed, 7, 10, 40), 32)) << seed;
    EXPECT_FALSE(lies_on_step(timestamps(seed, 7, 2, 0), 32)) << seed;
  }
  EXPECT_TRUE(lies_on_step(timestamps(1, 1, 10, 32), 32));
  EXPECT_FALSE(lies_on_step({}, 32));
  EXPECT_FALSE(lies_on_step(timestamps(1, 7, 10, 32), 0));
}

TEST(Grid, AFewTimesOfTwoKernelsHideNoTimestamps) {
  auto groups = timestamps(1, 20, 10, 32);
  groups[0][3] += 7;
  EXPECT_TRUE(lies_on_step(groups, 32));
  for (std::size_t i = 0; i < groups[1].size(); ++i) groups[1][i] += 11 * static_cast<double>(i);
  EXPECT_FALSE(lies_on_step(groups, 32));
}

// One kernel whose time is a mean is enough to hide the clock.
TEST(Grid, OneFigureBesideTheStepsHidesThem) {
  std::mt19937 random(1);
  std::vector<double> figures = on_steps(kernels(random, 70, 0.02), 32);
  figures.push_back(figures.front() + 7);
  EXPECT_FALSE(grid_step(figures));
}

TEST(Grid, OfMeansTheStepIsAPartOfTheClocks) {
  std::mt19937 random(1);
  std::vector<double> means;
  for (int i = 0; i < 40; ++i) {
    const auto five = on_steps(kernels(random, 5, 0.02), 32);
    means.push_back((five[0] + five[1] + five[2] + five[3] + five[4]) / 5);
  }
  const auto step = grid_step(means);
  ASSERT_TRUE(step);
  EXPECT_NEAR(*step, 32.0 / 5, 1e-3);
}

}  // namespace
}  // namespace warpgauge::ci
