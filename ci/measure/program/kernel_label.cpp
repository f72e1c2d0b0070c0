// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/kernel_label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestArguments = 24;
constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestFamily = 120;
constexpr std::size_t kLongestPath = 200;

// FNV-1a: short, and the same everywhere.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char each : text) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  }
  return hash;
}

std::string eight_digits(std::string_view text) {
  return fmt::format("{:08x}", digest(text) >> 32U);
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
  return fmt::format("{}~{}", text.substr(0, end), eight_digits(text));
}

// Of a symbol that was too long to be demangled: "kernel" of "_ZN2at6kernelIfEEv", the last
// identifier before the first template arguments. Empty: the symbol has no namespaces.
std::string_view last_identifier(std::string_view symbol) {
  constexpr std::string_view kNested = "_ZN";
  if (!symbol.starts_with(kNested)) return "";
  std::string_view last;
  for (std::size_t at = kNested.size(); at < symbol.size();) {
    std::size_t length = 0;
    const char* const end = symbol.data() + symbol.size();
    const auto [stop, error] = std::from_chars(symbol.data() + at, end, length);
    const auto begin = static_cast<std::size_t>(stop - symbol.data());
    if (error != std::errc() || length > symbol.size() - begin) break;
    last = symbol.substr(begin, length);
    at = begin + length;
  }
  return last;
}

std::string extents_text(const results::Extents& extents) {
  std::string text = std::to_string(extents[0]);
  if (extents[1] > 1 || extents[2] > 1) text += "x" + std::to_string(extents[1]);
  if (extents[2] > 1) text += "x" + std::to_string(extents[2]);
  return text;
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

// What names a file of baselines.
std::string family_id(std::string_view first) {
  std::string id(first);
  for (std::size_t i = 0; i < id.size(); ++i) {
    const auto character = static_cast<unsigned char>(id[i]);
    const bool plain = std::isalnum(character) != 0 || character == '_' || character == '-' ||
                       (character == '.' && i > 0);
    if (!plain) id[i] = '_';
  }
  if (id.empty() || id == results::kWholeProgram || id == "device") id += "_";
  if (id.size() <= kLongestFamily) return id;
  return id.substr(0, kLongestFamily) + "-" + eight_digits(id);
}

}  // namespace

std::string short_kernel_name(std::string_view demangled) {
  if (const std::string_view last = last_identifier(demangled); !last.empty()) {
    return shortened(fmt::format("{}<{}>", last, eight_digits(demangled)), kLongestName);
  }
  const std::string_view whole = last_part(without_parameters(demangled));
  const std::size_t angle = whole.find('<');
  std::string name(whole.substr(0, angle));
  if (angle != whole.npos) {
    std::string arguments(whole.substr(angle));
    std::erase(arguments, ' ');
    const bool is_short = arguments.size() <= kLongestArguments;
    name += is_short ? arguments : fmt::format("<{}>", eight_digits(arguments));
  }
  std::replace(name.begin(), name.end(), '/', '|');
  return shortened(name.empty() ? "kernel" : name, kLongestName);
}

std::string shape_text(const results::Extents& grid, const results::Extents& block) {
  return fmt::format("{}{}{}", extents_text(grid), results::kOfThreads, extents_text(block));
}

std::string told_apart(std::string_view label, std::string_view name) {
  return fmt::format("{}~{}", label, eight_digits(name));
}

std::map<std::string, std::string> range_ids(const std::set<std::string>& paths) {
  std::map<std::string, std::set<std::string>> names_of;  // of first parts, by their ids
  for (const std::string& path : paths) {
    const std::string first(first_part(path));
    names_of[family_id(first)].insert(first);
  }
  std::map<std::string, std::string> ids;
  for (const std::string& path : paths) {
    const std::string first(first_part(path));
    std::string family = family_id(first);
    const bool is_its_own = family == first;
    if (names_of[family].size() > 1 && !is_its_own) family += "-" + eight_digits(first);
    ids[path] = path.empty() ? results::kWholeProgram
                             : shortened(family + path.substr(first.size()), kLongestPath);
  }
  return ids;
}

}  // namespace warpgauge::ci
