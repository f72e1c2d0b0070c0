// SPDX-License-Identifier: Apache-2.0
// Which starts of a program stand for all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace warpgauge::ci {

// How many starts must agree to stand for all: three of three, three of four, four of five, eight
// of ten. One of four that chose otherwise does not hide how the rest fare.
[[nodiscard]] inline std::size_t enough_of(std::size_t starts) {
  constexpr std::size_t kFewest = 4;
  return starts < kFewest ? starts : (3 * starts + 3) / 4;
}

// The indices of the most frequent key, ascending. `keys` must not be empty.
template <class Key>
[[nodiscard]] std::vector<std::size_t> most_alike(const std::vector<Key>& keys) {
  std::map<Key, std::vector<std::size_t>> by_key;
  for (std::size_t i = 0; i < keys.size(); ++i) by_key[keys[i]].push_back(i);
  return std::max_element(
             by_key.begin(), by_key.end(),
             [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); })
      ->second;
}

}  // namespace warpgauge::ci
