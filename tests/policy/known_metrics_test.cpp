// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/known_metrics.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiling/cupti/counters/counters.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kTime = R"(
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.02
)";

TEST(KnownMetrics, AMisspeltMetricIsNamedWithTheNearest) {
  const auto unknown = [](const std::string& table) {
    return unknown_metrics(parse_policy(std::string(kTime) + table, "policy.toml"),
                           {"time", "hits", "misses"});
  };
  EXPECT_EQ(unknown("[[metric]]\nnames = [\"misses\"]\nclass = \"exact\"\n"),
            std::vector<std::string>());
  const std::string named =
      "policy.toml:6:1: the policy gates 'mises', which was not measured and is in no baseline "
      "(did you mean 'misses'?); there are hits, misses, time; fix the name, or say optional = "
      "true";
  EXPECT_EQ(unknown("[[metric]]\nnames = [\"mises\", \"hits\"]\nclass = \"exact\"\n"),
            std::vector<std::string>({named}));
}

TEST(KnownMetrics, AMetricThatMayBeAbsentMayBeUnknown) {
  const auto count = [](const std::string& keys, const std::string& override_keys = "") {
    std::string text = "[[metric]]\nnames = [\"odd\"]\n" + keys;
    if (!override_keys.empty()) {
      text +=
          "[[override]]\nbenchmarks = \"*\"\nmetrics = [\"odd\"]\nreason = \"r\"\n" + override_keys;
    }
    return unknown_metrics(parse_policy(text, "policy.toml"), {"time"}).size();
  };
  EXPECT_EQ(count("class = \"exact\"\n"), 1u);
  EXPECT_EQ(count("class = \"shown\"\n"), 0u);
  EXPECT_EQ(count("class = \"exact\"\noptional = true\n"), 0u);
  EXPECT_EQ(count("class = \"exact\"\noptional = true\n", "optional = false\n"), 1u);
  EXPECT_EQ(count("class = \"exact\"\noptional = true\n", "gate = false\n"), 0u);
}

// As long as a GPU's counters are a list of their own.
TEST(KnownMetrics, EachCounterThatAGpuIsAskedForIsKnown) {
  for (const cupti::Counter& counter : cupti::kCounters) {
    const std::string table = "[[metric]]\nnames = [\"" + std::string(counter.name) +
                              "\"]\nclass = \"statistical\"\nrelative_floor = 0.1\n";
    EXPECT_EQ(unknown_metrics(parse_policy(kTime + table, "policy.toml"), {"time"}),
              std::vector<std::string>())
        << counter.name;
  }
}

// A project's policy is built in, too: it must not vouch for itself.
TEST(KnownMetrics, TheBuiltInPolicyIsJudgedAsAnyOther) {
  const auto unknown = [](Policy policy) { return unknown_metrics(policy, {"time"}); };
  EXPECT_EQ(unknown(built_in_policy()), std::vector<std::string>());
  std::string text = built_in_policy_text();
  const std::string right = "\"shared_load_wavefronts\"";
  text.replace(text.find(right), right.size(), "\"shared_load_wavefront\"");
  const auto named = unknown(parse_policy(text, "policy.toml"));
  ASSERT_EQ(named.size(), 1U);
  EXPECT_NE(named.front().find("did you mean 'shared_load_wavefronts'?"), std::string::npos)
      << named.front();
}

TEST(KnownMetrics, WhatThisProgramMeasuresIsKnownWhereverItRuns) {
  EXPECT_EQ(unknown_metrics(built_in_policy(), {}), std::vector<std::string>());
}

}  // namespace
}  // namespace warpgauge::ci
