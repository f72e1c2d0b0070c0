// SPDX-License-Identifier: Apache-2.0
// Rewrites CUDA's launches, kernel<<<grid, block>>>(arguments), into C++ that a host compiler
// parses.
//
// Knows tokens and brackets, but no types: the compiler and
// include/warpgauge_emulator/host_api/chevrons.h do the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::emulator {

// `preprocessed` with every launch rewritten on the same lines; absent when there is no launch. The
// text must come from `g++ -E`: no comments, no macros; lines with # stay unchanged.
[[nodiscard]] std::optional<std::string> rewrite_launches(std::string_view preprocessed);

}  // namespace warpgauge::emulator
