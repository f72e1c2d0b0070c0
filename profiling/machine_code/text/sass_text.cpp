// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/text/sass_text.hpp"

#include <optional>

namespace warpgauge::machine_code {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// "_Z3addPf" of ".text._Z3addPf:".
std::optional<std::string_view> function_in(std::string_view line) {
  constexpr std::string_view kText = ".text.";
  if (!line.starts_with(kText) || !line.ends_with(':')) return std::nullopt;
  return line.substr(kText.size(), line.size() - kText.size() - 1);
}

// "kernels/copy.cuh:31" of `//## File "kernels/copy.cuh", line 31 inlined at …`.
std::optional<std::string> place_in(std::string_view line) {
  constexpr std::string_view kFile = "//## File \"";
  constexpr std::string_view kLine = "\", line ";
  if (!line.starts_with(kFile)) return std::nullopt;
  line.remove_prefix(kFile.size());
  const std::size_t end = line.find(kLine);
  if (end == line.npos) return std::nullopt;
  const std::string_view number = line.substr(end + kLine.size());
  const std::string_view digits = number.substr(0, number.find_first_not_of("0123456789"));
  return std::string(line.substr(0, end)) + ":" + std::string(digits);
}

// "MOV R1, c[0x0][0x28]" of "/*0000*/ MOV R1, c[0x0][0x28] ;".
std::optional<std::string_view> instruction_in(std::string_view line) {
  if (!line.starts_with("/*")) return std::nullopt;
  const std::size_t end = line.find("*/");
  if (end == line.npos || end == 2 ||
      line.substr(2, end - 2).find_first_not_of("0123456789abcdef") != line.npos) {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(end + 2);
  const std::size_t semicolon = rest.find(';');
  if (semicolon == rest.npos) return std::nullopt;  // the second half of its bits
  return trimmed(rest.substr(0, semicolon));
}

}  // namespace

SassFunctions parse_sass(std::string_view text) {
  SassFunctions functions;
  std::vector<SassInstruction>* function = nullptr;
  std::string place;
  bool is_inner = false;  // another line of this place follows: those that it was inlined at
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = trimmed(text.substr(0, end + (text[end] == '\n' ? 0 : 1)));
    text.remove_prefix(end + 1);
    if (const auto name = function_in(line)) {
      function = &functions[std::string(*name)];
      place.clear();
      is_inner = false;
    } else if (auto found = place_in(line)) {
      if (!is_inner) place = *std::move(found);
      is_inner = true;
    } else if (const auto instruction = instruction_in(line); instruction && function != nullptr) {
      is_inner = false;
      if (function->size() == kMostSassInstructions) continue;
      function->push_back({std::string(instruction->substr(0, kLongestSassText)), place});
    }
  }
  return functions;
}

}  // namespace warpgauge::machine_code
