// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/kernel_label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestArguments = 24;
constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestPath = 200;

// FNV-1a: short, and the same everywhere.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char each : text) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  }
  return hash;
}

std::string four_digits(std::string_view text) {
  return fmt::format("{:04x}", digest(text) >> 48U);
}

// Where the parameters begin: the first parenthesis outside of template arguments that is not part
// of "(anonymous namespace)".
std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>') {
      --depth;
    } else if (name[i] == '(' && depth == 0 && i > 0) {
      return name.substr(0, i);
    }
  }
  return name;
}

// The last part of the name, after its type and namespaces, with its template arguments.
std::string_view last_part(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    const bool ends = name[i] == ' ' || (name[i] == ':' && i + 1 < name.size());
    if (depth == 0 && ends) begin = i + 1;
  }
  return name.substr(begin);
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  // Not within a character of several bytes.
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return fmt::format("{}~{}", text.substr(0, end), four_digits(text));
}

std::string extents_text(const results::Extents& extents) {
  std::string text = std::to_string(extents[0]);
  if (extents[1] > 1 || extents[2] > 1) text += "x" + std::to_string(extents[1]);
  if (extents[2] > 1) text += "x" + std::to_string(extents[2]);
  return text;
}

}  // namespace

std::string short_kernel_name(std::string_view demangled) {
  const std::string_view whole = last_part(without_parameters(demangled));
  const std::size_t angle = whole.find('<');
  std::string name(whole.substr(0, angle));
  if (angle != whole.npos) {
    std::string arguments(whole.substr(angle));
    std::erase(arguments, ' ');
    const bool is_short = arguments.size() <= kLongestArguments;
    name += is_short ? arguments : fmt::format("<{}>", four_digits(arguments));
  }
  std::replace(name.begin(), name.end(), '/', '|');
  return shortened(name.empty() ? "kernel" : name, kLongestName);
}

std::string shape_text(const results::Extents& grid, const results::Extents& block) {
  return fmt::format("{}{}{}", extents_text(grid), results::kOfThreads, extents_text(block));
}

std::string range_id(std::string_view path) {
  if (path.empty()) return results::kWholeProgram;
  std::string id(path);
  std::size_t first = std::min(id.find('/'), id.size());
  for (std::size_t i = 0; i < first; ++i) {
    const auto character = static_cast<unsigned char>(id[i]);
    const bool plain = std::isalnum(character) != 0 || character == '_' || character == '-' ||
                       (character == '.' && i > 0);
    if (!plain) id[i] = '_';
  }
  if (first == 0) {
    id.insert(0, "_");
    first = 1;
  }
  const std::string family = id.substr(0, first);
  if (family == results::kWholeProgram || family == "device") id.insert(first, "_");
  return shortened(id, kLongestPath);
}

}  // namespace warpgauge::ci
