// SPDX-License-Identifier: Apache-2.0
// CUDA's launches, kernel<<<grid, block>>>(arguments), in C++ that a host compiler parses.
//
// Knows tokens and brackets, not types: what it writes leaves the rest to the compiler and to
// include/warpgauge_emulator/chevrons.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::emulator {

// `preprocessed` with every launch rewritten, each on its own lines; nothing: there is none. The
// text is what `g++ -E` writes: no comments, no macros, lines of # that stay as they are.
[[nodiscard]] std::optional<std::string> rewrite_launches(std::string_view preprocessed);

}  // namespace warpgauge::emulator
