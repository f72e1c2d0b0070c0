// SPDX-License-Identifier: Apache-2.0
#include "ci/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpgauge::ci {

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char character : one_line(text)) {
    switch (character) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '@':
        safe += "&#64;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
        safe += '\\';
        [[fallthrough]];
      default:
        safe += character;
    }
  }
  return safe;
}

std::string markdown_code(std::string_view text) {
  const std::string line = one_line(text);
  if (line.find_first_of("`|") != line.npos) return markdown_text(line);
  return fmt::format("`{}`", line);
}

std::string markdown_table(const std::vector<Column>& columns,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string titles = "|";
  std::string rule = "|";
  for (const Column& column : columns) {
    titles += fmt::format(" {} |", column.title);
    rule += column.align == Align::right ? "--:|" : "---|";
  }
  std::string table = titles + "\n" + rule + "\n";
  for (const auto& row : rows) table += fmt::format("| {} |\n", fmt::join(row, " | "));
  return table;
}

}  // namespace warpgauge::ci
