// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/noinline.hpp"

#include "profiling/emulator/compile/identifiers.hpp"

namespace warpgauge::emulator {
namespace {

constexpr std::string_view kName = "__noinline__";

// Of `line` up to a word: whether the word is in a string. A name between quotes is no list of
// names.
bool is_in_string(std::string_view line) {
  bool open = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line.substr(i, 3) == "'\"'") {
      i += 2;
    } else if (line[i] == '"') {
      open = !open;
    }
  }
  return open;
}

std::size_t begin_of_line(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.find_last_of('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// What stands before `at`, over white space and over lines that begin with #, between which g++
// puts the text of a macro that a system's header defines; '\0': nothing.
char letter_before(std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::size_t last = text.find_last_not_of(" \t\n", at - 1);
    if (last == std::string_view::npos) return '\0';
    at = begin_of_line(text, last);
    if (text[at] != '#') return text[last];
  }
  return '\0';
}

bool is_qualifier(std::string_view text, std::size_t begin) {
  const std::size_t end = begin + kName.size();
  if (begin > 0 && is_of_identifier(text[begin - 1])) return false;
  if (end < text.size() && is_of_identifier(text[end])) return false;
  // Not as in ((__noinline__)), ((unused, __noinline__)) or [[gnu::__noinline__]].
  const char before = letter_before(text, begin);
  if (before == '(' || before == ',' || before == ':') return false;
  const std::size_t line = begin_of_line(text, begin);
  return text[line] != '#' && !is_in_string(text.substr(line, begin - line));
}

}  // namespace

std::string rewrite_noinline(std::string_view preprocessed) {
  std::string text;
  std::size_t copied = 0;
  for (std::size_t found = preprocessed.find(kName); found != std::string_view::npos;
       found = preprocessed.find(kName, found + kName.size())) {
    if (!is_qualifier(preprocessed, found)) continue;
    text += preprocessed.substr(copied, found - copied);
    text += "__attribute__((__noinline__))";
    copied = found + kName.size();
  }
  text += preprocessed.substr(copied);
  return text;
}

}  // namespace warpgauge::emulator
