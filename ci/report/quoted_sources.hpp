// SPDX-License-Identifier: Apache-2.0
// The source files that a report quotes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Of a file, and of all files together, that reports take along.
inline constexpr std::size_t kLargestSource = std::size_t{1} << 20;
inline constexpr std::size_t kAllSources = std::size_t{8} << 20;

// Text of the files below `root` that the verdict's lines name, those of causes first. Left out:
// what is not there or leads out of `root`, what is larger than a limit, and what would make all of
// them together larger than theirs.
[[nodiscard]] std::map<std::string, std::string> sources_of(const GateVerdict& verdict,
                                                            const std::filesystem::path& root);

}  // namespace warpgauge::ci
