// SPDX-License-Identifier: Apache-2.0
// What a verdict says beside its verdicts: nothing here decides.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ci/statistics/statistics.hpp"
#include "ci/verdict/control_benchmarks.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// A kernel that takes another time, and whose counters are beyond what the baseline's sessions had,
// is likely to take it for that reason: adds them to the reason.
void mention_counters(BenchmarkVerdict& benchmark);

// What the benchmarks remarked, for whoever reads the report.
void note_remarks(const results::Results& results, GateVerdict& verdict);

// That most of the suite moved as one. estimates: by metric, of the whole suite. It silences
// nothing: a compiler flag moves a suite as one, just as another machine does.
void note_common_shifts(const std::map<std::string, std::vector<Estimate>>& estimates,
                        const std::string& what_differs, GateVerdict& verdict);

// How far the machine is from the other side's, and controls that are none any more.
void note_machine(const SideScores& scores, bool against_baseline, GateVerdict& verdict);

}  // namespace warpgauge::ci
