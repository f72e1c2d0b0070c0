// SPDX-License-Identifier: Apache-2.0
// What is known of the source that was measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// By git, of the current folder; empty where there is no git or no repository.
[[nodiscard]] results::Source current_source();

// What to say where the current folder's checkout is at another revision than the one of which a
// suite was built; empty: it is not, or one of the two is not known.
[[nodiscard]] std::string other_revision_here(const results::Source& built);

// Fills in the text of lines, and of places in kernels, that lack it, from the files below `root`.
void add_source_text(std::vector<results::SourceLine>& lines, const std::filesystem::path& root);
void add_source_text(std::vector<results::KernelCode>& codes, const std::filesystem::path& root);

}  // namespace warpgauge::ci
