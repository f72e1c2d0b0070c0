// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/fastest_quarter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "ci/statistics/mean.hpp"
#include "tests/statistics/trials.hpp"

namespace warpgauge::ci {
namespace {

ProcessFigures quarter_of(ProcessFigures session) {
  return fastest_quarters({std::move(session)})[0];
}

TEST(FastestQuarter, IsOfSessionsOfTwelveProcessesAndMore) {
  const ProcessFigures twelve(12, 1);
  EXPECT_TRUE(have_quarters({twelve, ProcessFigures(20, 1)}));
  EXPECT_FALSE(have_quarters({twelve, ProcessFigures(11, 1)}));
  EXPECT_EQ(quarter_of(twelve), ProcessFigures(3, 1));
  EXPECT_EQ(quarter_of(ProcessFigures(20, 1)), ProcessFigures(5, 1));
}

// As by a coarse clock: how far their mean is off, the next one tells.
TEST(FastestQuarter, OfEqualFiguresIsNotTakenForCertain) {
  for (const int equal : {3, 6}) {
    ProcessFigures session(12, 101);
    std::fill_n(session.begin() + 4, equal, 100);
    const ProcessFigures quarter = quarter_of(session);
    EXPECT_NEAR(mean_of(quarter), 100, 1e-3);
    EXPECT_GT(*std::max_element(quarter.begin(), quarter.end()), 100.1);
  }
}

TEST(FastestQuarter, DoesNotMoveWithWhatTheSlowerOnesDo) {
  ProcessFigures quiet(20);
  std::iota(quiet.begin(), quiet.end(), 100);
  ProcessFigures shared = quiet;
  for (double& each : shared) each *= each > 109 ? 1.5 : 1;
  EXPECT_EQ(quarter_of(quiet), quarter_of(shared));
}

TEST(FastestQuarter, ScalesAsTheFiguresDo) {
  const ProcessFigures once{100, 103, 101, 150, 140, 104, 102, 107, 111, 108, 105, 109, 106};
  ProcessFigures twice = once;
  for (double& each : twice) each *= 2;
  const ProcessFigures quarter = quarter_of(once);
  for (std::size_t i = 0; i < quarter.size(); ++i) {
    EXPECT_NEAR(quarter_of(twice)[i], 2 * quarter[i], 1e-9);
  }
}

// The fastest alone differ less than their mean does from session to session.
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
    const ProcessFigures quarter = quarter_of(session);
    const double mean = mean_of(quarter);
    double squares = 0;
    for (const double each : quarter) squares += (each - mean) * (each - mean);
    const auto kept = static_cast<double>(quarter.size());
    told += squares / (kept - 1) / kept;
    means.push_back(mean);
  }
  const double middle = mean_of(means);
  double true_variance = 0;
  for (const double each : means) true_variance += (each - middle) * (each - middle);
  EXPECT_NEAR(std::sqrt(told / true_variance), 1, 0.05);
}

}  // namespace
}  // namespace warpgauge::ci
