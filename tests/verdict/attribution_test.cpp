// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/attribute.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr const char* kId = "transpose/padded/256x192";

// A benchmark whose kernel takes this time.
Measured transposing(double time_ns, char hash_digit, double wavefronts = 1536) {
  return {.id = kId,
          .times_ns = {time_ns, time_ns + 1, time_ns - 1},
          .counters = {{"shared_load_wavefronts", wavefronts}, {"span", time_ns}},
          .machine_code = {kernel_code("transpose_tiled<1>", hash_digit)}};
}

MetricVerdict attributed(const Measured& before, const Measured& after, bool is_baseline = true,
                         const Policy& policy = built_in_policy(),
                         const std::string& metric = "time") {
  Results baseline = results_of(h200(), {before});
  baseline.is_baseline = is_baseline;
  const GateVerdict verdict = compare(baseline, results_of(h200(), {after}), policy);
  for (const MetricVerdict& each : verdict.benchmarks.at(0).metrics) {
    if (each.metric == metric) {
      EXPECT_GE(verdict.benchmarks[0].verdict, each.verdict);
      return each;
    }
  }
  throw std::logic_error("no " + metric);
}

TEST(MachineCause, ATimeThatMovedWithTheSameCodeAndCountersIsTheMachine) {
  for (const auto& [now, expected] :
       {std::pair(7000.0, Verdict::inconclusive), std::pair(6100.0, Verdict::not_worse)}) {
    const MetricVerdict time = attributed(transposing(6560, 'a'), transposing(now, 'a'));
    EXPECT_EQ(time.verdict, expected);
    EXPECT_NE(time.reason.find("it is the machine"), std::string::npos) << time.reason;
  }
  EXPECT_EQ(attributed(transposing(6560, 'a'), transposing(6561, 'a')).verdict, Verdict::same);
}

TEST(MachineCause, ATimeThatMovedMoreThanMachinesDifferIsNotTheMachine) {
  const MetricVerdict slower = attributed(transposing(6560, 'a'), transposing(8000, 'a'));
  EXPECT_EQ(slower.verdict, Verdict::regressed);
  EXPECT_NE(slower.reason.find("look at how it is launched"), std::string::npos) << slower.reason;
  EXPECT_EQ(attributed(transposing(6560, 'a'), transposing(5000, 'a')).verdict, Verdict::improved);
}

std::vector<std::string> notes(const Measured& before, const Measured& after,
                               const Policy& policy = built_in_policy()) {
  Results baseline = results_of(h200(), {before});
  baseline.is_baseline = true;
  std::vector<std::string> said = compare(baseline, results_of(h200(), {after}), policy).notes;
  std::erase_if(said, [](const std::string& note) { return note.find("launched") == note.npos; });
  return said;
}

TEST(MachineCause, ATimeThatMovedWithOtherLaunchesIsNotTheMachine) {
  const results::KernelLaunch launch{
      .kernel = "transpose_tiled<1>", .grid = {128, 128, 1}, .block = {32, 8, 1}};
  Measured before = transposing(6560, 'a');
  Measured after = transposing(7000, 'a');
  before.launches = after.launches = {launch};
  EXPECT_EQ(attributed(before, after).verdict, Verdict::inconclusive);
  after.launches[0].dynamic_shared_bytes = 65536;
  const MetricVerdict slower = attributed(before, after);
  EXPECT_EQ(slower.verdict, Verdict::regressed);
  EXPECT_EQ(
      slower.reason,
      "launched differently: transpose_tiled<1>: dynamic shared memory 0 bytes → 65536 bytes; "
      "same machine code");

  Measured much = transposing(8000, 'a');
  much.launches = before.launches;
  EXPECT_NE(attributed(before, much).reason.find("look at what it is given"), std::string::npos);

  // Whatever the machine code says, or if it says nothing.
  const std::string otherwise =
      "launched differently: transpose_tiled<1>: dynamic shared memory "
      "0 bytes → 65536 bytes";
  after.machine_code = {kernel_code("transpose_tiled<1>", 'b')};
  EXPECT_EQ(attributed(before, after).reason,
            otherwise + "; other machine code: transpose_tiled<1>");
  after.machine_code.clear();
  EXPECT_EQ(attributed(before, after).reason, otherwise);
  after.machine_code = before.machine_code;
  EXPECT_EQ(attributed(before, after, false).reason, otherwise + "; same machine code");
}

TEST(MachineCause, OtherKernelsOfOtherMachineCodeAreNamedOnce) {
  Measured before = transposing(6560, 'a');
  Measured after = transposing(8000, 'b');
  before.launches = {{.kernel = "transpose_tiled<1>"}};
  after.launches = {{.kernel = "transpose_tiled<0>"}};
  EXPECT_EQ(attributed(before, after).reason, "other machine code: transpose_tiled<1>");
}

