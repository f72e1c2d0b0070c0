// SPDX-License-Identifier: Apache-2.0
// What a process that was killed left behind, told from what a live one still uses: by a lock,
// which ends with its process.
#pragma once

#include <filesystem>
#include <string_view>

namespace warpgauge::results {

// Keeps sweep() from a file or folder that this process has just made and opened, until the
// descriptor is closed. False: it was swept already, so make another.
[[nodiscard]] bool keep_from_sweep(int descriptor, const std::filesystem::path& path);

// Whether mkstemp() or mkdtemp() may have made this name from the prefix and XXXXXX.
[[nodiscard]] bool is_made_from(std::string_view name, std::string_view prefix);

// Removes this user's files and folders in `folder` whose names are made from `prefix` and which no
// process keeps. What cannot be removed, or has a lock that cannot be asked for, stays.
void sweep(const std::filesystem::path& folder, std::string_view prefix);

}  // namespace warpgauge::results
