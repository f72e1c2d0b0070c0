// SPDX-License-Identifier: Apache-2.0
// Machines of two kinds, on which a suite is measured and judged with what its controls say of
// them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "ci/statistics/device_effects.hpp"
#include "ci/statistics/suite_model.hpp"
#include "tests/statistics/trials.hpp"

namespace warpgauge::ci {

inline constexpr double kBeta = 0.05;

inline constexpr double kProcesses = 0.001;  // relative deviation between them

// The first `count` of these benchmarks in the old sessions, by one process each.
inline std::vector<ControlTimes> controls_of(const std::vector<TwoSides>& suite,
                                             std::size_t count) {
  std::vector<ControlTimes> controls;
  for (std::size_t c = 0; c < count; ++c) {
    ControlTimes& control = controls.emplace_back();
    for (const ProcessFigures& each : suite[c].before) control.of_sessions.push_back(each[0]);
    control.variance = kProcesses * kProcesses;
  }
  return controls;
}

// Dies of two kinds, as H200s were found to be: one reads faster, the other copies faster.
class Fleet {
 public:
  double kinds_apart = 0.02;
  double between_sessions = 0.0005;
  double between_processes = kProcesses;

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
    const MachineScores scores = machine_scores(controls_of(all, 2));
    const std::vector<std::optional<double>> now{all[0].after[0][0], all[1].after[0][0]};
    for (TwoSides& sides : all) {
      sides.scores_before = scores.of_sessions;
      sides.there = place_of(scores, now).value();
      sides.score_noise = scores.noise;
    }
    return all;
  }

 private:
  std::mt19937_64 random_{kSeed};
  std::normal_distribution<double> normal_;
};

struct Judged {
  int none = 0, greater = 0, less = 0, unclear = 0;
};

inline Judged judge(std::vector<TwoSides> suite, double floor, bool with_machine = true) {
  for (TwoSides& sides : suite) {
    sides.relative_floor = floor;
    if (!with_machine) sides.scores_before.clear();
  }
  Judged tally;
  for (const SuiteEstimate& each : estimate_suite(suite, kBeta)) {
    switch (classify(each.estimate, kAlpha)) {
      case Shift::none:
        ++tally.none;
        break;
      case Shift::greater:
        ++tally.greater;
        break;
      case Shift::less:
        ++tally.less;
        break;
      default:
        ++tally.unclear;
        break;
    }
  }
  return tally;
}

inline const std::vector<int> kBothKinds{0, 1, 0, 1, 1, 0};

}  // namespace warpgauge::ci
