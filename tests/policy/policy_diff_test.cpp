// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/policy_diff.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpgauge::ci {
namespace {

constexpr const char* kMetrics = R"(
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.02
absolute_floor = 64
[[metric]]
names = ["barriers", "registers"]
class = "exact"
)";

const std::vector<std::string> kIds{"scan/a/1", "scan/b/1", "transpose/naive/1", "transpose/x/1"};

// "loosens: time of …", one each.
std::vector<std::string> edits(const std::string& before, const std::string& after) {
  std::vector<std::string> lines;
  for (const PolicyEdit& edit :
       policy_edits(parse_policy(kMetrics + before, "before"),
                    parse_policy(kMetrics + after, "after"), kIds, "2026-11-21")) {
    lines.push_back(to_string(edit.kind) + ": " + edit.what);
  }
  return lines;
}

using Lines = std::vector<std::string>;

std::string override_of(const std::string& benchmarks, const std::string& rest) {
  return "[[override]]\nbenchmarks = \"" + benchmarks + "\"\n" + rest + "\n";
}

TEST(PolicyEdits, TheSameByOtherWordsIsNoEdit) {
  EXPECT_EQ(edits("", ""), Lines{});
  EXPECT_EQ(edits(override_of("scan/*", "gate = false\nreason = \"r\""),
                  "# why\n" + override_of("scan/a/*", "gate = false\nreason = \"r\"") +
                      override_of("scan/b/*", "gate = false\nreason = \"another\"")),
            Lines{});
}

TEST(PolicyEdits, AFloorIsLoosenedAndTightened) {
  const std::string wide = override_of("transpose/*", "relative_floor = 0.1\nreason = \"why\"");
  EXPECT_EQ(edits("", wide),
            Lines{"loosens: time of transpose/*: relative_floor 2 % → 10 %, reason: why"});
  EXPECT_EQ(edits(wide, ""), Lines{"tightens: time of transpose/*: relative_floor 10 % → 2 %"});
  EXPECT_EQ(edits("", override_of("*", "absolute_floor = 128")),
            Lines{"loosens: time of all benchmarks: absolute_floor 64 → 128"});
}

TEST(PolicyEdits, AFloorOfAClockIsNamedWithItAndItsDevices) {
  const auto floor = [](const std::string& relative, const std::string& rest = "") {
    return "[[floor]]\nclock = \"cpu\"\nrelative_floor = " + relative + "\n" + rest;
  };
  EXPECT_EQ(edits("", floor("0.03")),
            Lines{"loosens: time by cpu clock of all benchmarks: relative_floor 2 % → 3 %"});
  EXPECT_EQ(
      edits(floor("0.03"), floor("0.03") + floor("0.01", "devices = [\"xeon\"]\nresolution = 1")),
      (Lines{"loosens: time by cpu clock on xeon of all benchmarks: resolution 0 → 1",
             "tightens: time by cpu clock on xeon of all benchmarks: relative_floor 3 % → 1 %"}));
  EXPECT_EQ(edits(floor("0.03"), floor("0.03") + override_of("*", "relative_floor = 0.05")).size(),
            2u)
      << "by how much differs with the clock";
  EXPECT_EQ(edits(floor("0.02"), floor("0.02") + override_of("*", "relative_floor = 0.05")),
            Lines{"loosens: time of all benchmarks: relative_floor 2 % → 5 %"});
}

TEST(PolicyEdits, TheFloorBetweenRevisionsIsOneOfItsOwn) {
  EXPECT_EQ(edits("", override_of("scan/*", "relative_floor_against = 0.01")),
            Lines{"tightens: time of scan/*: relative_floor_against 2 % → 1 %"});
  EXPECT_EQ(edits(override_of("scan/*", "relative_floor_against = 0.01"),
                  override_of("scan/*", "relative_floor_against = 0.05")),
            Lines{"loosens: time of scan/*: relative_floor_against 1 % → 5 %"});
}

TEST(PolicyEdits, FloorsOfWhatRepeatsWellAreNamed) {
  const auto floor = [](const std::string& rest) {
    return "[[floor]]\nclock = \"cpu\"\nrelative_floor = 0.02\n" + rest;
  };
  const std::string steady = floor("steady_relative_floor = 0.002\n");
  EXPECT_EQ(
      edits(floor(""), steady),
      Lines{"tightens: time by cpu clock of all benchmarks: steady_relative_floor 2 % → 0.2 %"});
  EXPECT_EQ(
      edits(steady, floor("steady_relative_floor = 0.003\n")),
      Lines{"loosens: time by cpu clock of all benchmarks: steady_relative_floor 0.2 % → 0.3 %"});
  const auto coarse = [&](const std::string& rest) {
    return floor("absolute_floor = 64\nresolution = 32\n" + rest);
  };
  EXPECT_EQ(edits(coarse("steady_relative_floor = 0.002\n"),
                  coarse("steady_relative_floor = 0.002\nsteady_absolute_floor = 16\n")),
            Lines{"tightens: time by cpu clock of all benchmarks: steady_absolute_floor 64 → 16"});
  EXPECT_EQ(edits(steady, steady), Lines{});
}

