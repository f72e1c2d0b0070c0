// SPDX-License-Identifier: Apache-2.0
#include "ci/support/id_pattern.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>

namespace warpgauge::ci {
namespace {

// Where * and ? are all that is special. The C library tries every way to share an id among the
// stars, which takes hours with a dozen; only the last star ever has to take more.
bool matches_stars(const std::string& pattern, const std::string& id) {
  std::size_t at = 0;
  std::size_t star = pattern.npos;  // the last one
  std::size_t behind_star = 0;      // where in the id what it takes ends
  for (std::size_t i = 0; i < id.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      behind_star = i;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == id[i])) {
      ++at;
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

}  // namespace

bool matches(const std::string& pattern, const std::string& id) {
  if (pattern == id) return true;
  const bool plain = pattern.find_first_of("[\\") == pattern.npos;
  // With sets there are few stars, or none matches.
  constexpr std::ptrdiff_t kMostStars = 4;
  if (plain) return matches_stars(pattern, id);
  return std::count(pattern.begin(), pattern.end(), '*') <= kMostStars &&
         ::fnmatch(pattern.c_str(), id.c_str(), 0) == 0;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, id); });
}

}  // namespace warpgauge::ci
