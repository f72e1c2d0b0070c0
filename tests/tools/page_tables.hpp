// SPDX-License-Identifier: Apache-2.0
// Tables in a page of docs/.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::ci {

// The lines of a page between which its tables stand.
inline constexpr std::string_view kTablesBegin = "<!-- tables: begin -->";
inline constexpr std::string_view kTablesEnd = "<!-- tables: end -->";

// The page with the text between its two markers replaced. Throws Error when each of them is not
// there exactly once, on a line of its own, in order; `name` begins the message.
[[nodiscard]] std::string with_tables(std::string_view page, std::string_view tables,
                                      const std::string& name);

// The same between markers that name another block than "tables".
[[nodiscard]] std::string with_block(std::string_view page, std::string_view block,
                                     std::string_view text, const std::string& name);

}  // namespace warpgauge::ci
