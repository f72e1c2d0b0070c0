// SPDX-License-Identifier: Apache-2.0
// What `warpgauge policy check` says, and the profiles that people begin from.
#include "ci/policy/policy_check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/policy/profiles.hpp"
#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kToday = "2026-11-26";

const KnownBenchmarks& known() {
  static const KnownBenchmarks some{
      {"scan/lookback/1", "transpose/padded/1", "transpose/padded/2", "transpose/shared/1"},
      {"registers", "time"},
      {"nvidia-h200"}};
  return some;
}

constexpr const char* kPolicy = R"([[metric]]
names = ["time"]
class = "statistical"
[[limit]]
metric = "registers"
most = 64
[[ratio]]
rule = "padded <= 0.6 * shared"
[[override]]
benchmarks = "transpose/padded/*"
metrics = ["time"]
relative_floor = 0.1
)";

TEST(PolicyCheck, SaysWhichBenchmarksEachRuleMatches) {
  const PolicyCheck check = check_policy(kPolicy, "p.toml", known(), kToday);
  EXPECT_TRUE(check.faults.empty());
  EXPECT_EQ(to_text(check),
            "line 4: [[limit]] '*': registers at most 64: 4 benchmarks: scan/lookback/1, "
            "transpose/padded/1, transpose/padded/2 and 1 more\n"
            "line 7: [[ratio]] '*': time of padded against shared at most 0.6: 2 benchmarks: "
            "transpose/padded/1, transpose/padded/2\n"
            "line 9: [[override]] 'transpose/padded/*': time: 2 benchmarks: transpose/padded/1, "
            "transpose/padded/2\n"
            "p.toml: no mistakes\n");
}

TEST(PolicyCheck, SaysEachMistakeAndWhatIsNeverMatchedInTheOrderOfLines) {
  const std::string text =
      std::string(kPolicy) +
      "[[limit]]\nmetric = \"regsiters\"\nmost = 1\ndevices = [\"nvidia-h20\"]\n"
      "[[override]]\nbenchmarks = \"scan/lokback/*\"\ngate = false\nreason = \"r\"\n"
      "[[override]]\nbenchmarks = \"transpose/*\"\ngaet = false\n";
  const PolicyCheck check = check_policy(text, "p.toml", known(), kToday);
  ASSERT_EQ(check.faults.size(), 3u) << to_text(check);
  EXPECT_NE(check.faults[0].find("'nvidia-h20', and neither"), std::string::npos);
  EXPECT_NE(check.faults[1].find("'scan/lokback/*' matches no benchmark"), std::string::npos);
  EXPECT_NE(check.faults[1].find("did you mean 'scan/lookback/1'?"), std::string::npos);
  EXPECT_NE(check.faults[2].find("unknown key 'gaet' (did you mean 'gate'?)"), std::string::npos);
  EXPECT_NE(to_text(check).find("p.toml: 3 mistakes\n"), std::string::npos);
}

TEST(PolicyCheck, NamesOfMetricsAreHeldAgainstWhatWasMeasured) {
  const std::string text = std::string(kPolicy) + "[[limit]]\nmetric = \"regsiters\"\nmost = 1\n";
  const PolicyCheck check = check_policy(text, "p.toml", known(), kToday);
  ASSERT_EQ(check.faults.size(), 1u) << to_text(check);
  EXPECT_NE(check.faults[0].find("did you mean 'registers'?"), std::string::npos);
}

// Other machines may share the policy.
TEST(PolicyCheck, AFloorForADeviceThatNothingIsOfIsRemarkedOn) {
  const auto floor = [](const std::string& device) {
    return std::string(kPolicy) + "[[floor]]\nclock = \"gpu\"\ndevices = [\"" + device +
           "\"]\nrelative_floor = 0.2\n";
  };
  const PolicyCheck check = check_policy(floor("nvidia-h20"), "p.toml", known(), kToday);
  EXPECT_TRUE(check.faults.empty()) << to_text(check);
  EXPECT_NE(to_text(check).find("note: p.toml:"), std::string::npos) << to_text(check);
  EXPECT_NE(to_text(check).find("[[floor]] of '*' is for 'nvidia-h20', and neither these results "
                                "nor any baseline are from it (did you mean 'nvidia-h200'?); "
                                "correct the name if it is misspelt"),
            std::string::npos)
      << to_text(check);
  EXPECT_TRUE(check_policy(floor("nvidia-h200"), "p.toml", known(), kToday).notes.empty());
  EXPECT_TRUE(check_policy(floor("nvidia-h20"), "p.toml", {}, kToday).notes.empty());
}

