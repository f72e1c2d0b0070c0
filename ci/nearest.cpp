// SPDX-License-Identifier: Apache-2.0
#include "ci/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace warpgauge::ci {
namespace {

// Levenshtein's distance, but that * takes any characters for nothing and ? any one.
std::size_t edits(std::string_view pattern, std::string_view text) {
  std::vector<std::size_t> previous(text.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  std::vector<std::size_t> current(previous.size());
  for (const char wanted : pattern) {
    const bool any = wanted == '*';
    current[0] = previous[0] + (any ? 0 : 1);
    for (std::size_t i = 1; i < current.size(); ++i) {
      const bool equal = wanted == '?' || wanted == text[i - 1];
      current[i] =
          any ? std::min(previous[i], current[i - 1])
              : std::min({previous[i] + 1, current[i - 1] + 1, previous[i - 1] + (equal ? 0 : 1)});
    }
    previous.swap(current);
  }
  return previous.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view pattern,
                                   const std::vector<std::string>& candidates) {
  const auto letters =
      pattern.size() - static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), '*'));
  std::size_t fewest = std::max<std::size_t>(letters / 3, 2) + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edits(pattern, candidate);
    if (distance >= fewest) continue;
    fewest = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view pattern, const std::vector<std::string>& candidates) {
  const auto meant = nearest(pattern, candidates);
  return meant ? fmt::format(" (did you mean '{}'?)", *meant) : std::string();
}

}  // namespace warpgauge::ci
