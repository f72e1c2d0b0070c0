// SPDX-License-Identifier: Apache-2.0
// How often something happened, and between which limits its chance then lies.
#pragma once

#include <cstddef>

namespace warpgauge::ci {

struct Proportion {
  std::size_t hits = 0;
  std::size_t of = 0;

  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++of;
  }
  Proportion& operator+=(const Proportion& other) {
    hits += other.hits;
    of += other.of;
    return *this;
  }

  // 0 where nothing was tried.
  [[nodiscard]] double share() const {
    return of == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(of);
  }
};

// One-sided 95 % limits of Clopper and Pearson, which hold for independent trials: the chance is
// not above, or not below, this. 1 and 0 where nothing was tried.
[[nodiscard]] double upper_limit(const Proportion& proportion);
[[nodiscard]] double lower_limit(const Proportion& proportion);

}  // namespace warpgauge::ci
