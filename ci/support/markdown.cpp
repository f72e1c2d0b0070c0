// SPDX-License-Identifier: Apache-2.0
#include "ci/support/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace warpgauge::ci {
namespace {

// Breaks what GitHub would make a mention, a reference or a link of, and is not seen.
constexpr const char* kNothing = "&#8203;";

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// The character at `i`, so that it stays one.
std::string inline_text(std::string_view line, std::size_t i) {
  const char character = line[i];
  const std::string_view rest = line.substr(i + 1);
  switch (character) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '$':
      return "&#36;";
    case '@':
      return std::string("@") + kNothing;
    case '#':
      return rest.empty() || !is_digit(rest.front()) ? "#" : std::string("#") + kNothing;
    case '-': {  // as in GH-12
      const bool after_gh = i >= 2 && (line[i - 2] | 32) == 'g' && (line[i - 1] | 32) == 'h';
      return after_gh && !rest.empty() && is_digit(rest.front()) ? std::string("-") + kNothing
                                                                 : "-";
    }
    case ':':
      return rest.starts_with("//") ? std::string(":") + kNothing : ":";
    case '.': {
      const bool after_www =
          i >= 3 && (line.substr(i - 3, 3) == "www" || line.substr(i - 3, 3) == "WWW");
      return after_www ? std::string(kNothing) + "." : ".";
    }
    case '\\':
    case '`':
    case '*':
    case '_':
    case '[':
    case ']':
    case '|':
    case '~':
      return std::string("\\") + character;
    default:
      return std::string(1, character);
  }
}

// What keeps the first characters from beginning a heading, a list or a rule.
const char* guard_of(std::string_view line) {
  const auto ends_at = [&](std::size_t i) { return i >= line.size() || line[i] == ' '; };
  if (line.starts_with('#') || line.starts_with('=')) return "\\";
  if (line.starts_with("--") || line.starts_with("- -")) return "\\";
  if ((line.starts_with('-') || line.starts_with('+')) && ends_at(1)) return "\\";
  const std::size_t end = line.find_first_not_of("0123456789");
  const bool numbers = end != line.npos && end > 0 && (line[end] == '.' || line[end] == ')');
  return numbers && ends_at(end + 1) ? kNothing : "";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string line = one_line(text);
  line.erase(0, line.find_first_not_of(' '));
  std::string safe = guard_of(line);
  for (std::size_t i = 0; i < line.size(); ++i) safe += inline_text(line, i);
  return safe;
}

std::string markdown_code(std::string_view text) {
  const std::string line = one_line(text);
  if (line.find_first_not_of(' ') == line.npos) return {};
  if (line.find_first_of("`|") != line.npos) return markdown_text(line);
  return fmt::format("`{}`", line);
}

std::string markdown_block(std::string_view text, std::string_view language) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char character : text) {
    run = character == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text,
                     text.empty() || text.back() == '\n' ? "" : "\n", fence);
}

std::string html_text(std::string_view text) {
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
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += character;
    }
  }
  return safe;
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
