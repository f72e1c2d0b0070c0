// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/byte_copies.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "profiling/emulator/compile/identifiers.hpp"
#include "profiling/emulator/compile/source_text.hpp"

namespace warpgauge::emulator {
namespace {

constexpr std::string_view kPrefix = "__builtin_";
constexpr std::string_view kDeclared = " warpgauge_memset(";  // the last of the three

// Of a line as # 7 "header.h" 1 3 4, whose 3 says that the header is one of the system's.
bool enters_system_header(std::string_view line) {
  std::istringstream flags{std::string(line.substr(line.rfind('"') + 1))};
  for (std::string flag; flags >> flag;) {
    if (flag == "3") return true;
  }
  return false;
}

bool is_line_marker(std::string_view line) {
  return line.size() > 2 && line.starts_with("# ") && line[2] >= '0' && line[2] <= '9' &&
         line.find('"') != std::string_view::npos;
}

std::string rewrite_line(std::string_view line) {
  constexpr auto kNames = std::to_array<std::string_view>({"memcpy", "memmove", "memset"});
  std::string text;
  std::size_t copied = 0;
  for (std::size_t found = line.find(kPrefix); found != std::string_view::npos;
       found = line.find(kPrefix, found + kPrefix.size())) {
    const std::size_t begin = found + kPrefix.size();
    std::size_t end = begin;
    while (end < line.size() && is_of_identifier(line[end])) ++end;
    const bool named = std::ranges::find(kNames, line.substr(begin, end - begin)) != kNames.end();
    if (!named || (found > 0 && is_of_identifier(line[found - 1])) ||
        is_in_string(line.substr(0, found))) {
      continue;
    }
    text += line.substr(copied, found - copied);
    text += "warpgauge_";
    copied = begin;
  }
  text += line.substr(copied);
  return text;
}

}  // namespace

std::string rewrite_byte_copies(std::string_view preprocessed) {
  const std::size_t declared = preprocessed.find(kDeclared);
  if (declared == std::string_view::npos ||
      preprocessed.find(kPrefix, declared) == std::string_view::npos) {
    return std::string(preprocessed);
  }
  std::string text(preprocessed.substr(0, declared));
  bool system = true;  // where the declaration is
  for (std::size_t begin = declared; begin < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', begin), preprocessed.size() - 1) + 1;
    const std::string_view line = preprocessed.substr(begin, end - begin);
    if (is_line_marker(line)) system = enters_system_header(line);
    text += system || is_line_marker(line) ? std::string(line) : rewrite_line(line);
    begin = end;
  }
  return text;
}

}  // namespace warpgauge::emulator
