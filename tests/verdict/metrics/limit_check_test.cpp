// SPDX-License-Identifier: Apache-2.0
// What [[limit]]s of the policy say of figures, whatever the baseline has.
#include "ci/verdict/metrics/limit_check.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/report/explain_trace.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "tests/helpers/schema.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

Policy limits_policy(const std::string& tables) {
  return parse_policy(kTimeAndResources + tables, "ci/policy.toml");
}

std::string limit(const std::string& metric, const std::string& rest) {
  return "[[limit]]\nmetric = \"" + metric + "\"\n" + rest + "\n";
}

const Policy& at_most_64() {
  static const Policy policy = limits_policy(limit("registers", "most = 64"));
  return policy;
}

Measured with(const std::string& metric, double figure, std::vector<double> times = {}) {
  Measured measured = timed(std::move(times));
  measured.counters = {{"barriers", 1}, {metric, figure}};
  return measured;
}

GateVerdict judge_limits(const Policy& policy, const Measured& before, const Measured& after,
                         const std::set<Verdict>& allowed = {}) {
  return compare(results_of(h200(), {before}), results_of(h200(), {after}), policy, {}, allowed);
}

TEST(Limits, WhatIsBeyondIsRegressedThoughNothingChanged) {
  const GateVerdict verdict =
      judge_limits(at_most_64(), with("registers", 72), with("registers", 72));
  EXPECT_EQ(only(verdict), Verdict::regressed);
  EXPECT_EQ(verdict.exit_status, kExitRegressed);
  EXPECT_EQ(metric(verdict, "registers").reason,
            "registers 72 > 64 allowed by [[limit]] (ci/policy.toml:9)");
  EXPECT_TRUE(metric(verdict, "registers").by_limit);
  EXPECT_NE(conclusion(verdict).find("move the limit in the policy"), std::string::npos)
      << conclusion(verdict);
}

TEST(Limits, OfMachineCodeNameTheKernelAndItsLine) {
  Measured measured = with("registers", 72);
  results::KernelCode code = kernel_code("void copy<4>(float*)", 'a');
  code.registers = 72;
  code.places = {{"first instruction", "kernels/copy.cuh", 7, "{"}};
  measured.machine_code = {code};
  EXPECT_EQ(metric(judge_limits(at_most_64(), measured, measured), "registers").reason,
            "registers 72 > 64 allowed by [[limit]] (ci/policy.toml:9); copy<4> for " +
                code.architecture + ", first known line kernels/copy.cuh:7");
}

TEST(Limits, WhatIsAtTheLimitIsWithin) {
  const GateVerdict verdict =
      judge_limits(at_most_64(), with("registers", 64), with("registers", 64));
  EXPECT_EQ(only(verdict), Verdict::same);
  EXPECT_EQ(metric(verdict, "registers").reason, "");
}

TEST(Limits, TheReasonOfThePolicyIsQuoted) {
  const Policy policy = limits_policy(limit("registers", "least = 16\nreason = \"unrolled\""));
  EXPECT_EQ(
      metric(judge_limits(policy, with("registers", 8), with("registers", 8)), "registers").reason,
      "registers 8 < 16 required by [[limit]] (ci/policy.toml:9): unrolled");
}

TEST(Limits, AClockDoesNotExcuseThem) {
  const GateVerdict verdict = judge_limits(at_most_64(), with("registers", 60, {5000, 5001, 5002}),
                                           with("registers", 72, {4000, 4001, 4002}));
  EXPECT_EQ(metric(verdict, "time").verdict, Verdict::improved);
  EXPECT_EQ(metric(verdict, "registers").verdict, Verdict::regressed);
  EXPECT_EQ(verdict.exit_status, kExitRegressed);
}

TEST(Limits, AnyMetricHasThemWhateverItsClass) {
  const Policy policy = limits_policy(limit("code_bytes", "most = 1000"));
  const GateVerdict verdict =
      judge_limits(policy, with("code_bytes", 900), with("code_bytes", 2000));
  EXPECT_EQ(metric(verdict, "code_bytes").verdict, Verdict::regressed);
  EXPECT_EQ(metric(verdict, "code_bytes").metric_class, MetricClass::exact);
  const GateVerdict within = judge_limits(policy, with("code_bytes", 900), with("code_bytes", 950));
  EXPECT_EQ(metric(within, "code_bytes").metric_class, MetricClass::shown);
}

TEST(Limits, HoldOfWhatHasNoBaseline) {
  const Results after = results_of(h200(), {with("registers", 72)});
  const GateVerdict without = without_baseline("there is none", after, at_most_64());
  EXPECT_EQ(only(without), Verdict::regressed);
  EXPECT_EQ(without.exit_status, kExitRegressed);
  Measured old = with("registers", 72);
  old.id = "transpose/other/1";
  const GateVerdict added = compare(results_of(h200(), {old, with("registers", 8)}),
                                    results_of(h200(), {old, with("registers", 8)}), at_most_64());
  EXPECT_EQ(added.count(Verdict::regressed), 1u);
  const GateVerdict allowed =
      without_baseline("there is none", results_of(h200(), {with("registers", 64)}), at_most_64());
  EXPECT_EQ(only(allowed), Verdict::added);
}

