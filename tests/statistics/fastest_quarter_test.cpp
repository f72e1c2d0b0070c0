// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/fastest_quarter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ci/statistics/mean.hpp"
#include "tests/statistics/trials.hpp"

namespace warpgauge::ci {
namespace {

ProcessFigures half_of(ProcessFigures session) { return fastest_quarters({std::move(session)})[0]; }

TEST(FastestQuarter, IsTheLowerHalfOfEachSessionInAnyOrderAndAtLeastTwo) {
  const auto sessions = fastest_quarters({{9, 1, 9, 1, 1}, {7}, {8, 3}, {4, 9, 2}, {}});
  ASSERT_EQ(sessions.size(), 5U);
  EXPECT_EQ(sessions[0], (ProcessFigures{1, 1, 1}));
  EXPECT_EQ(sessions[1], (ProcessFigures{7}));
  EXPECT_EQ(sessions[2], (ProcessFigures{8, 3}));
  EXPECT_EQ(sessions[3].size(), 2U);
  EXPECT_TRUE(sessions[4].empty());
}

TEST(FastestQuarter, DoesNotMoveWithWhatTheSlowerOnesDo) {
  const ProcessFigures quiet{100, 101, 102, 103, 104, 105};
  ProcessFigures shared = quiet;
  for (double& each : shared) each *= each > 102.5 ? 1.5 : 1;
  EXPECT_EQ(half_of(quiet), half_of(shared));
}

TEST(FastestQuarter, ScalesAsTheFiguresDo) {
  const ProcessFigures once{100, 103, 101, 150, 140};
  ProcessFigures twice = once;
  for (double& each : twice) each *= 2;
  const ProcessFigures half = half_of(once);
  for (std::size_t i = 0; i < half.size(); ++i) {
    EXPECT_NEAR(half_of(twice)[i], 2 * half[i], 1e-9);
  }
}

// The lower half alone differs less than its mean does from session to session.
TEST(FastestQuarter, TellsHowFarItsMeanIsOff) {
  constexpr int kSessions = 4000;
  constexpr std::size_t kProcesses = 20;
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal;
  std::vector<double> means;
  double told = 0;
  for (int i = 0; i < kSessions; ++i) {
    ProcessFigures session;
    for (std::size_t p = 0; p < kProcesses; ++p) {
      session.push_back(std::exp(0.02 * normal(random)));
    }
    const ProcessFigures half = half_of(session);
    const double mean = mean_of(half);
    double squares = 0;
    for (const double each : half) squares += (each - mean) * (each - mean);
    const auto h = static_cast<double>(half.size());
    told += squares / (h - 1) / h;
    means.push_back(mean);
  }
  const double middle = mean_of(means);
  double true_variance = 0;
  for (const double each : means) true_variance += (each - middle) * (each - middle);
  EXPECT_NEAR(std::sqrt(told / true_variance), 1, 0.1);
}

}  // namespace
}  // namespace warpgauge::ci
