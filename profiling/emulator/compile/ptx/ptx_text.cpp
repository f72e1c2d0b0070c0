// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/ptx/ptx_text.hpp"

#include <algorithm>
#include <cctype>

namespace warpgauge::emulator {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

std::size_t skip_literal(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::size_t find_outside(std::string_view text, std::size_t at, char separator) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (depth == 0 && c == separator) return at;
    if (c == '"' || c == '\'') {
      at = skip_literal(text, at);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++at;
  }
  return at;
}

Words split(std::string_view text, char separator) {
  Words parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = find_outside(text, at, separator);
    if (std::string part = trimmed(text.substr(at, end - at)); !part.empty()) {
      parts.push_back(std::move(part));
    }
    at = end + 1;
  }
  return parts;
}

std::string unquoted(std::string_view literals) {
  std::string text;
  for (std::size_t at = literals.find('"'); at < literals.size(); at = literals.find('"', at)) {
    const std::size_t end = skip_literal(literals, at);
    for (std::size_t i = at + 1; i + 1 < end; ++i) {
      if (literals[i] != '\\') {
        text += literals[i];
      } else if (++i + 1 < end) {
        text += literals[i] == 'n' || literals[i] == 't' || literals[i] == 'r' ? ' ' : literals[i];
      }
    }
    at = end;
  }
  return text;
}

}  // namespace warpgauge::emulator
