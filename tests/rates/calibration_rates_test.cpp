// SPDX-License-Identifier: Apache-2.0
// Rates of right and wrong, of which it is known how large they must be.
#include "ci/gate/calibrate/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "ci/gate/calibrate/calibration_report.hpp"
#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using namespace ci;
using results::Json;
using results::Results;

TEST(Proportion, LimitsAreThoseOfClopperAndPearson) {
  EXPECT_NEAR(upper_limit({0, 100}), 1 - std::pow(0.05, 0.01), 1e-9);
  EXPECT_NEAR(lower_limit({100, 100}), std::pow(0.05, 0.01), 1e-9);
  // The chance of at most one in twenty, and of at least one, at these limits.
  const double p = upper_limit({1, 20});
  EXPECT_NEAR(std::pow(1 - p, 20) + 20 * p * std::pow(1 - p, 19), 0.05, 1e-9);
  EXPECT_NEAR(1 - std::pow(1 - lower_limit({1, 20}), 20), 0.05, 1e-9);
  EXPECT_EQ(upper_limit({7, 7}), 1);
  EXPECT_EQ(lower_limit({0, 7}), 0);
  EXPECT_EQ(upper_limit({0, 0}), 1);
}

Policy calibration_policy(const std::string& head = "") {
  return parse_policy(head +
                          "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
                          "relative_floor = 0.002\n",
                      "policy.toml");
}

// Ten benchmarks of 100 µs and one of 4 µs, whose processes scatter by this share.
Results session(unsigned seed, int processes, double deviation, double factor = 1,
                const std::string& uuid = "GPU-1") {
  std::mt19937 random(seed);
  std::normal_distribution<> normal;
  std::vector<Measured> benchmarks;
  for (int b = 0; b < 11; ++b) {
    Measured& each = benchmarks.emplace_back();
    each.id = b < 10 ? "long/" + std::to_string(b) : "short";
    for (int p = 0; p < processes; ++p) {
      each.times_ns.push_back((b < 10 ? 100'000 : 4'000) * factor *
                              (1 + deviation * normal(random)));
    }
  }
  results::Device device = h200();
  device.uuid = uuid;
  Results results = results_of(device, benchmarks, "2026-01-0" + std::to_string(seed % 9 + 1));
  for (auto& benchmark : results.benchmarks) {
    for (const double time : benchmark.metrics["time"].sessions[0]) {
      std::vector<double> samples;
      for (int i = 0; i < 9; ++i) samples.push_back(time * (1 + 0.001 * normal(random)));
      benchmark.samples_ns.push_back(samples);
    }
  }
  return results;
}

CalibrationOptions few() {
  CalibrationOptions options;
  options.trials = 40;
  const auto is_slower = [](CompetingRule::Samples before, CompetingRule::Samples after) {
    const auto sum = [](CompetingRule::Samples all) {
      return std::accumulate(all.begin(), all.end(), 0.);
    };
    return sum(after) > 1.05 * sum(before);
  };
  options.competing_rules = {{"threshold", "means differ by more than 5 %", is_slower}};
  return options;
}

double found(const RuleRates& rule, std::size_t of_class, double slowdown) {
  const auto at = std::find(slowdowns().begin(), slowdowns().end(), slowdown);
  const Proportion& share =
      rule.found[of_class][static_cast<std::size_t>(at - slowdowns().begin())];
  EXPECT_GT(share.of, 0u);
  return share.share();
}

TEST(Calibration, SteadyKernelsRaiseNoAlarmAndHideNoSlowdown) {
  const Calibration calibration =
      calibrate({session(1, 40, 0.0005), session(2, 40, 0.0005)}, {}, calibration_policy(), few());
  ASSERT_EQ(calibration.settings.size(), 2u);
  EXPECT_FALSE(calibration.with_replacement);
  for (const SettingRates& setting : calibration.settings) {
    const RuleRates& ours = setting.rules.front();
    EXPECT_EQ(ours.gates_wrong.of, 40u);
    EXPECT_EQ(ours.gates_wrong.hits, 0u);
    EXPECT_EQ(ours.entries_wrong.of, 440u);
    EXPECT_EQ(found(ours, 0, 0.01), 1);
    EXPECT_EQ(found(ours, 2, 0.02), 1);
    // What is injected is what is said to be: a rule that asks for 5 % tells.
    const RuleRates& threshold = setting.rules.back();
    EXPECT_EQ(found(threshold, 0, 0.04), 0);
    EXPECT_EQ(found(threshold, 0, 0.07), 1);
    EXPECT_EQ(threshold.gates_wrong.hits, 0u);
    EXPECT_LE(setting.benchmarks.front().smallest_found(), 0.01);
  }
}

