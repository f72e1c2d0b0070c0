// SPDX-License-Identifier: Apache-2.0
// Results of machine code stand under their newest architecture: a build that gains or loses one is
// still held against what was approved last.
#pragma once

#include <filesystem>
#include <optional>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// For results of machine code alone: the device of the baseline of machine code that was approved
// last, of those that have code for an architecture that these results have too.
// Absent: that is their own device's, there is none, or they are of something else.
[[nodiscard]] std::optional<results::Device> device_of_shared_code(
    const std::filesystem::path& baselines, const results::Results& results);

}  // namespace warpgauge::ci
