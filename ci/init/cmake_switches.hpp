// SPDX-License-Identifier: Apache-2.0
// How a target of somebody's CMake project comes to be built: from which folder, with which options
// on. Knows only what the files say plainly; nothing is run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ci/init/cmake_text.hpp"

namespace warpgauge::ci {

// Of each folder with a CMakeLists.txt, by its path below the repository's root, "." for that.
using CMakeProject = std::map<std::string, CMakeFacts>;

// The folder that CMake is called with to build what stands in this one: the uppermost that takes
// it in, or the root where nothing says so and the folder is no project of its own.
[[nodiscard]] std::string source_folder(const CMakeProject& project, const std::string& folder);

// The options around the target of this folder and around the folder itself, outermost first.
[[nodiscard]] std::vector<std::string> switches_of(const CMakeProject& project,
                                                   const std::string& folder);

}  // namespace warpgauge::ci