TEST(Calibration, EachSettingHasItsFloor) {
  const Policy policy = parse_policy(
      "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.1\n"
      "relative_floor_against = 0.002\n",
      "policy.toml");
  const Calibration calibration =
      calibrate({session(1, 40, 0.0005), session(2, 40, 0.0005)}, {}, policy, few());
  EXPECT_EQ(found(calibration.settings.at(0).rules.front(), 0, 0.03), 1);
  EXPECT_EQ(found(calibration.settings.at(1).rules.front(), 0, 0.03), 0);
  EXPECT_EQ(found(calibration.settings.at(1).rules.front(), 0, 0.15), 1);
}

TEST(Calibration, WhatScattersHidesSmallSlowdownsAndSaysSo) {
  const Calibration calibration =
      calibrate({session(1, 40, 0.03)}, {}, calibration_policy(), few());
  ASSERT_EQ(calibration.settings.size(), 1u) << "one session has no other as its baseline";
  const RuleRates& ours = calibration.settings[0].rules.front();
  EXPECT_LT(found(ours, 0, 0.02), 0.2);
  EXPECT_EQ(found(ours, 0, 0.3), 1);
  EXPECT_GT(ours.entries_open.share(), 0.8) << "no interval lies within 0.2 %";
  const auto smallest = calibration.settings[0].benchmarks.front().smallest_found();
  ASSERT_TRUE(smallest.has_value());
  EXPECT_GT(*smallest, 0.03);
}

// As if sessions were dies: one is 3 % slower.
TEST(Calibration, AlarmsAcrossSessionsAreCounted) {
  const Calibration calibration = calibrate({session(1, 10, 0.0005), session(2, 10, 0.0005, 1.03)},
                                            {}, calibration_policy(), few());
  EXPECT_TRUE(calibration.with_replacement);
  const SettingRates& interleaved = calibration.settings.at(0);
  const SettingRates& baseline = calibration.settings.at(1);
  EXPECT_EQ(interleaved.rules.front().gates_wrong.hits, 0u);
  // Held against one baseline session each, half of the gates look slower.
  EXPECT_GT(baseline.rules.front().gates_wrong.share(), 0.2);
  EXPECT_LT(baseline.rules.front().gates_wrong.share(), 0.8);
}

Results with_machine_code(Results results) {
  for (auto& benchmark : results.benchmarks) {
    benchmark.machine_code = {kernel_code("kernel", 'a')};
  }
  return results;
}

// Dies of which none tells what the others are like: what is measured in turns needs no baseline.
TEST(Calibration, WhatABaselineLeavesOpenIsDecidedInTurns) {
  CalibrationOptions options = few();
  options.in_turns = true;
  const Calibration calibration = calibrate(
      {with_machine_code(session(1, 40, 0.0005)), with_machine_code(session(2, 40, 0.0005, 1.01)),
       with_machine_code(session(3, 40, 0.0005, 0.99))},
      {}, calibration_policy(), options);
  ASSERT_EQ(calibration.settings.size(), 3U);
  const RuleRates& apart = calibration.settings[1].rules.front();
  const RuleRates& then_in_turns = calibration.settings[2].rules.front();
  EXPECT_LT(found(apart, 0, 0.01), 0.5);
  EXPECT_GT(found(then_in_turns, 0, 0.01), 0.9);
  EXPECT_GT(apart.entries_open.hits, 0U);
  EXPECT_LT(then_in_turns.entries_open.hits, apart.entries_open.hits);
  EXPECT_EQ(then_in_turns.gates_wrong.hits, 0U);
  EXPECT_NE(calibration_tables(calibration, "").find("baseline, then in turns"), std::string::npos);
}

TEST(Calibration, ControlsAreNotSlowedDown) {
  const Calibration calibration =
      calibrate({session(1, 10, 0.001)}, {}, calibration_policy("controls = [\"short\"]\n"), few());
  for (const BenchmarkRates& each : calibration.settings[0].benchmarks) {
    EXPECT_EQ(each.found.front().of > 0, each.id != "short") << each.id;
  }
}

