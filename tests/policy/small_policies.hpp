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

// Why a policy of this text is refused; "accepted" if it is not.
inline std::string error_of(const std::string& text, const std::string& file) {
  try {
    (void)parse_policy(text, file);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    return error.what();
  }
  return "accepted";
}

// The same of these tables.
inline std::string error_of(const std::string& tables) {
  return error_of(kMetric + tables, "p.toml");
}

}  // namespace warpgauge::ci
