// SPDX-License-Identifier: Apache-2.0
#include "ci/support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "ci/support/figures.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/ceilings.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kAbsent = "–";

constexpr std::size_t kLongestCommand = 64;  // of a runner

// Four significant digits of a number from 1 up to 1000; whole beyond.
std::string four_digits(double value) {
  const int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

// The ranges are in order.
bool is_within(char32_t code_point, std::span<const std::pair<char32_t, char32_t>> ranges) {
  for (const auto& [first, last] : ranges) {
    if (code_point <= last) return code_point >= first;
  }
  return false;
}

// Commands to a terminal, ends of lines, and marks that turn the direction of what follows.
bool controls(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 7> kControls{{{0x00, 0x1F},
                                                                    {0x7F, 0x9F},
                                                                    {0x061C, 0x061C},
                                                                    {0x200E, 0x200F},
                                                                    {0x2028, 0x202E},
                                                                    {0x2066, 0x2069},
                                                                    {0xFFF9, 0xFFFB}}};
  return is_within(code_point, kControls);
}

// What is not seen, and makes one name look like another: joiners, fillers, selectors, tags.
bool hides(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 17> kHidden{{{0x00AD, 0x00AD},
                                                                   {0x034F, 0x034F},
                                                                   {0x115F, 0x1160},
                                                                   {0x17B4, 0x17B5},
                                                                   {0x180B, 0x180F},
                                                                   {0x200B, 0x200D},
                                                                   {0x2060, 0x2065},
                                                                   {0x206A, 0x206F},
                                                                   {0x2800, 0x2800},
                                                                   {0x3164, 0x3164},
                                                                   {0xFE00, 0xFE0F},
                                                                   {0xFEFF, 0xFEFF},
                                                                   {0xFFA0, 0xFFA0},
                                                                   {0xFFF0, 0xFFF8},
                                                                   {0x1BCA0, 0x1BCA3},
                                                                   {0x1D173, 0x1D17A},
                                                                   {0xE0000, 0xE0FFF}}};
  return is_within(code_point, kHidden);
}

// What runners skip before a command: .NET's white space, and all that does not show, to be safe.
bool is_blank(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 7> kSpaces{{{0x0020, 0x0020},
                                                                  {0x00A0, 0x00A0},
                                                                  {0x1680, 0x1680},
                                                                  {0x2000, 0x200A},
                                                                  {0x202F, 0x202F},
                                                                  {0x205F, 0x205F},
                                                                  {0x3000, 0x3000}}};
  return controls(code_point) || hides(code_point) || is_within(code_point, kSpaces);
}

// As most terminals do it: marks that join what is before them take none, characters of East Asia
// and pictures two.
std::size_t columns_of(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 6> kNone{{{0x0300, 0x036F},
                                                                {0x200B, 0x200D},
                                                                {0x20D0, 0x20FF},
                                                                {0xFE00, 0xFE0F},
                                                                {0xFE20, 0xFE2F},
                                                                {0xFEFF, 0xFEFF}}};
  constexpr std::array<std::pair<char32_t, char32_t>, 10> kTwo{{{0x1100, 0x115F},
                                                                {0x2E80, 0xA4CF},
                                                                {0xAC00, 0xD7A3},
                                                                {0xF900, 0xFAFF},
                                                                {0xFE30, 0xFE6F},
                                                                {0xFF00, 0xFF60},
                                                                {0xFFE0, 0xFFE6},
                                                                {0x1F300, 0x1F64F},
                                                                {0x1F680, 0x1FAFF},
                                                                {0x20000, 0x3FFFD}}};
  if (is_within(code_point, kNone)) return 0;
  return is_within(code_point, kTwo) ? 2 : 1;
}

void pad(std::string& line, std::size_t columns) { line.append(columns, ' '); }

}  // namespace

std::string readable_time(double nanoseconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
  for (const auto& [unit, name] : kUnits) {
    // What rounds to 1000 of a unit is 1 of the next.
    if (nanoseconds >= 0.99995 * unit) {
      return fmt::format("{} {}", four_digits(nanoseconds / unit), name);
    }
  }
  return fmt::format("{:.3g} ns", nanoseconds);
}

