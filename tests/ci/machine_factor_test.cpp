// SPDX-License-Identifier: Apache-2.0
#include "ci/machine_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "ci/suite_estimate.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::uint64_t kSeed = 20261121;
constexpr double kAlpha = 0.01;
constexpr double kBeta = 0.05;

// Dies of two kinds, as H200s were found to be: one reads faster, the other copies faster.
class Fleet {
 public:
  double kinds_apart = 0.02;
  double between_sessions = 0.0005;
  double between_processes = 0.001;

  // Figures of one session of a benchmark that goes with the machine by `slope`.
  ProcessFigures session(int kind, double slope, double factor = 1) {
    const double here = kind * slope * kinds_apart + between_sessions * normal_(random_);
    ProcessFigures figures;
    for (int i = 0; i < 5; ++i) {
      figures.push_back(50'000 * factor * std::exp(here + between_processes * normal_(random_)));
    }
    return figures;
  }

  // A suite whose first two benchmarks are the controls; the slopes of the others lie between
  // theirs.
  std::vector<TwoSides> suite(const std::vector<int>& kinds_before, int kind_after,
                              double factor = 1) {
    constexpr int kBenchmarks = 42;
    std::vector<TwoSides> all;
    for (int i = 0; i < kBenchmarks; ++i) {
      const bool is_control = i < 2;
      const double slope = i == 0 ? 1 : i == 1 ? -0.8 : -0.8 + 1.8 * i / kBenchmarks;
      TwoSides sides;
      for (const int kind : kinds_before) sides.before.push_back(session(kind, slope));
      sides.after = {session(kind_after, slope, is_control ? 1 : factor)};
      all.push_back(std::move(sides));
    }
    std::vector<std::vector<double>> controls(2);
    for (std::size_t c = 0; c < controls.size(); ++c) {
      for (const ProcessFigures& each : all[c].before) controls[c].push_back(each[0]);
      controls[c].push_back(all[c].after[0][0]);
    }
    const MachineScores scores = machine_scores(controls);
    for (TwoSides& sides : all) {
      sides.scores_before.assign(scores.of_sessions.begin(), scores.of_sessions.end() - 1);
      sides.scores_after = {scores.of_sessions.back()};
      sides.score_noise = scores.noise;
    }
    return all;
  }

 private:
  std::mt19937_64 random_{kSeed};
  std::normal_distribution<double> normal_;
};

struct Tally {
  int none = 0, greater = 0, less = 0, unclear = 0;
};

Tally judge(std::vector<TwoSides> suite, double floor, bool with_machine = true) {
  if (!with_machine) {
    for (TwoSides& sides : suite) {
      sides.scores_before.clear();
      sides.scores_after.clear();
    }
  }
  Tally tally;
  for (const SuiteEstimate& each : estimate_suite(suite, kBeta)) {
    switch (classify(each.estimate, floor, kAlpha)) {
      case Shift::none:
        ++tally.none;
        break;
      case Shift::greater:
        ++tally.greater;
        break;
      case Shift::less:
        ++tally.less;
        break;
      case Shift::unclear:
        ++tally.unclear;
        break;
    }
  }
  return tally;
}

const std::vector<int> kBothKinds{0, 1, 0, 1, 1, 0};

TEST(MachineScores, TellTheKindsApartByTheirTrueDistance) {
  const std::vector<std::vector<double>> controls{
      {100, 103, 100, 103}, {50, 48, 50, 48}, {7, 7, 7, 7}};
  const auto scores = machine_scores(controls).of_sessions;
  ASSERT_EQ(scores.size(), 4u);
  EXPECT_NEAR(scores[0], scores[2], 1e-12);
  EXPECT_NEAR(scores[1], scores[3], 1e-12);
  EXPECT_NEAR(scores[0] + scores[1] + scores[2] + scores[3], 0, 1e-12);
  EXPECT_NEAR(std::abs(scores[0] - scores[1]), std::hypot(std::log(1.03), std::log(50.0 / 48)),
              1e-9);
}

TEST(MachineScores, OfControlsThatAreAllAlikeOrNoneAreZero) {
  const std::vector<std::vector<double>> controls{{100, 100, 100}, {7, 7, 7}};
  for (const double score : machine_scores(controls).of_sessions) EXPECT_EQ(score, 0);
  EXPECT_TRUE(machine_scores({}).of_sessions.empty());
}

TEST(MachineFactor, TwoKindsOfDieWidenNoVerdictOnEither) {
  Fleet fleet;
  for (const int kind : {0, 1}) {
    const Tally with = judge(fleet.suite(kBothKinds, kind), 0.01);
    EXPECT_GE(with.none, 41) << "kind " << kind;
    EXPECT_EQ(with.greater + with.less, 0) << "kind " << kind;
  }
  EXPECT_LT(judge(fleet.suite(kBothKinds, 1), 0.01, false).none, 21)
      << "without the machine's part this test shows nothing";
}

TEST(MachineFactor, ASlowdownSmallerThanTheKindsAreApartIsFound) {
  Fleet fleet;
  for (const int kind : {0, 1}) {
    EXPECT_GE(judge(fleet.suite(kBothKinds, kind, 1.01), 0.005).greater, 38) << "kind " << kind;
  }
}

TEST(MachineFactor, IdenticalWorkIsSeldomCalledDifferent) {
  Fleet fleet;
  int suites_with_alarm = 0;
  constexpr int kRuns = 500;
  for (int run = 0; run < kRuns; ++run) {
    suites_with_alarm += judge(fleet.suite(kBothKinds, run % 2), 0).greater > 0 ? 1 : 0;
  }
  EXPECT_LE(suites_with_alarm, kRuns * kAlpha + 7);  // three standard deviations above 5
}

TEST(MachineFactor, AKindThatTheBaselineHasNotSeenMakesNoAlarmAndNoAllClear) {
  Fleet fleet;
  const Tally tally = judge(fleet.suite({0, 0, 0, 0, 0, 0}, 1), 0.005);
  EXPECT_LE(tally.greater + tally.less, 0);
  EXPECT_GE(tally.unclear, 38);
}

TEST(MachineFactor, OneSessionOfAnotherKindMakesNoAlarm) {
  Fleet fleet;
  const Tally tally = judge(fleet.suite({0}, 1), 0.005);
  EXPECT_EQ(tally.greater + tally.less, 0);
  EXPECT_GT(judge(fleet.suite({0}, 1), 0.005, false).greater, 5);
}

TEST(MachineEffect, IsTheSlopeThatTheSessionsShow) {
  const std::vector<ProcessFigures> sessions{{100}, {100 * std::exp(0.01)}, {100 * std::exp(0.02)}};
  const std::vector<double> scores{-0.02, 0, 0.02};
  const MachineEffect effect = machine_effect(sessions, scores, 0, {1e-10, 1});
  EXPECT_NEAR(effect.slope, 0.5, 1e-6);
  EXPECT_LT(effect.slope_variance, 1e-6);
  EXPECT_NEAR(spread_about_line(sessions, scores).variance, 0, 1e-12);
  EXPECT_EQ(spread_about_line(sessions, scores).degrees_of_freedom, 1);
}

TEST(MachineEffect, IsUnknownWhereTheSessionsShowNothing) {
  const std::vector<ProcessFigures> sessions{{100}, {101}};
  EXPECT_EQ(machine_effect(sessions, std::vector<double>{0, 0}, 0, {1e-4, 1}).slope, 0);
  EXPECT_NEAR(machine_effect(sessions, std::vector<double>{0, 0}, 0, {1e-4, 1}).slope_variance, 1,
              1e-9);
  EXPECT_EQ(machine_effect(sessions, std::vector<double>{0.01, 0}, 0, {}).slope_variance, 1);
}

TEST(MachineEffect, ScoresThatAreNoiseSayNothing) {
  const std::vector<ProcessFigures> sessions{{100}, {101}, {102}};
  const std::vector<double> scores{-0.01, 0, 0.01};
  EXPECT_EQ(machine_effect(sessions, scores, 1e-4, {1e-6, 1}).slope, 0);
  EXPECT_EQ(machine_effect(sessions, scores, 1e-4, {1e-6, 1}).slope_variance, 1);
}

}  // namespace
}  // namespace warpgauge::ci
