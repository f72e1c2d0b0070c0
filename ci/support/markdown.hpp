// SPDX-License-Identifier: Apache-2.0
// Markdown around text from elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ci/support/text.hpp"

namespace warpgauge::ci {

// One line that is no markup and no link, ends no cell and calls no one, wherever it stands.
[[nodiscard]] std::string markdown_text(std::string_view text);

// As code, which keeps names with underscores readable; a text that would end it is escaped
// instead.
[[nodiscard]] std::string markdown_code(std::string_view text);

// Lines as they are, between fences that nothing in them closes. On lines of its own.
[[nodiscard]] std::string markdown_block(std::string_view text, std::string_view language);

// One line of text for between HTML tags, where Markdown is not read.
[[nodiscard]] std::string html_text(std::string_view text);

// Cells are Markdown already. Each line ends with \n.
[[nodiscard]] std::string markdown_table(const std::vector<Column>& columns,
                                         const std::vector<std::vector<std::string>>& rows);

}  // namespace warpgauge::ci
