// SPDX-License-Identifier: Apache-2.0
// Copies of bytes that a program asks the compiler for by the names of its built-in functions,
// which no macro of include/warpgauge_emulator/memory/byte_copies.h sees.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::emulator {

// `preprocessed` with calls of __builtin_memcpy, __builtin_memmove and __builtin_memset as calls of
// what those macros call. Not in headers of the system, the emulator's among them: the standard
// library relies on what the compiler knows of its own. Not before what they call is declared.
[[nodiscard]] std::string rewrite_byte_copies(std::string_view preprocessed);

}  // namespace warpgauge::emulator
