// SPDX-License-Identifier: Apache-2.0
// What the command line says when it refuses: one line, and why.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/helpers/process.hpp"

namespace warpgauge {

inline void expect_one_line(const Finished& finished, int status, const std::string& part) {
  EXPECT_EQ(finished.status, status) << finished.output;
  EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1) << finished.output;
  EXPECT_EQ(finished.output.substr(0, 11), "warpgauge: ") << finished.output;
  EXPECT_NE(finished.output.find(part), std::string::npos)
      << "'" << part << "' is not in: " << finished.output;
}

}  // namespace warpgauge
