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

// From `first` to `last`, counted from 1; fewer where the text ends before.
std::vector<std::string_view> lines_of(std::string_view text, int first, int last) {
  std::vector<std::string_view> lines;
  for (int number = 1; number <= last && !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (number >= first) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string excerpt(const GateVerdict& verdict, const results::SourceLine& line) {
  const auto source = verdict.sources.find(line.file);
  if (source != verdict.sources.end() && line.line >= 1) {
    const int first = std::max(1, line.line - kAround);
    const auto lines = lines_of(source->second, first, line.line + kAround);
    const auto at = static_cast<std::size_t>(line.line - first);
    if (at < lines.size() && lines[at].find(line.text) != std::string_view::npos) {
      std::string text;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        text += numbered(first + static_cast<int>(i), lines[i], i == at);
      }
      return text;
    }
  }
  return line.text.empty() ? "" : numbered(line.line, line.text, true);
}

}  // namespace warpgauge::ci
