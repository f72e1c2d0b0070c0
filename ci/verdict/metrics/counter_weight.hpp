// SPDX-License-Identifier: Apache-2.0
// What more of a counter or of a resource is worth, beside a clock.
#pragma once

#include <optional>
#include <string>

#include "ci/verdict/estimate.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

struct BenchmarkVerdict;

// Of wavefronts of shared memory, as in "shared_load_wavefronts": those beyond the ideal ones, that
// is, bank conflicts, summed over the source lines. Nothing for another metric, and where the lines
// of a side do not add up to its counter.
[[nodiscard]] std::optional<BeforeAfter> excess_wavefronts(const std::string& metric,
                                                           const results::BenchmarkResult& before,
                                                           const results::BenchmarkResult& after);

// Of registers and static_shared_bytes: how many warps a multiprocessor holds at once, of the
// kernel that loses most; kernels of other names are compared by the fewest. Nothing for another
// metric, and where machine code or launch of a kernel is not known.
[[nodiscard]] std::optional<BeforeAfter> resident_warps(const std::string& metric,
                                                        const results::BenchmarkResult& before,
                                                        const results::BenchmarkResult& after);

// Whether more of an exact metric is a regression whatever else is known: see weigh_counters().
[[nodiscard]] bool always_decides(const std::string& metric);

// Of the counters and resources that grew, those that stay `regressed`; the rest is `not worse`,
// and the reason says why.
//
// - Wavefronts: more beyond the ideal ones, or it is not known whether.
// - Spills: always.
// - Registers and static shared memory: where no clock has a verdict, if the multiprocessor holds
//   fewer warps, or it is not known whether.
// - What machine code alone tells (see code_changes.hpp): where no clock has a verdict, or of code
//   that the clock's GPU does not run; of local memory, if there was none before.
// - Other counters of traffic, barriers, the stack: where time got worse, where there is no clock,
//   and beyond counter_limit unless time is shown to be better.
// - Any other exact metric, such as one of a suite's own: always.
void weigh_counters(double counter_limit, BenchmarkVerdict& benchmark);

}  // namespace warpgauge::ci
