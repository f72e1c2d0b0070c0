// SPDX-License-Identifier: Apache-2.0
// What this program can do on this machine, for --version. Starts nothing and asks no GPU:
// `warpgauge doctor` knows what can be measured.
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

// Whether what watches the launches of any program is there.
[[nodiscard]] AbilityHere any_program_here();

// Whether this build has suites of its own beside it, as one from the source has and a release has
// not.
[[nodiscard]] bool has_suites_of_its_own();

// A line each: "  nvdisasm     yes: /usr/local/cuda/bin/nvdisasm".
[[nodiscard]] std::string abilities_text(const std::vector<AbilityHere>& abilities);

}  // namespace warpgauge::ci
