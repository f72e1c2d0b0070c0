// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/device_effects.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "ci/statistics/suite_model.hpp"
#include "tests/statistics/fleet.hpp"

namespace warpgauge::ci {
namespace {

std::vector<MachineScore> line(const std::vector<double>& places) {
  std::vector<MachineScore> scores;
  for (const double place : places) scores.push_back({place});
  return scores;
}

TEST(MachineScores, TellTheKindsApartByTheirTrueDistance) {
  const auto scores =
      machine_scores(std::vector<ControlTimes>{{{100, 103, 100, 103}}, {{50, 48, 50, 48}}})
          .of_sessions;
  ASSERT_EQ(scores.size(), 4u);
  ASSERT_EQ(scores[0].size(), 1u);
  EXPECT_NEAR(scores[0][0], scores[2][0], 1e-12);
  EXPECT_NEAR(scores[1][0], scores[3][0], 1e-12);
  EXPECT_NEAR(scores[0][0] + scores[1][0], 0, 1e-12);
  EXPECT_NEAR(std::abs(scores[0][0] - scores[1][0]),
              std::hypot(std::log(1.03), std::log(50.0 / 48)) / std::sqrt(2.0), 1e-9);
}

TEST(MachineScores, OfControlsThatAreAllAlikeOrNoneAreNone) {
  const auto alike =
      machine_scores(std::vector<ControlTimes>{{{100, 100, 100}}, {{7, 7, 7}}}).of_sessions;
  EXPECT_EQ(alike, std::vector<MachineScore>(3));
  EXPECT_TRUE(machine_scores({}).of_sessions.empty());
}

// Forty controls in `sessions` sessions, of noise but for what `effect(control, session)` adds.
std::vector<ControlTimes> forty_controls(
    int sessions, const std::function<double(int control, int session)>& effect) {
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal;
  std::vector<ControlTimes> controls(40);
  for (int c = 0; c < 40; ++c) {
    for (int s = 0; s < sessions; ++s) {
      const double logarithm = effect(c, s) + kProcesses * normal(random);
      controls[static_cast<std::size_t>(c)].of_sessions.push_back(50'000 * std::exp(logarithm));
    }
    controls[static_cast<std::size_t>(c)].variance = kProcesses * kProcesses;
  }
  return controls;
}

std::size_t ways(const std::vector<ControlTimes>& controls) {
  return machine_scores(controls).noise.size();
}

TEST(MachineScores, HaveAWayForEachInWhichMachinesDifferAndNoneForChance) {
  for (const int sessions : {1, 2, 3, 10}) {
    EXPECT_EQ(ways(forty_controls(sessions, [](int, int) { return 0; })), 0u) << sessions;
  }
  const auto kind = [](int c, int s) { return s % 2 == 0 ? 0.01 * c / 40 : 0; };
  EXPECT_EQ(ways(forty_controls(10, kind)), 1u);
  // A third kind of die, seen once, on which a few kernels are slower.
  const auto third = [&](int c, int s) { return kind(c, s) + (s == 9 && c % 5 == 0 ? 0.03 : 0); };
  EXPECT_EQ(ways(forty_controls(10, third)), 2u);
  // What one control does alone is no way of machines.
  const auto alone = [&](int c, int s) { return kind(c, s) + (s == 9 && c == 7 ? 0.05 : 0); };
  EXPECT_EQ(ways(forty_controls(10, alone)), 1u);
}

TEST(MachineScores, OfAFewControlsHaveNoWayThatOneOfThemGoesAlone) {
  std::vector<ControlTimes> controls = forty_controls(6, [](int c, int s) {
    return c == 1 && s % 2 == 0 ? 0.04 : 0.0;  // two modes of its own
  });
  controls.resize(3);
  EXPECT_EQ(ways(controls), 0u);
}

TEST(MachineScores, SayHowFarAMachineIsWhereNoneOfThemHasBeen) {
  const auto kind = [](int c, int s) { return s % 2 == 0 ? 0.01 * c / 40 : 0; };
  const MachineScores scores = machine_scores(forty_controls(10, kind));
  const auto place = [&](const std::function<double(int)>& more) {
    std::vector<std::optional<double>> times;
    for (const ControlTimes& control : forty_controls(12, kind)) {
      const double factor = std::exp(more(static_cast<int>(times.size())));
      times.emplace_back(control.of_sessions[10] * factor);
    }
    return place_of(scores, times).value();
  };
  // Of a third kind of die, on which every fifth kernel is slower, the rest is of the first kind.
  const MachinePlace third = place([](int c) { return c % 5 == 0 ? 0.03 : 0; });
  EXPECT_NEAR(third.score[0], scores.of_sessions[0][0], 0.001);
  EXPECT_NEAR(std::sqrt(third.unseen), 0.03 / std::sqrt(5.0), 0.004);
  const MachinePlace alone = place([](int c) { return c == 7 ? 0.05 : 0; });
  EXPECT_LT(alone.unseen, 2 * kProcesses * kProcesses);
}

TEST(MachineScores, OfManyTellWhatAllHaveInCommonInASessionAndOnAMachine) {
  const auto slow = [](int c, int s) { return (s == 0 ? 0.03 : 0) + (c == 7 ? 0.2 * s : 0); };
  const std::vector<ControlTimes> controls = forty_controls(3, slow);
  const MachineScores scores = machine_scores(controls);
  EXPECT_TRUE(scores.by_many);
  EXPECT_TRUE(scores.noise.empty()) << "three sessions are too few for a way of machines";
  EXPECT_NEAR(scores.common[0] - scores.common[1], 0.03, 0.001) << "whatever one control does";
  EXPECT_NEAR(scores.common[0] + scores.common[1] + scores.common[2], 0, 1e-12);
  EXPECT_LT(std::sqrt(scores.unseen), 0.001);
  std::vector<std::optional<double>> times;
  for (const ControlTimes& control : controls) {
    times.emplace_back(control.of_sessions[1] * std::exp(0.05));
  }
  const MachinePlace place = place_of(scores, times).value();
  EXPECT_NEAR(place.common - scores.common[1], 0.05, 0.0005);
  EXPECT_LT(place.common_variance, kProcesses * kProcesses);
  EXPECT_EQ(place.unseen_degrees, 40 - 1 - 2);
  // Of one session the machine at hand says how far it is off.
  const auto both = [](int c, int s) { return c % 2 == 0 ? 0.01 * s : 0; };
  std::vector<ControlTimes> one = forty_controls(2, both);
  for (std::size_t c = 0; c < one.size(); ++c) {
    times[c] = one[c].of_sessions[1];
    one[c].of_sessions.resize(1);
  }
  const MachinePlace off = place_of(machine_scores(one), times).value();
  EXPECT_NEAR(std::sqrt(off.unseen), 0.005, 0.001);
  EXPECT_NEAR(off.common, 0.005, 0.001);
}

TEST(MachineScores, PlaceASessionThatSomeControlsLack) {
  const auto kind = [](int c, int s) { return s % 2 == 0 ? 0.01 * c / 40 : 0; };
  const MachineScores scores = machine_scores(forty_controls(10, kind));
  std::vector<std::optional<double>> times;
  for (const ControlTimes& control : forty_controls(12, kind)) {
    times.push_back(times.size() % 4 == 0 ? std::optional(control.of_sessions[11]) : std::nullopt);
  }
  const auto place = place_of(scores, times);
  ASSERT_TRUE(place.has_value());
  EXPECT_NEAR(place->score.at(0), scores.of_sessions[1][0], 0.002);
  EXPECT_GT(std::abs(place->score[0] - scores.of_sessions[0][0]), 0.003);
  EXPECT_LT(place->unseen, kProcesses * kProcesses);
  EXPECT_FALSE(place_of(scores, std::vector<std::optional<double>>(40)).has_value());
}

TEST(MachineFactor, TwoKindsOfDieWidenNoVerdictOnEither) {
  Fleet fleet;
  for (const int kind : {0, 1}) {
    const Judged with = judge(fleet.suite(kBothKinds, kind), 0.01);
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

TEST(MachineFactor, AKindThatTheBaselineHasNotSeenMakesNoAlarmAndNoAllClear) {
  Fleet fleet;
  const Judged tally = judge(fleet.suite({0, 0, 0, 0, 0, 0}, 1), 0.005);
  EXPECT_LE(tally.greater + tally.less, 0);
  EXPECT_GE(tally.unclear, 38);
}

TEST(MachineFactor, OneSessionOfAnotherKindMakesNoAlarm) {
  Fleet fleet;
  const Judged tally = judge(fleet.suite({0}, 1), 0.005);
  EXPECT_EQ(tally.greater + tally.less, 0);
  EXPECT_GT(judge(fleet.suite({0}, 1), 0.005, false).greater, 0)
      << "without the machine's part this test shows nothing";
}

TEST(MachineEffect, IsTheSlopeThatTheSessionsShow) {
  const std::vector<ProcessFigures> sessions{{100}, {100 * std::exp(0.01)}, {100 * std::exp(0.02)}};
  const auto scores = line({-0.02, 0, 0.02});
  const MachineEffect effect =
      machine_effect(sessions, scores, {{0.02}, 0}, {0}, {1e-10, 1}, false);
  EXPECT_NEAR(effect.slopes.at(0), 0.5, 1e-6);
  EXPECT_LT(effect.variance, 1e-9);
  EXPECT_NEAR(spread_about_plane(sessions, scores).variance, 0, 1e-12);
  EXPECT_EQ(spread_about_plane(sessions, scores).degrees_of_freedom, 1);
}

TEST(MachineEffect, KeepsTwoWaysApart) {
  const auto at = [](double a, double b) { return ProcessFigures{100 * std::exp(a + 2 * b)}; };
  const std::vector<MachineScore> scores{{0, 0}, {0.01, 0}, {0, 0.01}, {0.01, 0.01}};
  const std::vector<ProcessFigures> sessions{at(0, 0), at(0.01, 0), at(0, 0.01), at(0.01, 0.01)};
  const MachineEffect effect =
      machine_effect(sessions, scores, {{0, 0.01}, 0}, {0, 0}, {1e-12, 1}, false);
  EXPECT_NEAR(effect.slopes.at(0), 1, 1e-5);
  EXPECT_NEAR(effect.slopes.at(1), 2, 1e-5);
  EXPECT_EQ(spread_about_plane(sessions, scores).degrees_of_freedom, 1);
}

TEST(MachineEffect, IsUnknownWhereTheSessionsShowNothing) {
  const std::vector<ProcessFigures> sessions{{100}, {101}};
  const auto variance = [&](const std::vector<double>& scores, SessionSpread spread) {
    const MachineEffect effect =
        machine_effect(sessions, line(scores), {{0.03}, 0}, {0}, spread, false);
    EXPECT_EQ(effect.slopes.at(0), 0);
    return effect.variance;
  };
  EXPECT_NEAR(variance({0, 0}, {1e-4, 1}), 0.03 * 0.03, 1e-9);
  EXPECT_NEAR(variance({0.01, -0.01}, {}), 0.03 * 0.03, 1e-9) << "no spread";
  EXPECT_NEAR(variance({0.001, -0.001}, {1e-4, 1}), 0.03 * 0.03, 1e-9) << "too far away";
}

TEST(MachineEffect, OfTheSameCodeNothingIsFearedThatItsOwnTimeWouldShow) {
  const std::vector<ProcessFigures> sessions{{100}, {101}};
  EXPECT_EQ(machine_effect(sessions, line({0, 0}), {{0.03}, 0}, {0}, {1e-4, 1}, true).variance, 0);
}

TEST(MachineEffect, ScoresThatAreNoiseSayNothing) {
  const std::vector<ProcessFigures> sessions{{100}, {101}, {102}};
  const MachineEffect effect =
      machine_effect(sessions, line({-0.01, 0, 0.01}), {{0.01}, 0}, {1e-4}, {1e-6, 1}, false);
  EXPECT_EQ(effect.slopes.at(0), 0);
  EXPECT_NEAR(effect.variance, 1e-4, 1e-12);
}

}  // namespace
}  // namespace warpgauge::ci
