// SPDX-License-Identifier: Apache-2.0
// What a [[ratio]] of the policy says of two variants of the new side, whatever the baseline has.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/metrics/limit_check.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "tests/helpers/schema.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr const char* kPadded = "transpose/padded/256x192";
constexpr const char* kShared = "transpose/shared/256x192";

Policy ratio_policy(const std::string& rule, const std::string& rest = "") {
  return parse_policy(
      std::string(kTimeAndResources) + "[[ratio]]\nrule = \"" + rule + "\"\n" + rest + "\n",
      "ci/policy.toml");
}

std::vector<Measured> both(std::vector<double> padded, std::vector<double> shared) {
  return {timed(std::move(padded), kPadded), timed(std::move(shared), kShared)};
}

GateVerdict judge_ratio(const Policy& policy, const std::vector<Measured>& benchmarks) {
  const Results results = results_of(h200(), benchmarks);
  return compare(results, results, policy);
}

const MetricVerdict& of(const GateVerdict& verdict, const std::string& id,
                        const std::string& name = "time") {
  return metric(verdict_on(verdict, id), name);
}

const std::vector<double> kShared5{10000, 10010, 9990, 10005, 9995};

TEST(Ratios, WhatIsShownBeyondIsRegressedThoughNothingChanged) {
  const GateVerdict verdict =
      judge_ratio(ratio_policy("padded <= 0.6 * shared", "reason = \"padding pays\""),
                  both({7000, 7010, 6990, 7003, 6997}, kShared5));
  EXPECT_EQ(verdict.exit_status, kExitRegressed);
  EXPECT_TRUE(of(verdict, kPadded).by_limit);
  EXPECT_EQ(of(verdict, kPadded).verdict, Verdict::regressed);
  EXPECT_EQ(verdict_on(verdict, kShared).verdict, Verdict::same);
  const std::string& reason = of(verdict, kPadded).reason;
  EXPECT_TRUE(reason.starts_with("time 0.69")) << reason;
  EXPECT_NE(reason.find(" times that of transpose/shared/256x192, > 0.6 allowed by [[ratio]] "
                        "(ci/policy.toml:9): padding pays"),
            std::string::npos)
      << reason;
}

TEST(Ratios, WithinPassesAndWhatMayBeBeyondIsUnclear) {
  const Policy policy = ratio_policy("padded <= 0.6 * shared");
  EXPECT_EQ(judge_ratio(policy, both({5500, 5510, 5490, 5503, 5497}, kShared5)).exit_status,
            kExitPass);
  const GateVerdict unclear = judge_ratio(policy, both({5900, 6100, 5950, 6080, 5990}, kShared5));
  EXPECT_EQ(of(unclear, kPadded).verdict, Verdict::inconclusive);
  EXPECT_TRUE(of(unclear, kPadded).more_processes_help);
}

TEST(Ratios, OfAtLeastHoldTheOtherWay) {
  const Policy policy = ratio_policy("shared >= 1.5 * padded");
  EXPECT_EQ(judge_ratio(policy, both({5500, 5510, 5490, 5503, 5497}, kShared5)).exit_status,
            kExitPass);
  const GateVerdict beyond = judge_ratio(policy, both({9000, 9010, 8990, 9003, 8997}, kShared5));
  EXPECT_EQ(of(beyond, kShared).verdict, Verdict::regressed);
}

// A process that is slow as a whole is slow for both.
TEST(Ratios, AreTakenProcessByProcess) {
  const std::vector<double> shared{10000, 11000, 9000, 12000, 8000};
  std::vector<double> padded = shared;
  for (double& each : padded) each *= 0.59;
  const auto limit = [&] {
    return of(judge_ratio(ratio_policy("padded <= 0.6 * shared"), both(padded, shared)), kPadded)
        .limits.at(0);
  };
  EXPECT_EQ(verdict_of(limit()), Verdict::same);
  EXPECT_NEAR(*limit().low, 0.59, 1e-9);
  padded.push_back(0.59 * shared.back());  // one process more: no pairs
  EXPECT_EQ(verdict_of(limit()), Verdict::inconclusive);
}

TEST(Ratios, OfUnlikeNumbersOfProcessesAreKnownLessWell) {
  const std::vector<double> three{5000, 5001, 5002};
  EXPECT_EQ(judge_ratio(ratio_policy("padded <= 0.6 * shared"), both(three, kShared5)).exit_status,
            kExitPass);
  EXPECT_EQ(of(judge_ratio(ratio_policy("padded <= 0.4 * shared"), both(three, kShared5)), kPadded)
                .verdict,
            Verdict::regressed);
}

