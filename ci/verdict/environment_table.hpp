// SPDX-License-Identifier: Apache-2.0
// The circumstances of both sides, one beside the other.
#pragma once

#include <string>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

struct EnvironmentRow {
  std::string what;
  std::string before;  // empty: not recorded
  std::string after;
  bool differs = false;  // never of what differs by nature, as the time does
};

// Empty when neither side recorded any.
[[nodiscard]] std::vector<EnvironmentRow> environment(const GateVerdict& verdict);

}  // namespace warpgauge::ci
