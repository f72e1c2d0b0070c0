// SPDX-License-Identifier: Apache-2.0
#include "ci/policy.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ci/errors.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kTime = R"(
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.02
)";

std::string error_of(const std::string& text) {
  try {
    (void)parse_policy(text, "policy.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    return error.what();
  }
  return "accepted";
}

TEST(Policy, BuiltInGatesTimeByStatisticsAndCountersExactly) {
  const Policy policy = built_in_policy();
  const Rule time = policy.rule_for("transpose/naive/256x192", "time");
  EXPECT_EQ(time.metric_class, MetricClass::statistical);
  EXPECT_EQ(time.better, Better::lower);
  EXPECT_EQ(time.relative_floor, 0.04);
  EXPECT_EQ(time.absolute_floor, 64);
  EXPECT_EQ(time.resolution, 32);
  for (const char* side : {"load", "store", "atomic"}) {
    for (const char* metric : {"shared_{}_requests", "shared_{}_wavefronts", "global_{}_requests",
                               "global_{}_sectors"}) {
      std::string name = metric;
      name.replace(name.find("{}"), 2, side);
      EXPECT_EQ(policy.rule_for("x", name).metric_class, MetricClass::exact) << name;
    }
  }
  EXPECT_EQ(policy.rule_for("x", "barriers").metric_class, MetricClass::exact);
  EXPECT_FALSE(policy.rule_for("x", "shared_load_ideal_wavefronts").gated());
  EXPECT_EQ(policy.processes, 5);
  EXPECT_EQ(policy.alpha, 0.01);
  EXPECT_EQ(policy.beta, 0.05);
  EXPECT_TRUE(policy.overrides.empty());
}

TEST(Policy, LastOverrideThatMatchesWins) {
  const Policy policy = parse_policy(std::string(kTime) + R"(
[[override]]
benchmarks = "scan/*"
relative_floor = 0.1
[[override]]
benchmarks = "scan/lookback/*"
metrics = ["time"]
gate = false
reason = "spins"
)",
                                     "policy.toml");
  EXPECT_EQ(policy.rule_for("transpose/naive/1", "time").relative_floor, 0.02);
  EXPECT_EQ(policy.rule_for("scan/plain/1", "time").relative_floor, 0.1);
  EXPECT_TRUE(policy.rule_for("scan/plain/1", "time").gated());
  EXPECT_FALSE(policy.rule_for("scan/lookback/1", "time").gated());
  EXPECT_EQ(policy.rule_for("scan/lookback/1", "time").reason, "spins");
}

TEST(Policy, AnOverrideCannotGateWhatIsShown) {
  const Policy policy =
      parse_policy(std::string(kTime) + "[[override]]\nbenchmarks = \"*\"\ngate = true\n", "p");
  EXPECT_FALSE(policy.rule_for("a/b/1", "some_counter").gated());
  EXPECT_TRUE(policy.rule_for("a/b/1", "time").gated());
}

TEST(Policy, UnknownKeysAreRefusedWithLineAndColumn) {
  EXPECT_EQ(error_of("alpha = 0.01\n  tolerance = 3\n"),
            "policy.toml:2:3: unknown key 'tolerance'; known here: alpha, beta, processes, "
            "most_processes, "
            "metric, "
            "override");
  EXPECT_EQ(error_of("[[metric]]\nnames = [\"time\"]\nclass = \"exact\"\nflor = 1\n"),
            "policy.toml:4:1: unknown key 'flor'; known here: names, class, direction, "
            "relative_floor, absolute_floor, resolution, optional");
  EXPECT_EQ(error_of("[[override]]\nbenchmarks = \"*\"\nfloor = 1\n").substr(0, 37),
            "policy.toml:3:1: unknown key 'floor';");
}

TEST(Policy, WrongTextIsRefusedWithLineAndColumn) {
  EXPECT_EQ(error_of("alpha = = 2\n").substr(0, 16), "policy.toml:1:9:");
}

TEST(Policy, WrongValuesAreRefusedWithWhatIsAllowed) {
  const auto metric = [](const std::string& rest) {
    return error_of("[[metric]]\nnames = [\"time\"]\n" + rest);
  };
  EXPECT_EQ(error_of("alpha = 0.7"), "policy.toml:1:9: alpha must lie between 0 and 0.5");
  EXPECT_EQ(error_of("beta = 0.5"), "policy.toml:1:8: beta must lie between 0 and 0.5");
  EXPECT_EQ(error_of("alpha = 0"), "policy.toml:1:9: alpha must lie between 0 and 0.5");
  EXPECT_EQ(error_of("alpha = nan"), "policy.toml:1:9: alpha must be a number of at least 0");
  EXPECT_EQ(error_of("processes = 2.5"),
            "policy.toml:1:13: processes must be a whole number from 1 to 1000");
  EXPECT_EQ(metric("class = \"loose\""),
            "policy.toml:3:9: class 'loose' is not one of exact, statistical, shown");
  EXPECT_EQ(metric("class = \"exact\"\ndirection = \"up\""),
            "policy.toml:4:13: direction 'up' is not one of lower, higher");
  EXPECT_EQ(metric("class = \"exact\"\nrelative_floor = 0.1"),
            "policy.toml:4:18: relative_floor is for the class statistical; an exact metric has no "
            "tolerance");
  EXPECT_EQ(metric("class = \"statistical\"\nrelative_floor = -0.1"),
            "policy.toml:4:18: relative_floor must be a number of at least 0");
  EXPECT_EQ(metric(""), "policy.toml:1:1: [[metric]] needs a class");
  EXPECT_EQ(error_of("[metric]\nnames = [\"time\"]"),
            "policy.toml:1:1: 'metric' must be written as [[metric]]");
  EXPECT_EQ(error_of(std::string(kTime) + kTime).substr(0, 17), "policy.toml:8:9: ");
}

TEST(Policy, GatingLessNeedsAReason) {
  for (const char* what : {"gate = false", "optional = true"}) {
    const std::string text = std::string("[[override]]\nbenchmarks = \"a/*\"\n") + what + "\n";
    EXPECT_EQ(error_of(text),
              "policy.toml:1:1: [[override]] of 'a/*' gates less and needs a reason");
    EXPECT_EQ(error_of(text + "reason = \"\"\n"),
              "policy.toml:4:10: reason must be a string that is not empty");
    EXPECT_EQ(error_of(text + "reason = \"because\"\n" + kTime), "accepted");
  }
}

TEST(Policy, OneThatGatesNothingIsRefused) {
  for (const char* text : {"", "alpha = 0.01\n", "[[override]]\nbenchmarks = \"*\"\n"}) {
    EXPECT_EQ(error_of(text).substr(0, 27), "policy.toml: no [[metric]],") << text;
  }
}

}  // namespace
}  // namespace warpgauge::ci
