// SPDX-License-Identifier: Apache-2.0
// Text to the letter, kept in tests/report/golden/. With WARPGAUGE_WRITE_GOLDEN in the environment
// the files are rewritten, for a look at their diff.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "profiling/results/files/files.hpp"

namespace warpgauge {

inline void expect_golden(const std::string& text, const std::string& file) {
  const auto path = std::filesystem::path(SOURCE_ROOT) / "tests" / "report" / "golden" / file;
  if (std::getenv("WARPGAUGE_WRITE_GOLDEN") != nullptr) {
    results::write_file_atomically(path, text);
    return;
  }
  EXPECT_EQ(text, results::read_file(path)) << path << "; if this is meant to change, rewrite it "
                                            << "with WARPGAUGE_WRITE_GOLDEN=1";
}

}  // namespace warpgauge