TEST(MachineCause, OtherLaunchesThatMoveNothingAreNoted) {
  Measured before = transposing(6560, 'a');
  before.launches = {{.kernel = "transpose_tiled<1>", .dynamic_shared_bytes = 64}};
  Measured after = transposing(6560, 'a');
  after.launches = {{.kernel = "transpose_tiled<1>", .dynamic_shared_bytes = 128}};
  EXPECT_EQ(notes(before, after),
            std::vector<std::string>{"launched differently, though no gated "
                                     "figure moved: transpose/padded/256x192"});
}

TEST(MachineCause, WithoutLaunchesTheMachineIsTheCauseOnlyWhereTheBaselineHasNoneEither) {
  Measured before = transposing(6560, 'a');
  Measured after = transposing(7000, 'a');
  after.launches = {{.kernel = "transpose_tiled<1>"}};
  EXPECT_EQ(attributed(before, after).verdict, Verdict::inconclusive);
  EXPECT_EQ(notes(before, after),
            std::vector<std::string>{"the baseline does not say how 1 benchmark is launched: "
                                     "approve again to compare it from here on"});

  Policy not_gated = built_in_policy();
  Policy::Override reference_row;
  reference_row.benchmarks = kId;
  reference_row.gate = false;
  reference_row.reason = "not ours";
  not_gated.overrides.push_back(reference_row);
  EXPECT_TRUE(notes(before, after, not_gated).empty());

  std::swap(before.launches, after.launches);
  EXPECT_EQ(attributed(before, after).verdict, Verdict::regressed);
  EXPECT_EQ(attributed(before, after).reason,
            "how it is launched was not observed this time; same machine code");
  EXPECT_TRUE(notes(before, after).empty());
}

TEST(MachineCause, ATimeThatMovedWithOtherCodeIsTheKernel) {
  const MetricVerdict slower = attributed(transposing(6560, 'a'), transposing(8000, 'b'));
  EXPECT_EQ(slower.verdict, Verdict::regressed);
  EXPECT_EQ(slower.reason, "other machine code: transpose_tiled<1>");
  const MetricVerdict faster = attributed(transposing(6560, 'a'), transposing(5000, 'b'));
  EXPECT_EQ(faster.verdict, Verdict::improved);
  EXPECT_EQ(faster.reason, "other machine code: transpose_tiled<1>");
}

TEST(MachineCause, WithoutTheSameCountersTheSameCodeIsNotTheMachine) {
  const std::string not_in_code = "same machine code: the cause is not in the machine code";
  const MetricVerdict counted = attributed(transposing(6560, 'a'), transposing(8000, 'a', 3072));
  EXPECT_EQ(counted.verdict, Verdict::regressed);
  EXPECT_EQ(counted.reason, not_in_code);

  Measured before = transposing(6560, 'a');
  Measured after = transposing(8000, 'a');
  before.counters.erase("shared_load_wavefronts");  // only one side has it
  EXPECT_EQ(attributed(before, after).reason, not_in_code);
  after.counters.erase("shared_load_wavefronts");  // nobody has any
  EXPECT_EQ(attributed(before, after).reason, not_in_code);
  EXPECT_EQ(attributed(before, after).verdict, Verdict::regressed);
}

TEST(MachineCause, CountersThatDifferFromRunToRunHaveNoSay) {
  Measured before = transposing(6560, 'a');
  Measured after = transposing(7000, 'a', 1537);
  before.counters["shared_load_requests"] = after.counters["shared_load_requests"] = 1536;
  EXPECT_EQ(attributed(before, after).verdict, Verdict::regressed);
  Policy policy = built_in_policy();
  policy.overrides.push_back({.benchmarks = "*",
                              .metrics = {"shared_load_wavefronts"},
                              .gate = false,
                              .optional = {},
                              .relative_floor = {},
                              .absolute_floor = {},
                              .reason = "they poll"});
  EXPECT_EQ(attributed(before, after, true, policy).verdict, Verdict::inconclusive);
}

TEST(MachineCause, AgainstResultsThatAreNoBaselineNothingIsExcused) {
  const MetricVerdict time = attributed(transposing(6560, 'a'), transposing(8000, 'a'), false);
  EXPECT_EQ(time.verdict, Verdict::regressed);
  EXPECT_EQ(time.reason, "same machine code");
}

TEST(MachineCause, WithoutMachineCodeNothingIsSaid) {
  Measured before = transposing(6560, 'a');
  before.machine_code.clear();
  const MetricVerdict time = attributed(before, transposing(8000, 'a'));
  EXPECT_EQ(time.verdict, Verdict::regressed);
  EXPECT_EQ(time.reason, "");
}