TEST(Limits, WhatIsNotMeasuredIsNoPass) {
  Measured after = timed({5000, 5001, 5002});
  after.not_measured = {{"registers", "no nvcc"}};
  const GateVerdict verdict = judge_limits(at_most_64(), timed({5000, 5001, 5002}), after);
  EXPECT_EQ(metric(verdict, "registers").verdict, Verdict::not_measured);
  EXPECT_EQ(metric(verdict, "registers").reason,
            "no nvcc, and at most 64 is allowed by [[limit]] (ci/policy.toml:9)");
  EXPECT_EQ(verdict.exit_status, kExitNotMeasured);
  const std::string absent =
      "[[override]]\nbenchmarks = \"transpose/*\"\nmetrics = [\"registers\"]\noptional = true\n"
      "reason = \"r\"\n";
  EXPECT_EQ(judge_limits(limits_policy(limit("registers", "most = 64") + absent),
                         timed({5000, 5001, 5002}), after)
                .exit_status,
            kExitPass);
  EXPECT_EQ(judge_limits(limits_policy(limit("registers", "most = 64\ndevices = [\"emulated\"]")),
                         timed({5000, 5001, 5002}), after)
                .exit_status,
            kExitPass);
}

TEST(Limits, OfATimeAreHeldAgainstItsMean) {
  const auto verdict_on = [](const std::vector<double>& times, double most) {
    return judge_limits(limits_policy(limit("time", "most = " + std::to_string(most))),
                        timed(times), timed(times));
  };
  const std::vector<double> times{4980, 4990, 5000, 5010, 5020};
  EXPECT_EQ(only(verdict_on(times, 5040)), Verdict::same);
  EXPECT_EQ(only(verdict_on(times, 4960)), Verdict::regressed);
  const GateVerdict unclear = verdict_on(times, 5005);
  EXPECT_EQ(only(unclear), Verdict::inconclusive);
  EXPECT_TRUE(metric(unclear, "time").more_processes_help);
  EXPECT_EQ(metric(unclear, "time").reason.substr(0, 9), "time 4.97");
  EXPECT_NE(metric(unclear, "time").reason.find("at most 5.005 µs is allowed by [[limit]]"),
            std::string::npos)
      << metric(unclear, "time").reason;
}

// Unchanged code is beyond it again and again: no second measurement is needed.
TEST(Limits, WhatIsBeyondThemNeedsNoConfirmation) {
  const GateVerdict verdict = judge_limits(limits_policy(limit("time", "most = 4000")),
                                           timed({5000, 5001, 5002}), timed({5000, 5001, 5002}));
  EXPECT_TRUE(metric(verdict, "time").by_limit);
  EXPECT_FALSE(has_slowed(metric(verdict, "time")));
}

TEST(Limits, OneFigureOfATimeIsUnclear) {
  const Policy policy = limits_policy(limit("time", "most = 9000"));
  const Results one = results_of(h200(), {timed({5000})});
  EXPECT_EQ(only(compare(one, one, policy)), Verdict::inconclusive);
  EXPECT_EQ(only(compare(one, one, policy, {.threshold = 0.05})), Verdict::same);
}

TEST(Limits, OfAnotherClockGoByItsResolution) {
  Policy policy = limits_policy(limit("time", "most = 95"));
  policy.metrics.front().rule.resolution = 32;  // of a GPU's timestamps
  Results after = results_of(h200(), {timed({100, 100.1, 100.2})});
  EXPECT_EQ(only(without_baseline("none", after, policy)), Verdict::inconclusive);
  after.session->imported = {"another program", false};
  EXPECT_EQ(only(without_baseline("none", after, policy)), Verdict::regressed);
}

TEST(Limits, AProcessBesideMakesATimeUnclear) {
  Results after = results_of(h200(), {timed({5000, 5001, 5002})});
  after.benchmarks.front().other_processes = {"miner"};
  const GateVerdict verdict =
      without_baseline("none", after, limits_policy(limit("time", "most = 4000")));
  EXPECT_EQ(metric(verdict, "time").verdict, Verdict::inconclusive);
  EXPECT_NE(metric(verdict, "time").reason.find("miner computed on the GPU"), std::string::npos);
}

constexpr int kMembers = 12;

Results family() {
  std::vector<Measured> benchmarks;
  for (int i = 0; i < kMembers; ++i) {
    Measured each = with("registers", 32, {5000.0 + i, 5001.0 + i, 5002.0 + i});
    each.id = "family/kernel_" + std::to_string(i) + "/1024";
    each.machine_code = {kernel_code("kernel", 'a')};
    each.launches = {{.kernel = "kernel", .arguments = std::string(16, '1')}};
    benchmarks.push_back(each);
  }
  Results results = results_of(h200(), benchmarks);
  for (auto& each : results.benchmarks) each.input_digest = std::string(16, 'd');
  return results;
}

