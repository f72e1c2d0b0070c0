// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/qualifiers.hpp"

#include <algorithm>

#include "profiling/emulator/compile/identifiers.hpp"
#include "profiling/emulator/compile/source_text.hpp"

namespace warpgauge::emulator {
namespace {

constexpr std::string_view kNoinline = "__noinline__";
// As the macros of __shared__ and __constant__ end.
constexpr std::string_view kShared = "__constinit __attribute__((aligned(128)))";
constexpr std::string_view kConstant =
    "__attribute__((section(\"warpgauge_constant\"), visibility(\"internal\")))";

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
  const std::size_t end = begin + kNoinline.size();
  if (begin > 0 && is_of_identifier(text[begin - 1])) return false;
  if (end < text.size() && is_of_identifier(text[end])) return false;
  // Not as in ((__noinline__)), ((unused, __noinline__)) or [[gnu::__noinline__]].
  const char before = letter_before(text, begin);
  if (before == '(' || before == ',' || before == ':') return false;
  const std::size_t line = begin_of_line(text, begin);
  return text[line] != '#' && !is_in_string(text.substr(line, begin - line));
}

std::string rewrite_noinline(std::string_view preprocessed) {
  std::string text;
  std::size_t copied = 0;
  for (std::size_t found = preprocessed.find(kNoinline); found != std::string_view::npos;
       found = preprocessed.find(kNoinline, found + kNoinline.size())) {
    if (!is_qualifier(preprocessed, found)) continue;
    text += preprocessed.substr(copied, found - copied);
    text += "__attribute__((__noinline__))";
    copied = found + kNoinline.size();
  }
  text += preprocessed.substr(copied);
  return text;
}

// The first letter from `at` on that is no white space and on no line that begins with #.
std::size_t next_letter(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    at = std::min(text.find_first_not_of(" \t\n", at), text.size());
    if (at == text.size() || text[at] != '#' || begin_of_line(text, at) != at) return at;
    at = std::min(text.find('\n', at), text.size());
  }
  return at;
}

// Behind the parenthesis that closes the one at `open`.
std::size_t behind_parentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// alignas(what) is of a type or of a number; the attribute knows numbers only.
void rewrite_shared_alignments(std::string& text) {
  constexpr std::string_view kAlignas = "alignas";
  for (std::size_t found = text.find(kShared); found != std::string::npos;
       found = text.find(kShared, found + kShared.size())) {
    const std::size_t begin = next_letter(text, found + kShared.size());
    if (text.compare(begin, kAlignas.size(), kAlignas) != 0) continue;
    const std::size_t open = next_letter(text, begin + kAlignas.size());
    if (open == text.size() || text[open] != '(') continue;
    const std::size_t end = behind_parentheses(text, open);
    if (end == std::string::npos) continue;
    text.replace(end - 1, 1, ">())))");
    text.replace(begin, open + 1 - begin,
                 "__attribute__((aligned(::warpgauge_emulator::alignment<" +
                     std::string(static_cast<std::size_t>(std::count(
                                     text.begin() + static_cast<std::ptrdiff_t>(begin),
                                     text.begin() + static_cast<std::ptrdiff_t>(open), '\n')),
                                 '\n'));
  }
}

// Of a declaration's words: not those of what a pointer points to.
bool is_const(std::string_view declaration) {
  declaration = declaration.substr(declaration.rfind('*') + 1);
  for (const std::string_view word : {std::string_view("const"), std::string_view("constexpr")}) {
    for (std::size_t at = declaration.find(word); at != std::string_view::npos;
         at = declaration.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_of_identifier(declaration[at - 1])) &&
          (end == declaration.size() || !is_of_identifier(declaration[end]))) {
        return true;
      }
    }
  }
  return false;
}

void rewrite_constants(std::string& text) {
  for (std::size_t found = text.find(kConstant); found != std::string::npos;
       found = text.find(kConstant, found + 1)) {
    const std::size_t before =
        found == 0 ? std::string::npos : text.find_last_of(";{}>\"", found - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t behind = found + kConstant.size();
    const std::size_t end = std::min(text.find_first_of("=;{[(", behind), text.size());
    if (is_const(text.substr(begin, found - begin) + text.substr(behind, end - behind))) {
      text.erase(found, kConstant.size());
    }
  }
}

}  // namespace

std::string rewrite_qualifiers(std::string_view preprocessed) {
  std::string text = rewrite_noinline(preprocessed);
  rewrite_shared_alignments(text);
  rewrite_constants(text);
  return text;
}

}  // namespace warpgauge::emulator
