// SPDX-License-Identifier: Apache-2.0
// Words, literals and brackets of C++ and of the PTX in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::emulator {

using Words = std::vector<std::string>;

[[nodiscard]] bool in_word(char c);
[[nodiscard]] std::string trimmed(std::string_view text);

// Behind the literal that begins here.
[[nodiscard]] std::size_t skip_literal(std::string_view text, std::size_t at);

// At the separator, outside of brackets and literals; or at the end.
[[nodiscard]] std::size_t find_outside(std::string_view text, std::size_t at, char separator);

// The parts that are not empty.
[[nodiscard]] Words split(std::string_view text, char separator);

// The text of adjacent literals.
[[nodiscard]] std::string unquoted(std::string_view literals);

}  // namespace warpgauge::emulator
