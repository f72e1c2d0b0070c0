// SPDX-License-Identifier: Apache-2.0
#include "ci/report/source_excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kAround = 2;
constexpr std::size_t kLongestLine = 160;

std::string numbered(int number, std::string_view text, bool marked) {
  const std::string shown = one_line(shortened(text, kLongestLine));
  std::string line = fmt::format("{} {:>5}  {}", marked ? '>' : ' ', number, shown);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string excerpt(const GateVerdict& verdict, const results::SourceLine& line) {
  const auto source = verdict.sources.find(line.file);
  if (source != verdict.sources.end()) {
    const auto lines = lines_of(source->second);
    const int count = static_cast<int>(std::min<std::size_t>(lines.size(), 1'000'000'000));
    const bool is_it =
        line.line >= 1 && line.line <= count &&
        lines[static_cast<std::size_t>(line.line - 1)].find(line.text) != std::string_view::npos;
    if (is_it) {
      std::string text;
      for (int i = std::max(1, line.line - kAround); i <= std::min(count, line.line + kAround);
           ++i) {
        text += numbered(i, lines[static_cast<std::size_t>(i - 1)], i == line.line);
      }
      return text;
    }
  }
  return line.text.empty() ? "" : numbered(line.line, line.text, true);
}

}  // namespace warpgauge::ci
