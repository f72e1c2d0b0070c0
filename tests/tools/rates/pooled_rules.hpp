// SPDX-License-Identifier: Apache-2.0
// Rules that anyone could apply to all that was measured, beside ours; no verdict uses them.
#pragma once

#include <vector>

#include "ci/gate/calibrate/calibrate.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// What a rule says that sees all processes of both sides.
enum class Said { slower, open, not_slower };

struct PooledRule {
  const char* name;
  const char* description;
  Said (*says)(const results::BenchmarkResult& before, const results::BenchmarkResult& after);
};

// A test of Mann and Whitney over all launches, and one of Welch over processes, with a floor.
[[nodiscard]] const std::vector<PooledRule>& pooled_rules();

// That of Welch with the floors of a gate on the suite, on a figure a process: as many processes as
// a gate starts with.
[[nodiscard]] const CompetingRule& welch_with_floors();

// A figure a process; empty: it was not timed.
[[nodiscard]] std::vector<double> times_of(const results::BenchmarkResult& benchmark);

// Chance that the means of two samples differ at least so much, either way, by Welch's test. 1:
// there are fewer than two of either.
[[nodiscard]] double welch_p(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace warpgauge::ci
