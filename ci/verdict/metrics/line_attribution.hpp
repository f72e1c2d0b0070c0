// SPDX-License-Identifier: Apache-2.0
// Which source lines a counter's growth comes from.
#pragma once

#include <optional>
#include <string>

#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// For a counter of traffic, such as shared_load_wavefronts; nothing for other metrics.
//
// Lines are matched with those of before by file, access, function and text; what is left by file,
// access and text (the function may be another instance of a template), then by file and access;
// among equals in their order. Line numbers play no part: they move with every edit above. Where
// there are no lines of before, a line is named only if it is the only one.
[[nodiscard]] std::optional<Cause> find_cause(const std::string& metric,
                                              const results::BenchmarkResult& before,
                                              const results::BenchmarkResult& after);

}  // namespace warpgauge::ci