TEST(Limits, TimeThatWasNotMeasuredSinceTheCodeIsTheSameIsTheBaselines) {
  Results before = family();
  before.is_baseline = true;
  Results after = family();
  for (auto& each : after.benchmarks) {
    each.sentinel_ns = each.figure("time");
    each.metrics.erase("time");
    each.not_timed = "its code is the same";
  }
  const GateVerdict within = compare(before, after, limits_policy(limit("time", "most = 6000")));
  EXPECT_EQ(within.exit_status, kExitPass) << conclusion(within);
  const GateVerdict beyond = compare(before, after, limits_policy(limit("time", "most = 4000")));
  EXPECT_EQ(beyond.count(Verdict::regressed), static_cast<std::size_t>(kMembers));
  EXPECT_FALSE(metric(beyond, "time").after) << "nothing was measured";
}

// 10 MB read and written in 5 µs are 4 TB/s, where copying reached 5.
TEST(Limits, OfTheCeilingAreHeldAgainstItsShare) {
  constexpr double kBytes = 10e6;
  Measured ceiling = timed({4000, 4001, 3999}, "bandwidth/copy/10");
  Results after = results_of(h200(), {timed({5000, 5001, 5002}, "scan/a/1"), ceiling});
  for (auto& each : after.benchmarks) each.work = {.bytes_read = kBytes, .bytes_written = kBytes};
  const auto verdict_of_share = [&](double least) {
    const Policy policy = limits_policy(limit(
        "share_of_ceiling", "least = " + std::to_string(least) + "\nbenchmarks = \"scan/*\""));
    return compare(after, after, policy);
  };
  EXPECT_EQ(verdict_of_share(0.75).exit_status, kExitPass);
  const GateVerdict beyond = verdict_of_share(0.85);
  EXPECT_EQ(beyond.exit_status, kExitRegressed);
  EXPECT_EQ(beyond.benchmarks.front().id, "scan/a/1");
  EXPECT_NE(metric(beyond, "share_of_ceiling").reason.find("< 0.85 required"), std::string::npos)
      << metric(beyond, "share_of_ceiling").reason;
  after.benchmarks.pop_back();
  EXPECT_EQ(verdict_of_share(0.75).exit_status, kExitNotMeasured) << "there is no ceiling";
}

TEST(Limits, AloneGateSomething) {
  const Policy policy = parse_policy(limit("registers", "most = 64"), "ci/policy.toml");
  EXPECT_EQ(judge_limits(policy, with("registers", 64), with("registers", 64)).exit_status,
            kExitPass);
}

TEST(Limits, AnAllowanceSoftensOnlyWhatIsUnclear) {
  const std::set<Verdict> allowed{Verdict::added, Verdict::inconclusive};
  EXPECT_EQ(
      judge_limits(at_most_64(), with("registers", 72), with("registers", 72), allowed).exit_status,
      kExitRegressed);
  const Policy policy = limits_policy(limit("time", "most = 5005"));
  const Measured unclear = timed({4980, 4990, 5000, 5010, 5020});
  EXPECT_EQ(judge_limits(policy, unclear, unclear, allowed).exit_status, kExitPass);
  const Policy critical = limits_policy(limit("time", "most = 5005") +
                                        "[[override]]\nbenchmarks = \"*\"\ncritical = true\n");
  EXPECT_EQ(judge_limits(critical, unclear, unclear, allowed).exit_status, kExitNoVerdict);
}

TEST(Limits, AreInTheVerdictsFileAndReadAgain) {
  GateVerdict verdict = judge_limits(
      limits_policy(limit("registers", "most = 64\nreason = \"r\"") + limit("time", "least = 1")),
      with("registers", 72, {5000, 5001, 5002}), with("registers", 72, {5000, 5001, 5002}));
  const std::string text = to_json_text(verdict);
  EXPECT_EQ(why_invalid(text, "ci/verdict/verdict.schema.json"), "");
  const GateVerdict again = verdict_from_json_text(text, "verdict.json");
  EXPECT_EQ(to_json_text(again), text);
  EXPECT_EQ(metric(again, "registers").limits.size(), 1u);
  EXPECT_EQ(conclusion(again), conclusion(verdict));
}

TEST(Limits, AreInTheDerivation) {
  const GateVerdict verdict =
      judge_limits(at_most_64(), with("registers", 72), with("registers", 72));
  EXPECT_NE(derivations(verdict, "*")
                .find("    limit     regressed: registers 72 > 64 allowed by [[limit]] "
                      "(ci/policy.toml:9)\n"),
            std::string::npos)
      << derivations(verdict, "*");
}

}  // namespace
}  // namespace warpgauge::ci
