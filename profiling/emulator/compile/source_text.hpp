// SPDX-License-Identifier: Apache-2.0
// Where in a preprocessed source a word stands.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpgauge::emulator {

// Of `line` up to a word: whether the word is in a string. A name between quotes is no list of
// names.
[[nodiscard]] bool is_in_string(std::string_view line);

// Where the line of `at` begins.
[[nodiscard]] std::size_t begin_of_line(std::string_view text, std::size_t at);

}  // namespace warpgauge::emulator
