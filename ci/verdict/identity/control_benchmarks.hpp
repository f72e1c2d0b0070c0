// SPDX-License-Identifier: Apache-2.0
// What the controls of two sides say of their machines: benchmarks whose code is the same on both,
// and those that the policy names because their code is not under test.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/statistics/suite_model.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

struct SideScores {
  // By the session's label. What the old side's leave unseen is unseen_before.
  std::map<std::string, MachinePlace> before;
  std::map<std::string, MachinePlace> after;
  MachineScore noise;
  double unseen_before = 0;           // of one old session
  std::set<std::string> same_code;    // ids of the same machine code, exact counters and launches
  std::vector<std::string> controls;  // ids that were used; empty: nothing is known
  std::vector<std::string> changed;   // ids that the policy names, of other code or launches now

  // Puts into `sides`, of this benchmark, whose sessions these labels name, whether its code is the
  // same, and the scores. Old sessions of which none is known are taken out, unless too few are
  // left.
  void apply_scores(TwoSides& sides, const std::string& id,
                    const std::vector<std::string>& labels_before,
                    const std::vector<std::string>& labels_after) const;
};

// How far the two sides' machines are apart, at least 0, and the variance that chance gives it; the
// part of it that all benchmarks have in common; and how far in ways that the old side's sessions
// do not show.
struct MachineDistance {
  double distance = 0;
  double common = 0;  // logarithm; above 0: the new side's is slower
  double variance = 0;
  double unseen = 0;
};

[[nodiscard]] MachineDistance distance_of(const SideScores& scores);

// Why no verdict on the time of other code should rest on these machines: what all benchmarks have
// in common is beyond the limit, a share. Empty: it may.
[[nodiscard]] std::string why_machine_is_too_far(const SideScores& scores, double limit);

// By the times of the controls; identities: of the same two results (see device_effects.hpp).
// treat_as_changed: no code counts as the same.
[[nodiscard]] SideScores side_scores(const results::Results& before, const results::Results& after,
                                     const Policy& policy, const CodeIdentities& identities,
                                     bool treat_as_changed);

}  // namespace warpgauge::ci
