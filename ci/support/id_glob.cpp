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

bool is_plain(char character) {
  return character != '*' && character != '?' && character != '[' && character != '\\';
}

bool takes(std::string_view part, char character) {
  if (is_plain(part.front())) return part[0] == character;
  if (part == "?") return true;
  if (part.front() == '\\') return part.size() == 2 && part[1] == character;
  if (part.size() == 1) return part[0] == character;
  return ::fnmatch(std::string(part).c_str(), std::string(1, character).c_str(), 0) == 0;
}

// Where in the id, from `from` on, what is behind a star may begin. npos: nowhere.
std::size_t beginning(std::string_view behind, const std::string& id, std::size_t from) {
  return behind.empty() || !is_plain(behind.front()) ? from : id.find(behind.front(), from);
}

}  // namespace

// The C library tries every way to share an id among the stars, which takes hours with a dozen;
// only the last star ever has to take more. A policy's patterns are held against each benchmark, a
// thousand against 200,000: most do not match, and no step is wasted on those.
bool matches(const std::string& pattern, const std::string& id) {
  if (pattern == id) return true;
  const std::string_view all = pattern;
  std::size_t at = 0;
  std::size_t star = pattern.npos;  // the last one
  std::size_t behind_star = 0;      // where in the id what it takes ends
  for (std::size_t i = 0; i < id.size();) {
    const bool is_star = at < all.size() && all[at] == '*';
    if (!is_star) {
      const std::string_view part = at < all.size() ? part_at(all, at) : "";
      if (!part.empty() && takes(part, id[i])) {
        at += part.size();
        ++i;
        continue;
      }
      if (star == pattern.npos) return false;
      ++behind_star;
    } else {
      star = at;
      behind_star = i;
    }
    at = star + 1;
    if (at == all.size()) return true;
    behind_star = beginning(all.substr(at), id, behind_star);
    if (behind_star == id.npos) return false;
    i = behind_star;
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, id); });
}

}  // namespace warpgauge::ci