std::string readable_count(double value) {
  if (value != std::floor(value) || std::abs(value) >= 1e18) return readable_scaled(value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return fmt::format("{}{}", value < 0 ? "-" : "", digits);
}

std::string readable_large(double value) {
  constexpr double kExact = 10'000;  // below it all digits are shown
  return value < kExact ? readable_count(value) : readable_scaled(value);
}

std::string readable_rate(double value, std::string_view unit) {
  const std::string digits = value >= 999.95    ? readable_count(std::round(value))
                             : value >= 0.99995 ? four_digits(value)
                                                : fmt::format("{:.3g}", value);
  return fmt::format("{} {}", digits, unit);
}

std::string readable_figure(std::string_view metric, std::optional<double> value) {
  if (!value) return kAbsent;
  return results::is_time(metric) ? readable_time(*value) : readable_count(*value);
}

std::string readable_change(std::optional<double> before, std::optional<double> after) {
  if (!before || !after) return kAbsent;
  if (*before == 0) return *after > 0 ? "+" + readable_count(*after) : kAbsent;
  const double ratio = *after / *before;
  if (ratio == 1) return "0 %";
  if (ratio >= 2) return fmt::format("×{:.1f}", ratio);
  const double percent = 100 * (ratio - 1);
  // What moved is not said to have moved by 0.00 %: "-0.003 %".
  const double size = std::abs(percent);
  const int decimals = size < 0.005 ? static_cast<int>(-std::floor(std::log10(size)))
                       : size < 10  ? 2
                                    : 1;
  return fmt::format("{:+.{}f} %", percent, decimals);
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < utf8.size();) width += columns_of(next_code_point(utf8, at));
  return width;
}

std::string aligned_table(const std::vector<Column>& columns,
                          const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  widths.reserve(columns.size());
  for (const Column& column : columns) widths.push_back(display_width(column.title));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string table;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t padding = widths[i] - display_width(cells[i]);
      pad(line, 2);
      if (columns[i].align == Align::right) pad(line, padding);
      line += cells[i];
      if (columns[i].align == Align::left) pad(line, padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  };
  std::vector<std::string> header;
  header.reserve(columns.size());
  for (const Column& column : columns) header.push_back(column.title);
  add(header);
  for (const auto& row : rows) add(row);
  return table;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = next_code_point(text, at);
    append(line, controls(code_point) ? U' ' : hides(code_point) ? kReplacement : code_point);
  }
  return line;
}

namespace {

// "##[", "##vso[", "##teamcity[".
bool begins_command(std::string_view text) {
  if (!text.starts_with("##")) return false;
  const auto name = text.substr(2, kLongestCommand);
  const auto end = std::find_if_not(name.begin(), name.end(), [](unsigned char character) {
    return character < 0x80 && (std::isalnum(character) != 0 || character == '_' ||
                                character == '-' || character == '.');
  });
  return end != name.end() && *end == '[';
}

}  // namespace

std::string log_text(std::string_view text) {
  std::string safe;
  bool at_begin = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t from = at;
    const char32_t code_point = next_code_point(text, at);
    safe += text.substr(from, at - from);
    if ((at_begin && rest.starts_with("::")) || begins_command(rest)) safe += ' ';
    at_begin = code_point == '\n' || code_point == '\r' || (at_begin && is_blank(code_point));
  }
  return safe;
}

std::string shell_word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return text;
  std::string quoted = "'";
  for (const char character : text) {
    quoted += character == '\'' ? "'\\''" : std::string(1, character);
  }
  return quoted + "'";
}

std::string some_of(const std::vector<std::string>& all, std::size_t most,
                    std::string_view separator) {
  const std::size_t shown = std::min(all.size(), most);
  const std::string text = fmt::format(
      "{}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), separator));
  return shown == all.size() ? text : fmt::format("{} and {} more", text, all.size() - shown);
}

std::string enumerated(const std::vector<std::string>& all, std::string_view last) {
  if (all.size() < 2) return all.empty() ? "" : all.front();
  return fmt::format("{} {} {}", fmt::join(all.begin(), all.end() - 1, ", "), last, all.back());
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", readable_count(static_cast<double>(count)), noun,
                     count == 1 ? "" : "s");
}

}  // namespace warpgauge::ci
