// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/rates/competing_rules.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/tools/rates/pooled_rules.hpp"

namespace warpgauge::ci {
namespace {

TEST(CompetingRules, UOfMannAndWhitneyIsAsPublished) {
  // The example of scipy.stats.mannwhitneyu's manual, method="asymptotic".
  const std::vector<double> males{19, 22, 16, 29, 24};
  const std::vector<double> females{20, 11, 17, 12};
  EXPECT_NEAR(mann_whitney_p(males, females), 0.11134688653314041, 1e-12);
  EXPECT_NEAR(mann_whitney_p(females, males), 0.11134688653314041, 1e-12);
  // With ties, U = 2.5 and a variance of 15.833 instead of 16.667.
  const std::vector<double> a{1, 2, 2, 3};
  const std::vector<double> b{2, 3, 4, 4, 5};
  EXPECT_NEAR(mann_whitney_p(a, b), 0.0785458509511907, 1e-12);
  const std::vector<double> same(9, 5.0);
  EXPECT_EQ(mann_whitney_p(same, same), 1);
}

// By the rules' order: compare.py, noise, gap, threshold.
std::string slower_by(const std::vector<double>& before, const std::vector<double>& after) {
  std::string said;
  for (const CompetingRule& rule : competing_rules())
    said += rule.is_slower(before, after) ? '1' : '0';
  return said;
}

TEST(CompetingRules, EachSaysWhatItsToolSays) {
  std::vector<double> samples(90, 100);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] += 0.1 * static_cast<double>(i % 10);  // 0.3 % by mean
  const auto times = [&](double factor) {
    std::vector<double> scaled = samples;
    for (double& each : scaled) each *= factor;
    return scaled;
  };
  EXPECT_EQ(slower_by(samples, samples), "0000");
  EXPECT_EQ(slower_by(samples, times(1.002)), "1000");  // within the noise
  EXPECT_EQ(slower_by(samples, times(1.004)), "1100");
  EXPECT_EQ(slower_by(samples, times(1.02)), "1110");
  EXPECT_EQ(slower_by(samples, times(1.06)), "1111");
  EXPECT_EQ(slower_by(times(1.06), samples), "0000");
}

TEST(CompetingRules, NeitherTheSameNorApartIsLeftOpenByTheNewerNvbenchAlone) {
  std::vector<double> samples(90, 100);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += 0.1 * static_cast<double>(i % 10);
  const auto open_at = [&](double factor) {
    std::vector<double> scaled = samples;
    for (double& each : scaled) each *= factor;
    std::string said;
    for (const CompetingRule& rule : competing_rules())
      said += leaves_open(rule, samples, scaled) ? '1' : '0';
    return said;
  };
  EXPECT_EQ(open_at(1), "0000");
  EXPECT_EQ(open_at(1.002), "0000");  // the same: medians 0.2 % apart, more than half in common
  EXPECT_EQ(open_at(1.006), "0010");
  EXPECT_EQ(open_at(1.02), "0000");  // slower
  EXPECT_EQ(open_at(0.98), "0000");  // faster
  std::vector<double> wide = samples;
  for (std::size_t i = 0; i < wide.size(); i += 2) wide[i] *= 1.05;
  EXPECT_TRUE(leaves_open(competing_rules().at(2), wide, wide));
}

TEST(CompetingRules, WelchNeedsToBeSureAndBeyondBothFloors) {
  const auto slower = [](double mean, double share) {
    std::vector<double> before, after;
    for (int i = 0; i < 5; ++i) {
      before.push_back(mean * (1 + 0.0002 * i));
      after.push_back(before.back() * (1 + share));
    }
    return welch_with_floors().is_slower(before, after);
  };
  EXPECT_TRUE(welch_with_floors().of_processes);
  EXPECT_TRUE(slower(100'000, 0.006));
  EXPECT_FALSE(slower(100'000, 0.004)) << "below 0.5 %";
  EXPECT_FALSE(slower(10'000, 0.006)) << "60 ns";
  EXPECT_FALSE(slower(100'000, -0.006));
  const std::vector<double> wild{80'000, 130'000, 90'000, 120'000, 80'000};
  const std::vector<double> wilder{90'000, 140'000, 80'000, 130'000, 80'000};
  EXPECT_FALSE(welch_with_floors().is_slower(wild, wilder)) << "not sure";
}

}  // namespace
}  // namespace warpgauge::ci
