// SPDX-License-Identifier: Apache-2.0
// Measures until there is a verdict, and again what looks worse before it is said.
#pragma once

#include <functional>

#include "ci/run.hpp"
#include "ci/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// In how many processes the gate times a benchmark: at first, and at most until it is clear.
struct Effort {
  int processes = 5;
  int most_processes = 10;
};

using Judge = std::function<GateVerdict(const results::Results&)>;

// Observes everything; times again what more processes can make clear; then times what has
// regressed once more, and calls it so only if the new processes alone say so too. `keep` gets the
// results after every step, so that what led to a verdict is what is on disk.
[[nodiscard]] GateVerdict measure_and_judge(Measurement& measurement, Effort effort,
                                            const Judge& judge,
                                            const std::function<void(const RunResult&)>& keep);

}  // namespace warpgauge::ci
