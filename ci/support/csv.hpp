// SPDX-License-Identifier: Apache-2.0
// Comma-separated values by RFC 4180. Knows no columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

struct CsvRow {
  std::size_t line = 0;  // on which it begins
  std::vector<std::string> fields;
};

// Rows of the text; blank lines are none. A quote within an unquoted field is a character like any
// other. Throws FormatError, with `name` and the line, for a quoted field that does not end or does
// not end at a comma. `first_line` is the number of the text's first line.
[[nodiscard]] std::vector<CsvRow> parse_csv(std::string_view text, const std::string& name,
                                            std::size_t first_line = 1);

// A table below other text.
struct CsvTable {
  std::size_t begin = 0;  // of its header in the text
  std::vector<CsvRow> rows;
};

// What begins with the first line that begins with `header`; nothing: there is none. Throws as
// parse_csv.
[[nodiscard]] std::optional<CsvTable> find_csv(std::string_view text, std::string_view header,
                                               const std::string& name);

}  // namespace warpgauge::ci