TEST(MachineCause, OtherCodeThatGotSlowerSaysHowManyMoreInstructionsItRuns) {
  const auto with = [](Measured of, double instructions) {
    of.counters["instructions"] = instructions;
    return of;
  };
  const Measured before = with(transposing(6560, 'a'), 2'000'000);
  const std::string other = "other machine code: transpose_tiled<1>";
  EXPECT_EQ(attributed(before, with(transposing(8000, 'b'), 2'500'000)).reason,
            other + "; instructions 2.0 M → 2.5 M (+25.0 %)");
  EXPECT_EQ(attributed(before, with(transposing(8000, 'b'), 2'030'000)).reason,
            other);  // in any change
  EXPECT_EQ(attributed(before, with(transposing(8000, 'b'), 1'500'000)).reason, other);
  EXPECT_EQ(attributed(before, with(transposing(5000, 'b'), 2'500'000)).reason, other);  // faster
  // What is exact names the cause better.
  EXPECT_EQ(attributed(before, with(transposing(8000, 'b', 3072), 2'500'000)).reason, other);
}

TEST(MachineCause, ACounterThatChangedSaysWhetherTheCodeDid) {
  const auto reason = [](char now) {
    const MetricVerdict metric = attributed(transposing(6560, 'a'), transposing(6560, now, 3072),
                                            true, built_in_policy(), "shared_load_wavefronts");
    EXPECT_EQ(metric.verdict, Verdict::regressed);
    return metric.reason;
  };
  const std::string unknown =
      "whether they are bank conflicts is not known: the source lines do not say; ";
  EXPECT_EQ(reason('a'), unknown + "same machine code");
  EXPECT_EQ(reason('b'), unknown + "other machine code: transpose_tiled<1>");
}

TEST(MachineCause, KernelsAreNamedWithoutTheirParameters) {
  Measured before = transposing(6560, 'a');
  Measured after = transposing(8000, 'a');
  before.machine_code = {kernel_code("void (anonymous namespace)::f<(A)1, g(int)>(int*)", 'a'),
                         kernel_code("plain(float (*)(int))", 'a')};
  after.machine_code = {kernel_code(before.machine_code[0].name, 'b'),
                        kernel_code(before.machine_code[1].name, 'b')};
  EXPECT_EQ(attributed(before, after).reason,
            "other machine code: (anonymous namespace)::f<(A)1, g(int)>, plain");
}

TEST(MachineCause, OfManyKernelsAFewAreNamed) {
  Measured before = transposing(6560, 'a');
  Measured after = transposing(8000, 'a');
  for (const char* name : {"five", "four", "one", "three", "two"}) {
    before.machine_code.push_back(kernel_code(name, '1'));
    after.machine_code.push_back(kernel_code(name, '2'));
  }
  EXPECT_EQ(attributed(before, after).reason, "other machine code: five, four, one and 2 more");
}

// What kernels take.
Measured taking(double registers, const std::string& compiler = "ptxas 13.0.88") {
  Measured benchmark{.id = kId,
                     .counters = {{"barriers", 3}, {"registers", registers}},
                     .machine_code = {kernel_code("k()", 'a', static_cast<int>(registers))}};
  benchmark.machine_code[0].compiler = compiler;
  return benchmark;
}

GateVerdict compared(const Measured& before, const Measured& after) {
  GateVerdict verdict =
      compare(results_of(emulated(), {before}),
              results_of(emulated(), {after}, "2026-11-21T05:00:00Z"), built_in_policy());
  return verdict;
}

TEST(Resources, MoreRegistersAreARegression) {
  const GateVerdict verdict = compared(taking(32), taking(40));
  EXPECT_EQ(verdict.exit_status, 1);
  EXPECT_EQ(verdict.benchmarks[0].metrics[0].metric, "registers");
  EXPECT_EQ(verdict.benchmarks[0].metrics[0].reason,
            "whether fewer warps are resident is not known; k for sm_90: registers 32 → 40; other "
            "machine code: k");
  EXPECT_EQ(compared(taking(40), taking(32)).benchmarks[0].verdict, Verdict::improved);
}

TEST(Resources, OfAnotherCompilerAreNotComparedAndThatIsSaid) {
  const GateVerdict verdict = compared(taking(32), taking(40, "ptxas 12.4.131"));
  EXPECT_EQ(verdict.exit_status, 0);
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_EQ(verdict.notes[0],
            "machine code of 1 benchmark is of sm_90 by ptxas 12.4.131, before of sm_90 by ptxas "
            "13.0.88: what kernels take is not compared; approve again to compare it from here on");
}

TEST(Resources, MayBeAbsentOnEitherSide) {
  Measured without = taking(32);
  without.machine_code.clear();
  without.counters.erase("registers");
  EXPECT_EQ(compared(taking(32), without).exit_status, 0);
  EXPECT_EQ(compared(without, taking(32)).exit_status, 0);
  without.counters.erase("barriers");
  without.counters["shared_load_requests"] = 1;
  EXPECT_EQ(compared(taking(32), without).exit_status, 4) << "barriers are not optional";
}

}  // namespace
}  // namespace warpgauge::ci
