// SPDX-License-Identifier: Apache-2.0
// Function names that are the same for both compilers and in every build folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::machine_code {

// The runtime's text of a mangled name. Absent: it is none, or one whose text would be longer than
// any name (64 KiB), as references to its own parts can make it in a few bytes.
[[nodiscard]] std::optional<std::string> demangle(const std::string& symbol);

// Removes from a mangled name what varies from build to build: nvcc's hashes of the file's path and
// of the compiler process (in anonymous namespaces, and in static functions of relocatable code),
// and the number of a copy made for one caller ("$1").
[[nodiscard]] std::string stable_symbol(std::string_view symbol);

// A kernel's readable name, the same for both compilers: its demangled symbol, in which every
// anonymous namespace has the same name. Returns other text unchanged, and
// names whose text would be too long.
[[nodiscard]] std::string demangled(std::string_view symbol);

}  // namespace warpgauge::machine_code
