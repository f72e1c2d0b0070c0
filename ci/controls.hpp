// SPDX-License-Identifier: Apache-2.0
// What the controls of two sides say of their machines: benchmarks that the policy names because
// their code is not under test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ci/suite_estimate.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Whether one of the policy's patterns of controls names this benchmark.
[[nodiscard]] bool is_control(const std::vector<std::string>& patterns, const std::string& id);

struct SideScores {
  std::map<std::string, double> before;  // by the session's label
  std::map<std::string, double> after;
  double noise = 0;
  std::vector<std::string> controls;  // ids that were used; empty: nothing is known
  std::vector<std::string> changed;   // ids that match, but whose machine code is another now

  // Puts the scores into `sides`, whose sessions these labels name, unless one is not known.
  void put_into(TwoSides& sides, const std::vector<std::string>& labels_before,
                const std::vector<std::string>& labels_after) const;
};

// How far the two sides' machines are apart, at least 0.
[[nodiscard]] double distance_of(const SideScores& scores);

// By the times of the benchmarks that match one of the patterns, in the sessions that all of them
// have on both sides (see machine_factor.hpp).
[[nodiscard]] SideScores side_scores(const results::Results& before, const results::Results& after,
                                     const std::vector<std::string>& patterns);

}  // namespace warpgauge::ci
