// SPDX-License-Identifier: Apache-2.0
#include "ci/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kAbsent = "–";

// Four significant digits of a number from 1 up to 1000; whole beyond.
std::string four_digits(double value) {
  const int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
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
  if (value != std::floor(value) || std::abs(value) >= 1e18) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return fmt::format("{}{}", value < 0 ? "-" : "", digits);
}

std::string readable_rate(double value, std::string_view unit) {
  const std::string digits = value >= 999.95    ? readable_count(std::round(value))
                             : value >= 0.99995 ? four_digits(value)
                                                : fmt::format("{:.3g}", value);
  return fmt::format("{} {}", digits, unit);
}

std::string readable_figure(std::string_view metric, std::optional<double> value) {
  if (!value) return kAbsent;
  const bool is_time = metric == results::kTimeMetric || metric == results::kCpuTimeMetric;
  return is_time ? readable_time(*value) : readable_count(*value);
}

std::string readable_change(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == 0) return kAbsent;
  const double ratio = *after / *before;
  if (ratio == 1) return "0 %";
  if (ratio >= 2) return fmt::format("×{:.1f}", ratio);
  return fmt::format("{:+.{}f} %", 100 * (ratio - 1), std::abs(ratio - 1) < 0.1 ? 2 : 1);
}

std::size_t display_width(std::string_view utf8) {
  // Every byte but those that continue a character.
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
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
  line.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    // U+0080 to U+009F: some terminals take U+009B for the beginning of a command.
    const bool second_set = byte == 0xC2 && next >= 0x80 && next <= 0x9F;
    if (second_set) ++i;
    line += byte < 0x20 || byte == 0x7f || second_set ? ' ' : text[i];
  }
  return line;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", readable_count(static_cast<double>(count)), noun,
                     count == 1 ? "" : "s");
}

}  // namespace warpgauge::ci
