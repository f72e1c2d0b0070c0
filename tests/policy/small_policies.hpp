// SPDX-License-Identifier: Apache-2.0
// Policies of one metric, and what is said of them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ci/policy/policy.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {

inline constexpr const char* kMetric = "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n";

inline Policy policy_of(const std::string& tables) {
  return parse_policy(kMetric + tables, "p.toml");
}

// Why the policy of these tables is refused; "accepted" if it is not.
inline std::string error_of(const std::string& tables) {
  try {
    (void)policy_of(tables);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    return error.what();
  }
  return "accepted";
}

}  // namespace warpgauge::ci