TEST(PolicyEdits, APatternThatReachesFurtherLoosens) {
  EXPECT_EQ(edits(override_of("transpose/naive/*", "relative_floor = 0.1"),
                  override_of("transpose/*", "relative_floor = 0.1")),
            Lines{"loosens: time of transpose/x/1: relative_floor 2 % → 10 %"});
}

TEST(PolicyEdits, WhatIsNotGatedAnyMoreIsNamedWithItsReason) {
  EXPECT_EQ(
      edits("", override_of("scan/*", "gate = false\nreason = \"polls\"")),
      (Lines{"loosens: barriers, registers of scan/*: gated as exact → not gated, reason: polls",
             "loosens: time of scan/*: gated as statistical → not gated, reason: polls"}));
}

TEST(PolicyEdits, AnOverrideInFrontOfAnotherHasNoEffect) {
  const std::string last = override_of("*", "relative_floor = 0.05");
  EXPECT_EQ(edits(last, override_of("scan/*", "relative_floor = 0.5") + last), Lines{});
}

TEST(PolicyEdits, AbsenceAndCriticalityCount) {
  EXPECT_EQ(edits("", override_of("scan/a/1",
                                  "metrics = [\"registers\"]\noptional = true\nreason = \"r\"")),
            Lines{"loosens: registers of scan/a/1: optional false → true, reason: r"});
  EXPECT_EQ(edits(override_of("scan/*", "critical = true"), ""),
            Lines{"loosens: scan/*: not critical any more"});
  EXPECT_EQ(edits("", override_of("scan/*", "critical = true")),
            Lines{"tightens: scan/*: critical now"});
}

TEST(PolicyEdits, AMetricThatIsGatedOtherwise) {
  const auto of = [](const char* before, const char* after) {
    const std::string head = "[[metric]]\nnames = [\"time\"]\nclass = ";
    Lines lines;
    for (const PolicyEdit& edit :
         policy_edits(parse_policy(head + before, "before"), parse_policy(head + after, "after"),
                      kIds, "2026-11-21")) {
      lines.push_back(to_string(edit.kind) + ": " + edit.what);
    }
    return lines;
  };
  EXPECT_EQ(of("\"exact\"", "\"statistical\""),
            Lines{"loosens: time of all benchmarks: gated as exact → gated as statistical"});
  EXPECT_EQ(of("\"shown\"", "\"exact\""),
            Lines{"tightens: time of all benchmarks: not gated → gated as exact"});
  EXPECT_EQ(of("\"exact\"", "\"exact\"\ndirection = \"higher\""),
            Lines{"changes: time of all benchmarks: direction: higher is better now"});
  EXPECT_EQ(of("\"statistical\"", "\"statistical\"\nresolution = 32"),
            Lines{"loosens: time of all benchmarks: resolution 0 → 32"});
}

TEST(PolicyEdits, OfTheWholeSuite) {
  const auto whole = [](const std::string& before, const std::string& after) {
    Lines lines;
    for (const PolicyEdit& edit :
         policy_edits(parse_policy(before + kMetrics, "before"),
                      parse_policy(after + kMetrics, "after"), kIds, "2026-11-21")) {
      lines.push_back(to_string(edit.kind) + ": " + edit.what);
    }
    return lines;
  };
  EXPECT_EQ(whole("alpha = 0.01", "alpha = 0.001"), Lines{"loosens: alpha 0.01 → 0.001"});
  EXPECT_EQ(whole("beta = 0.05", "beta = 0.2"), Lines{"loosens: beta 0.05 → 0.2"});
  EXPECT_EQ(whole("beta = 0.2", "beta = 0.05"), Lines{"tightens: beta 0.2 → 0.05"});
  EXPECT_EQ(whole("", "creep_limit = 0.05"), Lines{"loosens: creep_limit 0.02 → 0.05"});
  EXPECT_EQ(whole("", "controls = [\"a\", \"b\"]\nprocesses = 3\nbudget = 60"),
            (Lines{"changes: controls:  → a, b", "changes: processes 5 → 3",
                   "changes: budget 120 → 60"}));
}

// An override in force today may last longer than it did: nothing of that is to be seen yet.
TEST(PolicyEdits, AnOverrideThatExpiresLaterLoosensWhatFollows) {
  const auto until = [](const std::string& day) {
    return override_of("scan/*", "relative_floor = 0.1\nexpires = " + day);
  };
  EXPECT_EQ(edits(until("2026-12-01"), until("2027-12-01")),
            Lines{"loosens: time of scan/*: relative_floor 2 % → 10 %, after 2026-12-01"});
  EXPECT_EQ(edits(until("2026-11-20"), until("2026-11-21")),
            Lines{"loosens: time of scan/*: relative_floor 2 % → 10 %"});
  EXPECT_EQ(edits(until("2026-11-20"), ""), Lines{});
}

TEST(PolicyEdits, WhatLoosensLeads) {
  const Lines lines = edits(override_of("scan/*", "relative_floor = 0.5"),
                            override_of("transpose/*", "relative_floor = 0.5"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("loosens: time of transpose/*"));
  EXPECT_TRUE(lines[1].starts_with("tightens: time of scan/*"));
}

}  // namespace
}  // namespace warpgauge::ci
