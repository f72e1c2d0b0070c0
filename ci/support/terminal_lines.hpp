// SPDX-License-Identifier: Apache-2.0
// Lines as wide as the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpgauge::ci {

// Of the terminal that the descriptor is; 0: it is none, or does not say.
[[nodiscard]] std::size_t terminal_columns(int descriptor);

// Of standard output; 0: it is no terminal, does not say, or is too narrow for lines of its width.
[[nodiscard]] std::size_t columns_of_standard_output();

// The line in parts that end at most at that column: the first, to be put after `indent` blanks, as
// it is, the others after two more. It breaks at blanks only, so a longer word stays whole. 0
// columns: it stays as it is.
[[nodiscard]] std::string wrapped(std::string_view line, std::size_t indent, std::size_t columns);

}  // namespace warpgauge::ci
