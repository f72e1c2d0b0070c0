// SPDX-License-Identifier: Apache-2.0
// What a file is that was named in place of another: for messages, not for deciding how to read it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warpgauge::results {

// Of Warpgauge's own files: "a verdict", "a policy", …; empty: none of them.
[[nodiscard]] std::string file_kind(std::string_view text);

// The same of a file that was not what it should be; empty as well where it cannot be read again.
[[nodiscard]] std::string kind_of_file(const std::filesystem::path& path);

}  // namespace warpgauge::results
