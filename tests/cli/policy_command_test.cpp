// SPDX-License-Identifier: Apache-2.0
// `warpgauge policy`: what it prints, and its exit statuses.
#include <gtest/gtest.h>

#include <string>

#include "ci/policy/policy.hpp"
#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using PolicyCommand = InFolder;

constexpr const char* kPolicy =
    "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
    "[[ratio]]\nrule = \"padded <= 0.6 * shared\"\n";

TEST_F(PolicyCommand, CheckReadsTheProjectsPolicyAndResults) {
  write("ci/policy.toml", kPolicy);
  const Finished alone = warpgauge("policy check");
  EXPECT_EQ(alone.status, 0) << alone.output;
  EXPECT_NE(alone.output.find("Its patterns are not checked"), std::string::npos);
  write("right.json", results_text(h200(), {{"a/padded/1", {5000}}, {"a/shared/1", {9000}}}));
  const Finished right = warpgauge("policy check --results right.json");
  EXPECT_EQ(right.status, 0) << right.output;
  EXPECT_NE(right.output.find("1 benchmark: a/padded/1"), std::string::npos) << right.output;
  write("other.json", results_text(h200(), {{"a/paded/1", {5000}}, {"a/shared/1", {9000}}}));
  const Finished other = warpgauge("policy check ci/policy.toml --results other.json");
  EXPECT_EQ(other.status, 4) << other.output;
  EXPECT_NE(other.output.find("finds no id with 'padded' between slashes (did you mean 'paded'?)"),
            std::string::npos)
      << other.output;
}

TEST_F(PolicyCommand, CheckHoldsPatternsAgainstTheBaselinesThatAreThere) {
  write("a.json",
        results_text(h200(), {{"a/padded/1", {5000, 5001}}, {"a/shared/1", {9000, 9001}}}));
  ASSERT_EQ(warpgauge("approve a.json --baselines baselines --reason r").status, 0);
  const Finished found = warpgauge("policy show gpu >policy.toml && " + quoted(WARPGAUGE) +
                                   " policy check policy.toml");
  EXPECT_EQ(found.status, 0) << found.output;
  write("ci/policy.toml",
        std::string(kPolicy) + "[[override]]\nbenchmarks = \"b/*\"\ncritical = true\n");
  EXPECT_EQ(warpgauge("policy check").status, 4);
}

// As `warpgauge init` lays them out.
TEST_F(PolicyCommand, CheckFindsTheBaselinesOfEachKindOfBenchmark) {
  write("a.json", results_text(h200(), {{"a/padded/1", {5000, 5001}}}));
  write("b.json", results_text(h200(), {{"b/shared/1", {9000, 9001}}}));
  ASSERT_EQ(warpgauge("approve a.json --baselines baselines/bench --reason r").status, 0);
  ASSERT_EQ(warpgauge("approve b.json --baselines baselines/nvbench --reason r").status, 0);
  write("ci/policy.toml",
        "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
        "[[override]]\nbenchmarks = \"a/*\"\ncritical = true\n"
        "[[override]]\nbenchmarks = \"b/*\"\ncritical = true\n");
  const Finished found = warpgauge("policy check");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_NE(found.output.find("1 benchmark: a/padded/1"), std::string::npos) << found.output;
  EXPECT_NE(found.output.find("1 benchmark: b/shared/1"), std::string::npos) << found.output;
}

TEST_F(PolicyCommand, CheckSaysEveryMistakeAtOnce) {
  write("p.toml", "aplha = 1\nbeta = 3\n" + std::string(kPolicy));
  const Finished found = warpgauge("policy check p.toml");
  EXPECT_EQ(found.status, 4);
  EXPECT_NE(found.output.find("p.toml:1:1: unknown key 'aplha' (did you mean 'alpha'?)"),
            std::string::npos);
  EXPECT_NE(found.output.find("p.toml:2:8: beta must lie between"), std::string::npos);
  EXPECT_NE(found.output.find("p.toml: 2 mistakes\n"), std::string::npos);
}

TEST_F(PolicyCommand, WhatIsNotThereIsSaid) {
  EXPECT_EQ(warpgauge("policy check").status, 4);
  EXPECT_EQ(warpgauge("policy").status, 64);
  write("p.toml", kPolicy);
  EXPECT_EQ(warpgauge("policy check p.toml --baselines nowhere").status, 64);
  expect_one_line(warpgauge("policy show progam"), 64, "there is no profile 'progam'");
}

TEST_F(PolicyCommand, ListAndShowGiveWholePolicies) {
  const Finished list = warpgauge("policy list");
  EXPECT_EQ(list.status, 0);
  for (const char* const name : {"gpu", "cpu", "imported", "program"}) {
    EXPECT_NE(list.output.find(name), std::string::npos) << list.output;
    const Finished shown = warpgauge("policy show " + std::string(name));
    EXPECT_EQ(shown.status, 0);
    EXPECT_NO_THROW((void)ci::parse_policy(shown.output, name));
  }
}

}  // namespace
}  // namespace warpgauge
