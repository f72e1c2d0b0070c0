// SPDX-License-Identifier: Apache-2.0
#include "ci/support/id_pattern.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace warpgauge::ci {

bool matches(const std::string& pattern, const std::string& id) {
  return pattern == id || ::fnmatch(pattern.c_str(), id.c_str(), 0) == 0;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, id); });
}

}  // namespace warpgauge::ci
