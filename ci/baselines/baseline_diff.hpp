// SPDX-License-Identifier: Apache-2.0
// What two states of a device's baseline have otherwise, by benchmark.
#pragma once

#include <string>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/policy/approved_changes.hpp"

namespace warpgauge::ci {

// In the order of ids. What differs only in how sessions are described is in no edit: see
// rewritten_sessions().
[[nodiscard]] std::vector<BaselineEdit> baseline_edits(const std::string& device,
                                                       const Baseline& before,
                                                       const Baseline& after);

// Labels of sessions that both have and describe otherwise, each with what of it: when, by whom,
// why, what it was carried over from, its environment.
[[nodiscard]] std::vector<std::string> rewritten_sessions(const Baseline& before,
                                                          const Baseline& after);

// Labels of anchors that both have and describe otherwise, each with what it says now.
[[nodiscard]] std::vector<std::string> rewritten_anchors(const Baseline& before,
                                                         const Baseline& after);

// How far the furthest figure moved, either way; to order edits by.
[[nodiscard]] double magnitude(const BaselineEdit& edit);

}  // namespace warpgauge::ci
