// SPDX-License-Identifier: Apache-2.0
// What this program can do on this machine, as --version tells it. Nothing is started and no GPU
// asked: what can be measured on it is known to `warpgauge doctor`.
#pragma once

#include <string>
#include <vector>

namespace warpgauge::ci {

struct AbilityHere {
  std::string name;
  bool given = false;
  std::string why;  // what gives it, or what is missing and where to get it
};

[[nodiscard]] std::vector<AbilityHere> abilities_here();

// A line each: "  nvdisasm     yes: /usr/local/cuda/bin/nvdisasm".
[[nodiscard]] std::string abilities_text(const std::vector<AbilityHere>& abilities);

}  // namespace warpgauge::ci
