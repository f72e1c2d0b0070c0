// SPDX-License-Identifier: Apache-2.0
// Inline PTX becomes calls of the emulator's functions (include/warpgauge_emulator/inline_ptx.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::emulator {

// The preprocessor's output with each asm statement of PTX replaced; lines keep their numbers.
// An instruction that the emulator lacks becomes one that ends the kernel and names it. Assembly of
// the host stays. nullopt: there is no PTX.
[[nodiscard]] std::optional<std::string> rewrite_inline_ptx(std::string_view preprocessed);

}  // namespace warpgauge::emulator
