// SPDX-License-Identifier: Apache-2.0
// Estimates for a whole suite at once: benchmarks say of each other how much sessions differ, and a
// suite has one chance of a false alarm. Pure functions; knows neither policy nor files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ci/statistics/device_effects.hpp"
#include "ci/statistics/statistics.hpp"

namespace warpgauge::ci {

// One metric of one benchmark on both sides. No session without figures.
struct TwoSides {
  std::string metric;  // spreads of one metric say of each other
  std::vector<ProcessFigures> before;
  std::vector<ProcessFigures> after;
  // Measured in one session, in turns: nothing but the process differs. Or nothing is known of the
  // sessions.
  bool by_processes_alone = false;
  // Repetitions of one process a side, by a processor's clock: what another process would differ
  // by, they do not show.
  bool of_single_processes = false;
  // The machine in each of the old sessions, and in the new ones together (see device_effects.hpp).
  // No scores: not known.
  std::vector<MachineScore> scores_before;
  std::vector<double> common_before;  // as many, or none: of each 0
  double unseen_before = 0;
  MachinePlace there;
  MachineScore score_noise;
  bool gpus_before_differ = false;  // the old sessions are of several
  bool on_new_gpu = false;          // the new ones are of one that none of the old ones is of
  bool same_code = false;
  // In the unit of the figures.
  double relative_floor = 0;
  double absolute_floor = 0;
  double resolution = 0;
};

struct SuiteEstimate {
  Estimate estimate;  // p-values adjusted over the suite, all metrics together
  double p_greater_alone = 1;
  double p_less_alone = 1;
  SessionSpread own_spread;  // of the benchmark's sessions alone
  SessionSpread spread;      // as used, drawn towards the suite's
  double machine_shift = 0;  // logarithm: what the machine alone is expected to change
  double machine_variance = 0;
  double single_process_deviation = 0;  // of sides of one process each: how far such differ
};

// `before` of each estimate is what the baseline's machines would have needed if they were like
// those of `after`. Throws std::invalid_argument as compare_means does.
[[nodiscard]] std::vector<SuiteEstimate> estimate_suite(std::span<const TwoSides> benchmarks,
                                                        double beta);

}  // namespace warpgauge::ci
