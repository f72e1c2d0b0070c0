// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace warpgauge::cupti {
namespace {

bool same_letter(char one, char other) {
  return std::tolower(static_cast<unsigned char>(one)) ==
         std::tolower(static_cast<unsigned char>(other));
}

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  // Of the beginning of `one` seen so far to each beginning of `other`.
  std::vector<std::size_t> distances(other.size() + 1);
  std::iota(distances.begin(), distances.end(), std::size_t{0});
  for (const char letter : one) {
    std::size_t diagonal = std::exchange(distances[0], distances[0] + 1);
    for (std::size_t i = 0; i < other.size(); ++i) {
      const std::size_t replaced = diagonal + (same_letter(letter, other[i]) ? 0 : 1);
      diagonal = distances[i + 1];
      distances[i + 1] = std::min({replaced, diagonal + 1, distances[i] + 1});
    }
  }
  return distances.back();
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names,
                                 std::size_t most) {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, position
  ranked.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    ranked.emplace_back(edit_distance(name, names[i]), i);
  }
  most = std::min(most, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most),
                    ranked.end());
  std::vector<std::string> found;
  found.reserve(most);
  for (std::size_t i = 0; i < most; ++i) found.push_back(names[ranked[i].second]);
  return found;
}

}  // namespace warpgauge::cupti
