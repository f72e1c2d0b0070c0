// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/narrowed_floor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/report/explain_trace.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kUsual =
    "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.02\n"
    "[[floor]]\nclock = \"gpu\"\nrelative_floor = 0.007\nrelative_floor_against = 0.005\n"
    "absolute_floor = 64\nresolution = 32\n";
constexpr const char* kSteady =
    "steady_relative_floor = 0.002\nsteady_absolute_floor = 16\nsteady_resolution = 8\n";

Policy steady_policy() { return parse_policy(std::string(kUsual) + kSteady, "policy.toml"); }

// Ten processes about the mean: a standard deviation of `spread`, as a share.
std::vector<double> processes(double mean, double spread) {
  std::vector<double> all;
  for (const double each : {-1.0, 1.0, -1.0, 1.0, 0.0, 0.0, -1.0, 1.0, 1.0, -1.0}) {
    all.push_back(mean * (1 + spread * each * 1.0607));
  }
  return all;
}

MetricVerdict in_turns(double mean, double spread, double slower,
                       const Policy& by = steady_policy(), Design design = Design::interleaved) {
  const GateVerdict verdict =
      compare(results_of(h200(), {timed(processes(mean, spread))}),
              results_of(h200(), {timed(processes(mean * (1 + slower), spread))}, kLater), by,
              {.design = design});
  return metric(verdict, "time");
}

TEST(SteadyFloors, FollowWhatProcessesDifferByBetweenTheirLeastAndTheUsualFloor) {
  EXPECT_NEAR(*in_turns(100'000, 0.0003, 0).floor, 0.002, 1e-9);
  EXPECT_NEAR(*in_turns(100'000, 0.0012, 0).floor, kFloorOfSpread * 0.0012, 2e-5);
  EXPECT_NEAR(*in_turns(100'000, 0.004, 0).floor, 0.005, 1e-9);
  EXPECT_NEAR(*in_turns(4'000, 0.0007, 0).floor, 16.0 / 4'000, 1e-5) << "two of its own steps";
  EXPECT_NEAR(*in_turns(4'000, 0.02, 0).floor, 64.0 / 4'000, 1e-9) << "no higher than without";
}

TEST(SteadyFloors, LetTurnsFindWhatTheUsualFloorHides) {
  const Policy usual = parse_policy(kUsual, "policy.toml");
  EXPECT_EQ(in_turns(100'000, 0.0007, 0.005).verdict, Verdict::regressed);
  EXPECT_NE(in_turns(100'000, 0.0007, 0.005, usual).verdict, Verdict::regressed);
  EXPECT_EQ(in_turns(100'000, 0.0003, 0.001).verdict, Verdict::same) << "below every floor";
  EXPECT_NE(in_turns(100'000, 0.0007, 0.0015).verdict, Verdict::regressed);
  EXPECT_EQ(in_turns(11'000, 0.0005, 0.006).verdict, Verdict::regressed);
  EXPECT_NE(in_turns(11'000, 0.0005, 0.006, usual).verdict, Verdict::regressed);
}

// Unchanged code passes as often as without them.
TEST(SteadyFloors, LeaveNothingOpenThatTheUsualFloorLetsPass) {
  const MetricVerdict passed = in_turns(100'000, 0.0012, 0.0024);
  EXPECT_EQ(passed.verdict, Verdict::same);
  EXPECT_NEAR(*passed.floor, 0.005, 1e-9) << "the floor that decided";
  EXPECT_EQ(in_turns(100'000, 0.0012, 0.00425).verdict, Verdict::inconclusive);
}

// Two that always show one step of the clock may lie next to each other.
TEST(SteadyFloors, KnowNoKernelBetterThanAStepThatItAlwaysShows) {
  const MetricVerdict one_step = in_turns(3'008, 0, 32.0 / 3'008);
  EXPECT_EQ(one_step.verdict, Verdict::same) << one_step.reason;
  EXPECT_EQ(one_step.rule.resolution, 32);
  const MetricVerdict spread = in_turns(3'008, 0.002, 32.0 / 3'008);
  EXPECT_EQ(spread.verdict, Verdict::regressed) << spread.reason;
  EXPECT_EQ(spread.rule.resolution, 8);
}

TEST(SteadyFloors, KnowNoKernelBetterForOneProcessThatIsOff) {
  const auto one_off = [](double mean, double by) {
    std::vector<double> all(10, mean);
    all[3] += by;
    return all;
  };
  const GateVerdict verdict = compare(results_of(h200(), {timed(one_off(3'008, 8))}),
                                      results_of(h200(), {timed(one_off(3'040, -8))}, kLater),
                                      steady_policy(), {.design = Design::interleaved});
  EXPECT_EQ(metric(verdict, "time").verdict, Verdict::same) << metric(verdict, "time").reason;
  EXPECT_EQ(metric(verdict, "time").rule.resolution, 32);
}

TEST(SteadyFloors, NeedTwoProcessesOfASide) {
  const GateVerdict verdict = compare(results_of(h200(), {timed(std::vector{100'000.0})}),
                                      results_of(h200(), {timed(std::vector{100'500.0})}, kLater),
                                      steady_policy(), {.design = Design::interleaved});
  EXPECT_EQ(metric(verdict, "time").verdict, Verdict::inconclusive);
  EXPECT_FALSE(metric(verdict, "time").rule.usual_floor);
}

TEST(SteadyFloors, FindWhatBecameFasterToo) {
  EXPECT_EQ(in_turns(100'000, 0.0007, -0.005).verdict, Verdict::improved);
}

TEST(SteadyFloors, AreTheOnesThatAnOpenVerdictNames) {
  const MetricVerdict open = in_turns(100'000, 0.0012, 0.00425);
  EXPECT_NE(open.reason.find("may be worse than +0.3 %"), std::string::npos) << open.reason;
}

TEST(SteadyFloors, AreOfTurnsAlone) {
  EXPECT_NEAR(*in_turns(100'000, 0.0003, 0, steady_policy(), Design::apart).floor, 0.007, 1e-9);
}

TEST(SteadyFloors, AreExplained) {
  const GateVerdict verdict =
      compare(results_of(h200(), {timed(processes(100'000, 0.0012))}),
              results_of(h200(), {timed(processes(100'000, 0.0012))}, kLater), steady_policy(),
              {.design = Design::interleaved});
  const std::string text = derivations(verdict, "*");
  EXPECT_NE(text.find("0.3 % relative (policy.toml:5, by what processes differ by)\n"
                      "              16 absolute (policy.toml:5)\n"
                      "              0.5 % is what passes, however well they repeat"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace warpgauge::ci
