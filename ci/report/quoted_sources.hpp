// SPDX-License-Identifier: Apache-2.0
// The source files that a report quotes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// The largest file, and the largest total, that a report embeds.
inline constexpr std::size_t kLargestSource = std::size_t{1} << 20;
inline constexpr std::size_t kAllSources = std::size_t{8} << 20;

// Text of the files below `root` that the verdict's lines name, files of causes first. Skips files
// that are missing, lie outside `root`, are too large, or would exceed the limit for the total.
[[nodiscard]] std::map<std::string, std::string> sources_of(const GateVerdict& verdict,
                                                            const std::filesystem::path& root);

}  // namespace warpgauge::ci
