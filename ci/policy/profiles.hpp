// SPDX-License-Identifier: Apache-2.0
// Policies to begin from, by what is gated. They travel inside the program.
#pragma once

#include <string>
#include <vector>

namespace warpgauge::ci {

struct Profile {
  std::string name;
  std::string what_for;  // half a sentence
  std::string text;      // a whole policy
};

// "gpu" first: the policy that is built in, without Warpgauge's own control benchmarks.
[[nodiscard]] std::vector<Profile> policy_profiles();

// Throws Error (usage) for another name.
[[nodiscard]] Profile policy_profile(const std::string& name);

}  // namespace warpgauge::ci
