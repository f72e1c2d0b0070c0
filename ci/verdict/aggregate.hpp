// SPDX-License-Identifier: Apache-2.0
// Last step of a verdict: the suite's, of its benchmarks', of their metrics'. Order, notes and exit
// status.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ci/verdict/estimate.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// A benchmark's verdict is the gravest of its metrics', or its own; the gravest come first.
// allowed: verdicts that pass.
[[nodiscard]] GateVerdict aggregate(std::vector<BenchmarkVerdict> benchmarks,
                                    const Estimates& estimates, const results::Results& before,
                                    const results::Results& after,
                                    const std::set<Verdict>& allowed);

// One verdict of those on parts of a suite, at least one, whose benchmarks are not the others'.
// What was compared is said by the first.
[[nodiscard]] GateVerdict joined(std::vector<GateVerdict> parts);

}  // namespace warpgauge::ci
