// SPDX-License-Identifier: Apache-2.0
// What a folder holds, by names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgauge::results {

// Without "." and ".."; none where the folder cannot be read. Throws std::bad_alloc where memory
// lacks: the standard library's walk through a folder ends the process there.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);

// The same, but throws FileError where the folder cannot be read: for what decides by what is not
// there.
[[nodiscard]] std::vector<std::string> all_names_in(const std::filesystem::path& folder);

}  // namespace warpgauge::results