TEST(Ratios, WithoutTheOtherSideAreNotMeasured) {
  const Policy policy = ratio_policy("padded <= 0.6 * shared");
  const GateVerdict alone = judge_ratio(policy, {timed({5000, 5001, 5002}, kPadded)});
  EXPECT_EQ(alone.exit_status, kExitNotMeasured);
  EXPECT_EQ(of(alone, kPadded).reason,
            "there is no transpose/shared/256x192 to hold it against, and at most 0.6 is allowed "
            "by [[ratio]] (ci/policy.toml:9)");
  Measured failed = timed({10000, 10001, 10002}, kShared);
  failed.outcome = {results::Status::wrong_result, "element 3"};
  const GateVerdict beside = judge_ratio(policy, {timed({5000, 5001, 5002}, kPadded), failed});
  EXPECT_EQ(of(beside, kPadded).verdict, Verdict::not_measured);
  Measured no_clock = timed({}, kShared);
  no_clock.counters = {{"registers", 32}};
  EXPECT_NE(of(judge_ratio(policy, {timed({5000, 5001, 5002}, kPadded), no_clock}), kPadded)
                .reason.find("transpose/shared/256x192: no clock"),
            std::string::npos);
}

TEST(Ratios, AFilterThatLeavesTheOtherOutLeavesTheRuleOut) {
  const Policy policy = ratio_policy("padded <= 0.6 * shared");
  const Results alone = results_of(h200(), {timed({5000, 5001, 5002}, kPadded)});
  EXPECT_EQ(compare(alone, alone, policy, {.is_filtered = true}).exit_status, kExitPass);
  Results filtered = alone;
  filtered.session->filter = "padded";
  EXPECT_EQ(compare(filtered, filtered, policy).exit_status, kExitPass);
}

Measured counting(const char* id, const std::string& metric, double figure) {
  Measured measured = timed({5000, 5001, 5002}, id);
  measured.counters = {{metric, figure}};
  return measured;
}

TEST(Ratios, OfExactMetricsAreThoseOfTheFigures) {
  const auto verdict_of = [](double padded, double shared) {
    return of(judge_ratio(
                  ratio_policy("padded <= 0.5 * shared", "metric = \"registers\""),
                  {counting(kPadded, "registers", padded), counting(kShared, "registers", shared)}),
              kPadded, "registers");
  };
  EXPECT_EQ(verdict_of(32, 64).verdict, Verdict::same);
  EXPECT_EQ(verdict_of(33, 64).verdict, Verdict::regressed);
  EXPECT_EQ(verdict_of(0, 0).verdict, Verdict::same) << "half of nothing is nothing";
  EXPECT_EQ(verdict_of(1, 0).verdict, Verdict::not_measured);
  EXPECT_NE(verdict_of(1, 0).reason.find("registers of transpose/shared/256x192 is 0, so there is "
                                         "no ratio"),
            std::string::npos);
}

TEST(Ratios, HoldOfWhatHasNoBaseline) {
  const Results after = results_of(h200(), both({7000, 7010, 6990}, {10000, 10010, 9990}));
  EXPECT_EQ(without_baseline("none", after, ratio_policy("padded <= 0.6 * shared")).exit_status,
            kExitRegressed);
}

// The variant was timed again, what it is held against was left untimed: of other sessions.
TEST(Ratios, AgainstABaselinesTimeTheFloorIsGiven) {
  Results after = results_of(h200(), both({6060, 6061, 6062}, {10000, 10001, 10002}));
  const Policy policy = ratio_policy("padded <= 0.6 * shared");
  EXPECT_EQ(of(compare(after, after, policy), kPadded).verdict, Verdict::regressed);
  Results before = after;
  before.is_baseline = true;
  for (auto& each : after.benchmarks) {
    if (each.id != kShared) continue;
    each.not_timed = "its code is the same";
  }
  EXPECT_EQ(of(compare(before, after, policy), kPadded).verdict, Verdict::inconclusive);
}

TEST(Ratios, AreInTheVerdictsFileAndReadAgain) {
  const GateVerdict verdict = judge_ratio(ratio_policy("padded <= 0.6 * shared"),
                                          both({7000, 7010, 6990}, {10000, 10010, 9990}));
  const std::string text = to_json_text(verdict);
  EXPECT_EQ(why_invalid(text, "ci/verdict/verdict.schema.json"), "");
  EXPECT_NE(text.find(kShared), std::string::npos);
  const GateVerdict again = verdict_from_json_text(text, "verdict.json");
  EXPECT_EQ(to_json_text(again), text);
  EXPECT_EQ(of(again, kPadded).limits.at(0).against, kShared);
  EXPECT_EQ(conclusion(again), conclusion(verdict));
}

}  // namespace
}  // namespace warpgauge::ci
