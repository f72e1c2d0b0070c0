// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/cluster_dims.hpp"

#include <algorithm>

#include "profiling/emulator/compile/identifiers.hpp"
#include "profiling/emulator/compile/source_text.hpp"

namespace warpgauge::emulator {
namespace {

constexpr std::string_view kClusterDims = "__cluster_dims__";

bool is_cluster_qualifier(std::string_view text, std::size_t begin) {
  const std::size_t end = begin + kClusterDims.size();
  if (begin > 0 && is_of_identifier(text[begin - 1])) return false;
  if (end < text.size() && is_of_identifier(text[end])) return false;
  const std::size_t line = begin_of_line(text, begin);
  return text[line] != '#' && !is_in_string(text.substr(line, begin - line));
}

// The first of `letters` from `at` on that no parentheses enclose, over lines that begin with #;
// npos: none.
std::size_t find_outside(std::string_view text, std::size_t at, std::string_view letters) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '#' && begin_of_line(text, at) == at) {
      at = std::min(text.find('\n', at), text.size() - 1);
      continue;
    }
    if (depth == 0 && letters.find(text[at]) != std::string_view::npos) return at;
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
  }
  return std::string_view::npos;
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

std::string rewrite_cluster_dims(std::string_view preprocessed) {
  std::string text(preprocessed);
  for (std::size_t found = text.find(kClusterDims); found != std::string::npos;
       found = text.find(kClusterDims, found + 1)) {
    if (!is_cluster_qualifier(text, found)) continue;
    const std::size_t open = text.find_first_not_of(" \t\n", found + kClusterDims.size());
    if (open == std::string::npos || text[open] != '(') continue;
    const std::size_t close = find_outside(text, open + 1, ")");
    if (close == std::string::npos) continue;
    const std::size_t body = find_outside(text, close + 1, "{;");
    if (body == std::string::npos || text[body] != '{') continue;
    const std::string extents =
        on_one_line(std::string_view(text).substr(open + 1, close - open - 1));
    text.insert(body + 1,
                " __attribute__((used)) static constexpr unsigned warpgauge_cluster_dims[3] = {" +
                    extents + "}; ::warpgauge_emulator::require_cluster(warpgauge_cluster_dims);");
    for (std::size_t i = found; i <= close; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }
  return text;
}

}  // namespace warpgauge::emulator
