// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/museum/ladder.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ci/support/errors.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

std::string kept(const std::string& kernels) {
  return R"({"measured":{"device":"NVIDIA H200","driver":"580.1","cuda":"13.0","created":"2026-11-26T08:00:00Z"},"kernels":[)" +
         kernels + "]}";
}

TEST(Ladder, WhatEachGateSaidStandsBesideTheSlowdown) {
  const std::string text =
      ladder_tables(kept(R"({"id":"a/b/1","units":2,"verdict":"regressed","floor":0.002,
               "before":[10000,10020],"after":[10050,10070]},
              {"id":"a/b/1","units":1,"verdict":"not worse","floor":0.002,
               "before":[10000,10020],"after":[10010,10030]},
              {"id":"c/d/1","units":4,"verdict":"inconclusive","floor":0.004,
               "before":[10000,10020],"after":[10110,10110]})"),
                    "kept.json", "docs_tables ladder");
  EXPECT_NE(text.find("| `a/b/1` | 10.01 µs | 2 | +0.50 ± 0.00 % | 0.20 % | 2 | found |"),
            text.npos)
      << text;
  EXPECT_NE(text.find("| `a/b/1` | 10.01 µs | 1 | +0.10 ± 0.00 % | 0.20 % | 2 | passed |"),
            text.npos)
      << text;
  EXPECT_NE(text.find("| `c/d/1` | 10.01 µs | 4 | +1.00 ± 0.10 % | 0.40 % | 2 | undecided |"),
            text.npos)
      << text;
  EXPECT_LT(text.find(" | 1 | +0.10"), text.find(" | 2 | +0.50"));
  EXPECT_NE(text.find("| less than 0.25 %, or faster | 0 | 1 | 0 |"), text.npos);
  EXPECT_NE(text.find("| 0.25 to 0.75 % | 1 | 0 | 0 |"), text.npos);
  EXPECT_NE(text.find("| 0.75 to 1.5 % | 0 | 0 | 1 |"), text.npos);
  EXPECT_NE(text.find("NVIDIA H200"), text.npos);
}

TEST(Ladder, WhatIsNotKeptIsRefused) {
  EXPECT_THROW((void)ladder_tables("{}", "kept.json", ""), Error);
  EXPECT_THROW((void)ladder_tables("no JSON", "kept.json", ""), Error);
}

TEST(Ladder, ThePageIsMadeOfWhatWasRecorded) {
  const std::string root = SOURCE_ROOT;
  const std::string page = results::read_file(root + "/docs/explain/slowdowns.md");
  const std::string file = "tests/museum/recorded/ladder.json";
  EXPECT_NE(
      page.find(ladder_tables(results::read_file(root + "/" + file), file,
                              "build/ci/bin/docs_tables ladder docs/explain/slowdowns.md " + file)),
      page.npos)
      << "run that command";
}

}  // namespace
}  // namespace warpgauge::ci