// Where the device has no floor at all, the verdict says that anyway.
TEST(Floors, OfANearDeviceMayBeMeantForOneThatHasOthers) {
  const auto floor = [](const std::string& devices, const std::string& benchmarks) {
    return fmt::format(
        "[[floor]]\nclock = \"gpu\"\ndevices = [\"{}\"]\nbenchmarks = \"{}\"\n"
        "relative_floor = 0.2\n",
        devices, benchmarks);
  };
  const auto meant = [&](const std::string& floors) {
    const Policy policy = parse_policy(
        "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.02\n" + floors,
        "p.toml");
    return floors_that_may_be_meant_for("nvidia-h200", policy, {"emulated", "nvidia-h200"});
  };
  const std::string ours = floor("nvidia-h200", "*");
  EXPECT_EQ(meant(ours + floor("nvidia-h20", "scan/*")),
            std::vector<std::string>{
                "p.toml:10:1: [[floor]] of 'scan/*' is for 'nvidia-h20', and neither these results "
                "nor any baseline are from it (did you mean 'nvidia-h200'?); correct the name if "
                "it is misspelt"});
  EXPECT_TRUE(meant(floor("nvidia-h20", "scan/*")).empty());
  EXPECT_TRUE(meant(ours + floor("nvidia-h100", "*")).empty()) << "each has its own";
  EXPECT_TRUE(meant(ours + floor("amd-mi300x", "scan/*")).empty()) << "another machine's";
  EXPECT_TRUE(meant(ours + floor("emulated", "scan/*")).empty()) << "that is there";
}

using MisspeltDevice = InFolder;

// It gates with the policy's other floors, as it did.
TEST_F(MisspeltDevice, OfAFloorIsANoteOfTheVerdict) {
  const std::string policy =
      "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.02\n"
      "[[floor]]\nclock = \"gpu\"\ndevices = [\"nvidia-h200\"]\nrelative_floor = 0.02\n"
      "[[floor]]\nclock = \"gpu\"\nbenchmarks = \"scan/*\"\ndevices = [\"nvidia-h20\"]\n"
      "relative_floor = 0.2\n";
  write("policy.toml", policy);
  write("results.json", results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000, 1001}}}));
  for (const auto& [base, status] : {std::pair("results.json", 0), {"none", 3}}) {
    const Finished finished =
        warpgauge(std::string("compare ") + base + " results.json --policy policy.toml");
    EXPECT_EQ(finished.status, status) << finished.output;
    EXPECT_NE(finished.output.find("'nvidia-h20', and neither"), std::string::npos)
        << finished.output;
    EXPECT_NE(finished.output.find("(did you mean 'nvidia-h200'?)"), std::string::npos)
        << finished.output;
  }
}

TEST(PolicyCheck, WithoutBenchmarksPatternsAreNotCheckedAndThatIsSaid) {
  const PolicyCheck check = check_policy(kPolicy, "p.toml", {}, kToday);
  EXPECT_TRUE(check.faults.empty());
  EXPECT_NE(to_text(check).find("Its patterns are not checked: name results with --results"),
            std::string::npos);
}

TEST(PolicyCheck, WhatHasExpiredIsNoted) {
  const PolicyCheck check =
      check_policy(std::string(kPolicy) + "expires = 2026-11-01\n", "p.toml", known(), kToday);
  EXPECT_TRUE(check.faults.empty());
  EXPECT_NE(to_text(check).find("note: p.toml:9: [[override]] of 'transpose/padded/*' has expired"),
            std::string::npos);
}

TEST(Profiles, AreWholePoliciesThatGateTime) {
  ASSERT_EQ(policy_profiles().size(), 4u);
  for (const Profile& each : policy_profiles()) {
    const Policy policy = parse_policy(each.text, each.name);
    EXPECT_TRUE(policy.rule_for("a/b/1", "time").gated()) << each.name;
    EXPECT_TRUE(policy.controls.empty()) << each.name << ": of Warpgauge's own suite";
    EXPECT_TRUE(policy.overrides.empty()) << each.name << ": of Warpgauge's own suite";
    EXPECT_EQ(each.text.find("controls"), std::string::npos) << each.name;
    EXPECT_TRUE(check_policy(each.text, each.name, known(), kToday).faults.empty()) << each.name;
  }
}

TEST(Profiles, HaveTheFloorsOfTheClockThatTheyAreFor) {
  const auto floor = [](const char* profile, Clock clock) {
    return parse_policy(policy_profile(profile).text, profile)
        .rule_for("a/b/1", "time", {.clock = clock, .device = "nvidia-a100"});
  };
  EXPECT_EQ(floor("program", Clock::program).relative_floor, 0.015);
  EXPECT_EQ(floor("program", Clock::program).absolute_floor, 64);
  EXPECT_EQ(floor("imported", Clock::event).absolute_floor, 128);
  EXPECT_EQ(floor("cpu", Clock::cpu).relative_floor, 0.07);
  EXPECT_EQ(floor("cpu", Clock::cpu).absolute_floor, 0);
  EXPECT_EQ(floor("gpu", Clock::gpu).relative_floor, 0.02) << "nobody measured that device";
}

TEST(Profiles, AnUnknownNameIsWrongUsage) {
  try {
    (void)policy_profile("progam");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitUsage);
    EXPECT_STREQ(error.what(),
                 "there is no profile 'progam' (did you mean 'program'?); there are gpu, cpu, "
                 "imported, program");
  }
}

}  // namespace
}  // namespace warpgauge::ci
