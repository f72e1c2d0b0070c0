// SPDX-License-Identifier: Apache-2.0
// Kernels whose true durations are known, measured with known noise and compared as the gate does.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "ci/statistics/statistics.hpp"
#include "ci/statistics/suite_model.hpp"
#include "tests/statistics/trials.hpp"

namespace warpgauge::ci {

// Measures kernels of a known duration with known noise.
class Laboratory {
 public:
  double mean_ns = 10'000;
  double between_processes = 0.003;  // relative standard deviations
  double between_sessions = 0;
  double step_ns = 0;  // of the clock
  int processes = 5;

  ProcessFigures session(double factor = 1) {
    const double die = 1 + between_sessions * normal_(random_);
    ProcessFigures figures;
    for (int i = 0; i < processes; ++i) {
      const double time = mean_ns * factor * die * (1 + between_processes * normal_(random_));
      figures.push_back(step_ns > 0 ? step_ns * std::round(time / step_ns) : time);
    }
    return figures;
  }

  std::vector<ProcessFigures> sessions(int count) {
    std::vector<ProcessFigures> all;
    for (int i = 0; i < count; ++i) all.push_back(session());
    return all;
  }

 private:
  std::mt19937_64 random_{kSeed};
  std::normal_distribution<double> normal_;
};

struct Tally {
  int none = 0;
  int greater = 0;
  int less = 0;
  int unclear = 0;

  void add(Shift shift) {
    ++(shift == Shift::none      ? none
       : shift == Shift::greater ? greater
       : shift == Shift::less    ? less
                                 : unclear);
  }
};

// A suite of `benchmarks`, all slower by `factor`, compared as the gate does it.
inline Tally compare_suites(Laboratory& laboratory, int benchmarks, int baseline_sessions,
                            double factor, double floor) {
  std::vector<TwoSides> suite;
  for (int i = 0; i < benchmarks; ++i) {
    TwoSides& sides = suite.emplace_back();
    sides.before = laboratory.sessions(baseline_sessions);
    sides.after = {laboratory.session(factor)};
    sides.relative_floor = floor;
    sides.resolution = laboratory.step_ns;
    sides.by_processes_alone = baseline_sessions == 1;
  }
  Tally tally;
  for (const SuiteEstimate& each : estimate_suite(suite, kAlpha)) {
    tally.add(classify(each.estimate, kAlpha));
  }
  return tally;
}

}  // namespace warpgauge::ci
