// SPDX-License-Identifier: Apache-2.0
// Whether a build can stand for what was approved.
#pragma once

#include <string>

#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Why a build cannot stand for what was approved; empty: its code and input are the same, as far as
// timing it shows. nullptr: a side does not have the benchmark. with: the build, as "1b2c3d4e5f60".
[[nodiscard]] std::string why_not_approved(const results::BenchmarkResult* approved,
                                           const results::BenchmarkResult* built,
                                           const Policy& policy, const std::string& with);

}  // namespace warpgauge::ci
