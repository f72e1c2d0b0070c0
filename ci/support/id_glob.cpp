// SPDX-License-Identifier: Apache-2.0
#include "ci/support/id_glob.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace warpgauge::ci {
namespace {

// Behind the set that begins at `at`, with its "["; 0: it does not end, and is that character.
std::size_t end_of_set(std::string_view pattern, std::size_t at) {
  std::size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;
  for (; i < pattern.size() && pattern[i] != ']'; ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '[' && i + 1 < pattern.size() &&
               std::string_view(".:=").find(pattern[i + 1]) != std::string_view::npos) {
      const std::size_t close = pattern.find(std::string{pattern[i + 1], ']'}, i + 2);
      if (close != pattern.npos) i = close + 1;
    }
  }
  return i < pattern.size() ? i + 1 : 0;
}

// What stands for one character, from `at` on, as in "a", "?", "\\*", "[a-c]".
std::string_view part_at(std::string_view pattern, std::size_t at) {
  std::size_t end = at + 1;
  if (pattern[at] == '\\') end = at + 2;
  if (pattern[at] == '[') end = std::max(end, end_of_set(pattern, at));
  return pattern.substr(at, end - at);
}

bool takes(std::string_view part, char character) {
  if (part == "?") return true;
  if (part.front() == '\\') return part.size() == 2 && part[1] == character;
  if (part.size() == 1) return part[0] == character;
  return ::fnmatch(std::string(part).c_str(), std::string(1, character).c_str(), 0) == 0;
}

}  // namespace

// The C library tries every way to share an id among the stars, which takes hours with a dozen;
// only the last star ever has to take more.
bool matches(const std::string& pattern, const std::string& id) {
  if (pattern == id) return true;
  std::size_t at = 0;
  std::size_t star = pattern.npos;  // the last one
  std::size_t behind_star = 0;      // where in the id what it takes ends
  for (std::size_t i = 0; i < id.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      behind_star = i;
      continue;
    }
    const std::string_view part = at < pattern.size() ? part_at(pattern, at) : "";
    if (!part.empty() && takes(part, id[i])) {
      at += part.size();
      ++i;
    } else if (star != pattern.npos) {
      at = star + 1;
      i = ++behind_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, id); });
}

}  // namespace warpgauge::ci