TEST(Calibration, OneSeedGivesOneResult) {
  const std::vector<Results> sessions{session(1, 10, 0.01), session(2, 10, 0.01)};
  CalibrationOptions options = few();
  options.trials = 10;
  const std::string first =
      calibration_json(calibrate(sessions, {}, calibration_policy(), options));
  EXPECT_EQ(calibration_json(calibrate(sessions, {}, calibration_policy(), options)), first);
  options.seed = 2;
  Json other =
      Json::parse(calibration_json(calibrate(sessions, {}, calibration_policy(), options)));
  other["seed"] = 1;
  EXPECT_NE(other, Json::parse(first));
}

TEST(Calibration, WhatIsSlowerForRealIsFoundBesideItsTwin) {
  Results slowed = session(3, 40, 0.0005);
  for (double& time : slowed.benchmarks[4].metrics["time"].sessions[0]) time *= 1.05;
  const std::string id = slowed.benchmarks[4].id;
  const std::vector<Results> sessions{session(1, 40, 0.0005, 2, "GPU-2"), session(2, 40, 0.0005)};
  const Calibration calibration = calibrate(sessions, slowed, calibration_policy(), few());
  ASSERT_EQ(calibration.slowed.size(), 11u);
  for (const SlowedRates& each : calibration.slowed) {
    EXPECT_EQ(each.found.of, 40u);
    EXPECT_EQ(each.found.hits, each.id == id ? 40u : 0u) << each.id;
    EXPECT_NEAR(each.ratio, each.id == id ? 1.05 : 1, 0.002);
  }
  EXPECT_THROW((void)calibrate({sessions.front()}, slowed, calibration_policy(), few()), Error);
}

TEST(Calibration, ARuleOfProcessesSeesAsManyAsAGateStartsWith) {
  CalibrationOptions options = few();
  options.trials = 4;
  options.slowed = false;
  const auto sees_five = [](CompetingRule::Samples before, CompetingRule::Samples after) {
    return before.size() == 5 && after.size() == 5;
  };
  options.competing_rules = {{"five", "sees five figures a side", sees_five, true},
                             {"five samples", "sees five samples a side", sees_five}};
  const Calibration calibration = calibrate({session(1, 40, 0.0005), session(2, 40, 0.0005)}, {},
                                            calibration_policy(), options);
  for (const SettingRates& setting : calibration.settings) {
    EXPECT_EQ(setting.rules.at(1).entries_wrong.share(), 1) << "processes";
    EXPECT_EQ(setting.rules.at(2).entries_wrong.share(), 0) << "samples";
  }
}

TEST(Calibration, WithoutSamplesCompetingRulesAreLeftOut) {
  Results results = session(1, 10, 0.01);
  results.benchmarks[3].samples_ns.clear();
  const Calibration calibration = calibrate({results}, {}, calibration_policy(), few());
  EXPECT_EQ(calibration.settings[0].rules.size(), 1u);
  EXPECT_NE(calibration_tables(calibration, "").find("Other rules are left out"),
            std::string::npos);
}

TEST(Calibration, WhatCannotBeDrawnFromIsRefused) {
  const auto refused = [](const std::vector<Results>& sessions) {
    try {
      (void)calibrate(sessions, {}, calibration_policy(), few());
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), kExitUsage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused({session(1, 1, 0.01)}).find("has fewer than two processes"), std::string::npos);
  Results other = session(1, 5, 0.01);
  other.session->device.key = "another";
  EXPECT_NE(refused({session(1, 5, 0.01), other}).find("different devices"), std::string::npos);
  Results hot = session(1, 5, 0.01);
  hot.session->hot = true;
  EXPECT_NE(refused({session(1, 5, 0.01), hot}).find("one was timed hot, the other cold"),
            std::string::npos);
  Results plain = session(1, 5, 0.01);
  plain.session.reset();
  EXPECT_NE(refused({plain}).find("does not name its device"), std::string::npos);
  Results counted = session(1, 5, 0.01);
  for (auto& each : counted.benchmarks) each.metrics.clear();
  EXPECT_NE(refused({counted}).find("no benchmark has a gated time"), std::string::npos);
}

}  // namespace
}  // namespace warpgauge
