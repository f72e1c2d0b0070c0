// SPDX-License-Identifier: Apache-2.0
// What is known of the source that was measured.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ci/verdict.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// By git, of the current folder; empty where there is no git or no repository.
[[nodiscard]] results::Source current_source();

// What to say where the current folder's checkout is at another revision than the one of which a
// suite was built; empty: it is not, or one of the two is not known.
[[nodiscard]] std::string other_revision_here(const results::Source& built);

// Who works here: "name <address>" as git has it, else the user's name, else "unknown".
[[nodiscard]] std::string current_author();

// Fills in the text of lines that lack it, from the files below `root`.
void add_source_text(std::vector<results::SourceLine>& lines, const std::filesystem::path& root);

// Of a file, and of all files together, that reports take along.
inline constexpr std::size_t kLargestSource = std::size_t{1} << 20;
inline constexpr std::size_t kAllSources = std::size_t{8} << 20;

// Text of the files below `root` that the verdict's lines name, those of causes first. Left out:
// what is not there or leads out of `root`, what is larger than a limit, and what would make all of
// them together larger than theirs.
[[nodiscard]] std::map<std::string, std::string> sources_of(const GateVerdict& verdict,
                                                            const std::filesystem::path& root);

}  // namespace warpgauge::ci
