// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/filter_scope.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

results::Results measured(const std::vector<std::string>& ids, const std::string& filter = "") {
  std::vector<Measured> benchmarks;
  for (const std::string& id : ids) {
    benchmarks.push_back({.id = id, .counters = {{"barriers", 7}}});
  }
  results::Results results = results_of(emulated(), benchmarks);
  results.name = filter.empty() ? "whole" : "part";
  results.session->filter = filter;
  return results;
}

TEST(FilterScope, APartOfTheSuiteDoesNotPassAsTheWhole) {
  const results::Results whole = measured({"a/one/1", "b/two/1"});
  const results::Results part = measured({"a/one/1"}, "^a/");
  for (const GateVerdict& verdict :
       {compare(whole, part, built_in_policy()), compare(part, whole, built_in_policy())}) {
    EXPECT_EQ(verdict.exit_status, kExitNoVerdict);
    ASSERT_EQ(verdict.shortfalls.size(), 1u);
    EXPECT_EQ(verdict.shortfalls.front().what,
              "part is a part of the suite, measured with --filter '^a/', and whole has more; "
              "compare with that --filter as well, or measure all");
  }
}

TEST(FilterScope, WhatLeftOutNothingThatTheOtherSideHasIsWhole) {
  const results::Results part = measured({"a/one/1"}, "^a/");
  EXPECT_EQ(compare(measured({"a/one/1"}), part, built_in_policy()).exit_status, kExitPass);
  EXPECT_EQ(compare(part, part, built_in_policy()).exit_status, kExitPass);
}

// It is no word of the command line, which a usage error would speak of.
TEST(FilterScope, AFilterOfAFileThatWouldTakeLongIsNamedWithTheFile) {
  const results::Results part = measured({"a"}, "b|a");
  try {
    (void)compare(measured({"a", std::string(20'000, 'c')}), part, built_in_policy());
    FAIL() << "it was held against an id of 20,000 bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    EXPECT_EQ(std::string(error.what()).find("part: --filter: a benchmark's id has 20000 bytes"),
              0U)
        << error.what();
  }
}

}  // namespace
}  // namespace warpgauge::ci
