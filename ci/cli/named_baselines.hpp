// SPDX-License-Identifier: Apache-2.0
// Whether the folder of baselines that a command uses is the one that is meant: `warpgauge init`
// gives each kind of benchmark one of its own in baselines/, and its script names it.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>

namespace warpgauge::ci {

// Throws Error (usage) where the command's --baselines was not given, the folder has no baseline
// itself, and folders in it have, or the script of `warpgauge init` names another.
void require_named_baselines(const CLI::App& command, const std::filesystem::path& folder);

// For a folder that was named: throws Error (usage) where it has no baseline itself, and folders in
// it have, or the script of `warpgauge init` names one of them.
void require_baselines_in(const std::filesystem::path& folder);

// Throws Error (usage) for the name of a folder that is not there but near that of one that is.
void refuse_misspelt_baselines(const std::filesystem::path& folder);

}  // namespace warpgauge::ci
