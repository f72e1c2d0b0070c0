// SPDX-License-Identifier: Apache-2.0
// What machine code and launches alone tell decides where no clock does, with kernel, architecture
// and line; and never because a baseline did not know it yet.
#include "ci/verdict/machine_code/code_changes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using Accesses = std::map<std::string, std::uint64_t>;

const std::string kKernel = "void copy<4>(float*)";

results::KernelCode code(const Accesses& accesses, const std::string& architecture = "sm_90") {
  results::KernelCode code = kernel_code(kKernel, 'a');
  code.architecture = architecture;
  // Other accesses are other instructions.
  code.sass_hash = std::string(32, static_cast<char>('a' + accesses.size() % 6));
  code.accesses = accesses;
  return code;
}

Measured benchmark(const std::vector<results::KernelCode>& codes, std::vector<double> times = {},
                   std::uint32_t threads = 256) {
  Measured measured = timed(std::move(times));
  measured.counters = {{"barriers", 1}};
  measured.machine_code = codes;
  for (const results::KernelCode& each : codes) {
    results::add_launch({.kernel = each.name, .grid = {64, 1, 1}, .block = {threads, 1, 1}},
                        measured.launches);
  }
  return measured;
}

const MetricVerdict* found(const GateVerdict& verdict, const std::string& name) {
  for (const MetricVerdict& each : verdict.benchmarks.front().metrics) {
    if (each.metric == name) return &each;
  }
  return nullptr;
}

GateVerdict judged(const Accesses& before, const Accesses& after) {
  return judge({benchmark({code(before)})}, {benchmark({code(after)})}, emulated());
}

TEST(CodeChanges, ALoadThatBecameNarrowerIsARegressionWithKernelAndArchitecture) {
  const GateVerdict verdict = judged({{"load global 128", 1}}, {{"load global 32", 1}});
  const MetricVerdict& loads = metric(verdict, kNarrowerLoads);
  EXPECT_EQ(loads.verdict, Verdict::regressed);
  EXPECT_EQ(loads.before, 0);
  EXPECT_EQ(loads.after, 1);
  EXPECT_NE(loads.reason.find("copy<4> for sm_90: load global 128 1 → 0, load global 32 0 → 1"),
            std::string::npos)
      << loads.reason;
  EXPECT_EQ(verdict.exit_status, kExitRegressed);
}

TEST(CodeChanges, ANarrowLoadBesideTheWideOnesIsNoNarrowerOne) {
  const GateVerdict verdict =
      judged({{"load global 128", 4}}, {{"load global 128", 4}, {"load global 32", 2}});
  EXPECT_EQ(found(verdict, kNarrowerLoads), nullptr);
  EXPECT_EQ(verdict.exit_status, kExitPass);
}

TEST(CodeChanges, WiderLoadsAreNone) {
  EXPECT_EQ(found(judged({{"load global 32", 4}}, {{"load global 128", 1}}), kNarrowerLoads),
            nullptr);
}

TEST(CodeChanges, LocalMemoryThatAppearedIsARegressionAndMoreOfItIsTold) {
  const GateVerdict none = judged({}, {{"load local 32", 1}, {"store local 128", 2}});
  EXPECT_EQ(metric(none, kLocalAccesses).verdict, Verdict::regressed);
  EXPECT_EQ(metric(none, kLocalAccesses).after, 3);
  EXPECT_EQ(none.exit_status, kExitRegressed);
  const GateVerdict some = judged({{"load local 32", 1}}, {{"load local 32", 2}});
  EXPECT_EQ(metric(some, kLocalAccesses).verdict, Verdict::not_worse);
  EXPECT_EQ(some.exit_status, kExitPass);
  EXPECT_EQ(metric(judged({{"load local 32", 1}}, {}), kLocalAccesses).verdict, Verdict::improved);
}

// What one kernel loses does not pay for what appears in another.
TEST(CodeChanges, LocalMemoryIsLookedForInEachKernel) {
  results::KernelCode with = code({{"load local 32", 8}});
  results::KernelCode without = code({});
  with.name = "other()";
  without.name = "other()";
  const GateVerdict verdict =
      judge({benchmark({code({}), with})}, {benchmark({code({{"load local 32", 1}}), without})},
            emulated());
  EXPECT_EQ(metric(verdict, kLocalAccesses).verdict, Verdict::regressed);
  EXPECT_EQ(metric(verdict, kLocalAccesses).before, 0);
  EXPECT_EQ(metric(verdict, kLocalAccesses).after, 1);
}

TEST(CodeChanges, AStepOfOccupancyIsARegressionWhicheverResourceTookIt) {
  const auto of = [](std::uint32_t threads) { return benchmark({code({})}, {}, threads); };
  const GateVerdict verdict = judge({of(256)}, {of(768)}, emulated());
  const MetricVerdict& warps = metric(verdict, kResidentWarps);
  EXPECT_EQ(warps.verdict, Verdict::regressed);
  EXPECT_EQ(warps.before, 64);
  EXPECT_EQ(warps.after, 48);
  EXPECT_NE(warps.reason.find("copy<4> for sm_90: resident warps 64 → 48 of 64, limited by"),
            std::string::npos)
      << warps.reason;
  EXPECT_EQ(metric(judge({of(768)}, {of(256)}, emulated()), kResidentWarps).verdict,
            Verdict::improved);
  EXPECT_EQ(found(judge({of(256)}, {of(512)}, emulated()), kResidentWarps), nullptr);
}

TEST(CodeChanges, WarpsAndArchitecturesNameALineOfTheKernelWhereOneIsKnown) {
  results::KernelCode known = code({{"load global 32", 2}});
  known.places = {{"load global 32", "kernels/copy.cuh", 31, "b = in[1];"},
                  {"load global 32", "kernels/copy.cuh", 12, "a = in[0];"}};
  const results::KernelCode older = code({{"load global 32", 2}}, "sm_80");
  const auto reason = [&](const Measured& before, const Measured& after, const char* what) {
    return metric(judge({before}, {after}, emulated()), what).reason;
  };
  const std::string line = ", first known line kernels/copy.cuh:12";
  const std::string warps = reason(benchmark({known}), benchmark({known}, {}, 768), kResidentWarps);
  EXPECT_NE(warps.find("of 64, limited by block size" + line), std::string::npos) << warps;
  const std::string lost =
      reason(benchmark({older, known}), benchmark({known}), kLostArchitectures);
  EXPECT_NE(lost.find("is no longer compiled for sm_80" + line), std::string::npos) << lost;
  known.places.push_back({"first instruction", "kernels/copy.cuh", 20, "{"});
  const std::string begin = reason(benchmark({known}), benchmark({known}, {}, 768), kResidentWarps);
  EXPECT_NE(begin.find(", first known line kernels/copy.cuh:20"), std::string::npos) << begin;
  known.places.clear();
  for (const std::string& text :
       {reason(benchmark({known}), benchmark({known}, {}, 768), kResidentWarps),
        reason(benchmark({older, known}), benchmark({known}), kLostArchitectures)}) {
    EXPECT_NE(text.find(", no line known"), std::string::npos) << text;
  }
}

TEST(CodeChanges, RegistersAndSharedMemoryNameWhereTheKernelBegins) {
  const results::KernelCode before = code({});
  results::KernelCode after = before;
  after.static_shared_bytes = before.static_shared_bytes + 1024;
  after.sass_hash = std::string(32, 'f');
  after.places = {{"first instruction", "kernels/copy.cuh", 7, "{"}};
  const auto text = [&] {
    return worse_kernels("static_shared_bytes",
                         results_of(emulated(), {benchmark({before})}).benchmarks[0],
                         results_of(emulated(), {benchmark({after})}).benchmarks[0]);
  };
  EXPECT_TRUE(text().ends_with(", first known line kernels/copy.cuh:7")) << text();
  after.places.clear();
  EXPECT_EQ(text().find("line"), std::string::npos) << text();
}

TEST(CodeChanges, AFigureNamesTheKernelsThatHaveMostOfItAndWhere) {
  results::KernelCode large = code({{"load local 32", 3}});
  large.name = "large()";
  large.registers = 96;
  large.places = {{"first instruction", "kernels/large.cuh", 5, ""}};
  results::KernelCode older = large;
  older.architecture = "sm_80";
  older.registers = 128;
  const results::BenchmarkResult side =
      results_of(emulated(), {benchmark({older, code({}), large})}).benchmarks[0];
  const std::string named = "large for sm_90, first known line kernels/large.cuh:5";
  EXPECT_EQ(deciding_kernels("registers", side), named);
  EXPECT_EQ(deciding_kernels(kLocalAccesses, side), named);
  EXPECT_EQ(deciding_kernels(kResidentWarps, side), named);
  EXPECT_EQ(deciding_kernels("time", side), "");
}

TEST(CodeChanges, AnArchitectureThatIsGoneIsARegression) {
  const Measured both = benchmark({code({}, "sm_80"), code({})});
  const GateVerdict verdict = judge({both}, {benchmark({code({})})}, emulated());
  const MetricVerdict& lost = metric(verdict, kLostArchitectures);
  EXPECT_EQ(lost.verdict, Verdict::regressed);
  EXPECT_NE(lost.reason.find("copy<4> is no longer compiled for sm_80"), std::string::npos)
      << lost.reason;
  EXPECT_EQ(found(judge({benchmark({code({})})}, {both}, emulated()), kLostArchitectures), nullptr);
  EXPECT_EQ(found(judge({both}, {benchmark({})}, emulated()), kLostArchitectures), nullptr)
      << "not read is not gone";
}

// The figures of each side are those of its newest architecture, and these are not alike.
TEST(CodeChanges, AnAddedArchitectureHidesNothingAndIsNothingWorse) {
  const auto side = [](const std::vector<results::KernelCode>& codes, double spills,
                       double registers) {
    Measured measured = benchmark(codes);
    measured.counters = {{"spill_store_bytes", spills}, {"registers", registers}};
    return measured;
  };
  results::KernelCode newer = code({});
  newer.registers = 64;
  newer.spill_store_bytes = 8;
  const results::KernelCode older = code({}, "sm_80");
  const GateVerdict same = judge({side({older}, 0, 32)}, {side({older, newer}, 8, 64)}, emulated());
  EXPECT_EQ(same.exit_status, kExitPass);
  EXPECT_EQ(metric(same, "spill_store_bytes").after, 0);
  EXPECT_EQ(metric(same, "registers").after, 32);
  results::KernelCode spills = older;
  spills.spill_store_bytes = 16;
  const GateVerdict worse =
      judge({side({older}, 0, 32)}, {side({spills, newer}, 8, 64)}, emulated());
  EXPECT_EQ(metric(worse, "spill_store_bytes").verdict, Verdict::regressed);
  EXPECT_EQ(metric(worse, "spill_store_bytes").after, 16);
}

// Another benchmark's kernel for sm_80 says nothing of this one's.
TEST(CodeChanges, AnArchitectureIsLookedForInEachKernel) {
  results::KernelCode other = code({}, "sm_80");
  other.name = "second()";
  results::KernelCode other_90 = code({});
  other_90.name = "second()";
  const Measured before = benchmark({code({}, "sm_80"), code({}), other, other_90});
  const GateVerdict verdict = judge({before}, {benchmark({code({}), other, other_90})}, emulated());
  const MetricVerdict& lost = metric(verdict, kLostArchitectures);
  EXPECT_EQ(lost.verdict, Verdict::regressed);
  EXPECT_EQ(lost.after, 1);
  EXPECT_NE(lost.reason.find("copy<4> is no longer compiled for sm_80"), std::string::npos)
      << lost.reason;
  EXPECT_EQ(lost.reason.find("second"), std::string::npos) << lost.reason;
  EXPECT_EQ(found(judge({before}, {benchmark({other, other_90})}, emulated()), kLostArchitectures),
            nullptr)
      << "a kernel that is gone is launched no longer";
}

TEST(CodeChanges, OfARenamedKernelAnArchitectureIsLostAsOfAnyOther) {
  results::KernelCode renamed = code({});
  renamed.name = "copy_by_four(float*)";
  EXPECT_EQ(
      metric(judge({benchmark({code({}, "sm_80"), code({})})}, {benchmark({renamed})}, emulated()),
             kLostArchitectures)
          .verdict,
      Verdict::regressed);
}

// As programs have in modules of their own.
TEST(CodeChanges, EachOfSeveralKernelsOfOneNameIsComparedWithItsLike) {
  const auto side = [](const std::vector<Accesses>& all) {
    std::vector<results::KernelCode> codes;
    for (const Accesses& each : all) codes.push_back(code(each));
    return benchmark(codes);
  };
  const Accesses wide = {{"load global 128", 1}};
  const Accesses narrow = {{"load global 32", 1}, {"load shared 64", 1}, {"load shared 16", 1}};
  const Accesses others = {{"load shared 32", 1}, {"load local 32", 2}};
  // The same ones in another order.
  const GateVerdict same = judge({side({others, wide})}, {side({wide, others})}, emulated());
  EXPECT_EQ(found(same, kNarrowerLoads), nullptr);
  EXPECT_EQ(found(same, kLocalAccesses), nullptr);
  // One of them is another: not the last.
  const GateVerdict verdict = judge({side({wide, others})}, {side({narrow, others})}, emulated());
  EXPECT_EQ(metric(verdict, kNarrowerLoads).verdict, Verdict::regressed);
  EXPECT_NE(metric(verdict, kNarrowerLoads)
                .reason.find("copy<4> for sm_90, of several of its name compared in order: load "
                             "global 128 1 → 0"),
            std::string::npos)
      << metric(verdict, kNarrowerLoads).reason;
  EXPECT_EQ(verdict.benchmarks.front().kernels.size(), 2U);
}

results::Device gpu_9_0() {
  results::Device device = h200();
  device.compute_capability = "9.0";
  return device;
}

const std::vector<double> kTimes = {12'000, 12'001, 11'999, 12'002, 11'998};

TEST(CodeChanges, TheClockJudgesWhatTheyCostWhereThereIsOne) {
  const Accesses wide = {{"load global 128", 4}};
  const Accesses worse = {{"load global 32", 4}, {"load local 32", 1}};
  const GateVerdict verdict = judge({benchmark({code(wide, "sm_90a"), code(wide)}, kTimes)},
                                    {benchmark({code(worse)}, kTimes, 768)}, gpu_9_0());
  for (const char* name : {kNarrowerLoads, kLocalAccesses, kResidentWarps, kLostArchitectures}) {
    EXPECT_EQ(metric(verdict, name).verdict, Verdict::not_worse) << name;
    EXPECT_EQ(metric(verdict, name).reason, "the clock judges what it costs") << name;
  }
}

TEST(CodeChanges, TheClockOfOneArchitectureExcusesNothingOfAnother) {
  const Accesses wide = {{"load global 128", 4}};
  const Accesses worse = {{"load global 32", 4}, {"load local 32", 1}};
  const Measured before =
      benchmark({code(wide, "sm_80"), code(wide), code(wide, "sm_100")}, kTimes);
  const GateVerdict verdict =
      judge({before}, {benchmark({code(worse, "sm_80"), code(wide)}, kTimes)}, gpu_9_0());
  for (const char* name : {kNarrowerLoads, kLocalAccesses}) {
    EXPECT_EQ(metric(verdict, name).verdict, Verdict::regressed) << name;
    EXPECT_EQ(metric(verdict, name).reason.find("the clock judged no code for sm_80; copy<4>"), 0U)
        << metric(verdict, name).reason;
  }
  EXPECT_EQ(metric(verdict, kLostArchitectures).verdict, Verdict::regressed);
  EXPECT_EQ(metric(verdict, kLostArchitectures).reason,
            "the clock judged no code for sm_100; copy<4> is no longer compiled for sm_100, "
            "no line known");
  const GateVerdict judged =
      judge({before}, {benchmark({code(wide, "sm_80"), code(worse), code(wide, "sm_100")}, kTimes)},
            gpu_9_0());
  EXPECT_EQ(metric(judged, kLocalAccesses).reason, "the clock judges what it costs");
}

TEST(CodeChanges, WhatABaselineDidNotKnowAlarmsNobody) {
  results::KernelCode old = code({});
  old.accesses.reset();
  Measured before = benchmark({old});
  before.launches.clear();
  const GateVerdict verdict =
      judge({before}, {benchmark({code({{"load local 32", 4}, {"load global 32", 4}})}, {}, 768)},
            emulated());
  for (const char* name : {kNarrowerLoads, kLocalAccesses, kResidentWarps}) {
    EXPECT_EQ(found(verdict, name), nullptr) << name;
  }
}

// Nor does it make the same code another.
TEST(CodeChanges, TheSameInstructionsAreTheSameWhetherTheirAccessesAreKnownOrNot) {
  results::KernelCode old = code({{"load local 32", 4}});
  results::KernelCode now = old;
  old.accesses.reset();
  EXPECT_EQ(old, now);
}

TEST(CodeChanges, AnotherCompilersCodeIsNotHeldAgainstIt) {
  results::KernelCode other = code({{"load local 32", 4}});
  other.compiler = "ptxas 12.4.1";
  const GateVerdict verdict = judge({benchmark({code({})})}, {benchmark({other})}, emulated());
  EXPECT_EQ(found(verdict, kLocalAccesses), nullptr);
}

TEST(CodeChanges, KernelsOfOtherNamesAreComparedTogether) {
  results::KernelCode renamed = code({{"load global 32", 4}});
  renamed.name = "copy_by_four(float*)";
  const GateVerdict verdict =
      judge({benchmark({code({{"load global 128", 1}})})}, {benchmark({renamed})}, emulated());
  EXPECT_EQ(metric(verdict, kNarrowerLoads).verdict, Verdict::regressed);
  EXPECT_NE(metric(verdict, kNarrowerLoads).reason.find("copy_by_four for sm_90"),
            std::string::npos);
}

TEST(CodeChanges, NameTheLinesThatAreNew) {
  const auto at = [](const std::string& kind, int line, const std::string& text) {
    return results::CodePlace{kind, "kernels/copy.cuh", line, text};
  };
  results::KernelCode before = code({{"load global 128", 1}, {"load global 32", 1}});
  before.places = {at("load global 128", 31, "float4 v = in[i];"),
                   at("load global 32", 20, "tail = in[n];")};
  results::KernelCode after = code({{"load global 32", 5}});
  after.places = {at("load global 32", 21, "tail = in[n];"),
                  at("load global 32", 32, "v.x = in[i];")};
  const auto reason = [&] {
    return metric(judge({benchmark({before})}, {benchmark({after})}, emulated()), kNarrowerLoads)
        .reason;
  };
  EXPECT_NE(reason().find(" at kernels/copy.cuh:32: v.x = in[i];"), std::string::npos) << reason();
  before.places.clear();
  EXPECT_NE(reason().find(" at kernels/copy.cuh:21, kernels/copy.cuh:32"), std::string::npos)
      << reason();
}

TEST(CodeChanges, SpillsNameTheirKernelAndLinesAndNoClockExcusesThem) {
  const std::vector<double> times = {12'000, 12'001, 11'999, 12'002, 11'998};
  Measured before = benchmark({code({})}, times);
  Measured after = benchmark({code({{"store local 32", 4}})}, times);
  before.counters["spill_store_bytes"] = 0;
  after.counters["spill_store_bytes"] = 16;
  after.machine_code.front().spill_store_bytes = 16;
  after.machine_code.front().places = {{"store local 32", "kernels/copy.cuh", 9, "x[j] = y;"}};
  const MetricVerdict spills = metric(judge({before}, {after}), "spill_store_bytes");
  EXPECT_EQ(spills.verdict, Verdict::regressed);
  EXPECT_NE(spills.reason.find("copy<4> for sm_90: spill_store_bytes 0 → 16 at "
                               "kernels/copy.cuh:9: x[j] = y;"),
            std::string::npos)
      << spills.reason;
}

// Registers alone may cost nothing.
TEST(CodeChanges, OfWhatIsWorseTheGravestComesFirst) {
  Measured before = benchmark({code({{"load global 128", 4}})}, {}, 256);
  Measured after = benchmark({code({{"load global 32", 4}, {"load local 32", 1}})}, {}, 768);
  before.counters = {{"registers", 32}, {"stack_bytes", 0}};
  after.counters = {{"registers", 40}, {"stack_bytes", 16}};
  const auto worse = [&] {
    std::vector<std::string> names;
    const GateVerdict verdict = judge({before}, {after});
    for (const MetricVerdict& each : verdict.benchmarks.front().metrics) {
      if (each.verdict == Verdict::regressed) names.push_back(each.metric);
    }
    return names;
  };
  EXPECT_EQ(worse(), (std::vector<std::string>{"stack_bytes", kLocalAccesses, kResidentWarps,
                                               kNarrowerLoads, "registers"}));
  before.counters["spill_load_bytes"] = 0;
  after.counters["spill_load_bytes"] = 4;
  EXPECT_EQ(worse().front(), "spill_load_bytes");
}

GateVerdict by(const std::string& policy, const Measured& before, const Measured& after) {
  GateVerdict verdict =
      compare(results_of(emulated(), {before}), results_of(emulated(), {after}, kLater),
              parse_policy(policy, "policy.toml"));
  return verdict;
}

TEST(CodeChanges, ATeamCanSwitchThemOff) {
  const Measured before = benchmark({code({})});
  const Measured after = benchmark({code({{"load local 32", 1}})});
  const std::string rules =
      "[[metric]]\nnames = [\"barriers\", \"local_accesses\"]\nclass = \"exact\"\n"
      "optional = true\n";
  EXPECT_EQ(metric(by(rules, before, after), kLocalAccesses).verdict, Verdict::regressed);
  const std::string off =
      "[[override]]\nbenchmarks = \"*\"\nmetrics = [\"local_accesses\"]\ngate = false\n"
      "reason = \"an array that is indexed at run time\"\n";
  const GateVerdict shown = by(rules + off, before, after);
  EXPECT_EQ(metric(shown, kLocalAccesses).metric_class, MetricClass::shown);
  EXPECT_EQ(metric(shown, kLocalAccesses).verdict, Verdict::same);
}

Measured within_bounds(std::uint32_t registers, std::uint64_t most_threads) {
  results::KernelCode bounded = code({});
  bounded.registers = static_cast<int>(registers);
  bounded.most_threads = most_threads;
  Measured measured = benchmark({bounded});
  measured.counters = {{"registers", static_cast<double>(registers)}};
  measured.launches.clear();
  return measured;
}

TEST(CodeChanges, WithoutAnyLaunchTheLaunchBoundsSayHowManyWarpsAreResident) {
  const GateVerdict step = judge({within_bounds(32, 256)}, {within_bounds(40, 256)}, emulated());
  EXPECT_EQ(metric(step, kResidentWarps).verdict, Verdict::regressed);
  EXPECT_NE(metric(step, kResidentWarps)
                .reason.find("resident warps 64 → 48 of 64, limited by registers, for the blocks "
                             "of its launch bounds"),
            std::string::npos)
      << metric(step, kResidentWarps).reason;
  EXPECT_EQ(metric(step, "registers").verdict, Verdict::regressed);
  const GateVerdict same = judge({within_bounds(24, 256)}, {within_bounds(32, 256)}, emulated());
  EXPECT_EQ(metric(same, "registers").verdict, Verdict::not_worse);
  EXPECT_EQ(found(same, kResidentWarps), nullptr);
}

// Results before there were `barriers` do not know them: a block that uses several is no step.
TEST(CodeChanges, BarriersCountWhereBothSidesKnowThem) {
  const auto with = [](std::optional<std::uint64_t> barriers) {
    results::KernelCode several = code({});
    several.barriers = barriers;
    return benchmark({several});
  };
  const GateVerdict step = judge({with(1)}, {with(16)}, emulated());
  EXPECT_NE(metric(step, kResidentWarps).reason.find("64 → 32 of 64, limited by barriers"),
            std::string::npos)
      << metric(step, kResidentWarps).reason;
  EXPECT_EQ(found(judge({with(std::nullopt)}, {with(16)}, emulated()), kResidentWarps), nullptr);
  EXPECT_EQ(found(judge({with(16)}, {with(std::nullopt)}, emulated()), kResidentWarps), nullptr);
}

// The largest block that is allowed is not held against the one that was launched.
TEST(CodeChanges, LaunchBoundsAreNotHeldAgainstLaunches) {
  Measured launched = within_bounds(32, 768);
  results::add_launch({.kernel = kKernel, .grid = {64, 1, 1}, .block = {256, 1, 1}},
                      launched.launches);
  EXPECT_EQ(found(judge({launched}, {within_bounds(32, 768)}, emulated()), kResidentWarps),
            nullptr);
  EXPECT_EQ(
      found(judge({within_bounds(32, 0)}, {within_bounds(40, 0)}, emulated()), kResidentWarps),
      nullptr);
}

TEST(CodeChanges, ALimitOfWarpsSaysWhatTellsThemOfMachineCode) {
  results::Device device = emulated();
  device.kind = results::DeviceKind::machine_code;
  const auto side = [&](std::uint64_t most_threads, const char* created) {
    return results_of(device, {within_bounds(40, most_threads)}, created);
  };
  const auto judged_by = [&](std::uint64_t most_threads) {
    return compare(
        side(most_threads, "2026-11-21T04:00:00Z"), side(most_threads, kLater),
        parse_policy("[[limit]]\nmetric = \"resident_warps\"\nleast = 56\n", "policy.toml"));
  };
  const GateVerdict unknown = judged_by(0);
  EXPECT_EQ(metric(unknown, kResidentWarps).verdict, Verdict::not_measured);
  EXPECT_NE(metric(unknown, kResidentWarps).reason.find("(--launches RESULTS)"), std::string::npos)
      << metric(unknown, kResidentWarps).reason;
  EXPECT_EQ(metric(judged_by(256), kResidentWarps).verdict, Verdict::regressed);
}

TEST(CodeChanges, ALimitHoldsWhateverThereWasBefore) {
  const Measured with = benchmark({code({{"load local 32", 2}})}, {}, 768);
  const std::string rules =
      "[[metric]]\nnames = [\"barriers\", \"local_accesses\", \"resident_warps\"]\n"
      "class = \"exact\"\noptional = true\n"
      "[[limit]]\nmetric = \"local_accesses\"\nmost = 0\n"
      "[[limit]]\nmetric = \"resident_warps\"\nleast = 56\n";
  const GateVerdict verdict = by(rules, with, with);
  EXPECT_EQ(metric(verdict, kLocalAccesses).verdict, Verdict::regressed);
  EXPECT_EQ(metric(verdict, kResidentWarps).verdict, Verdict::regressed);
  EXPECT_EQ(metric(verdict, kResidentWarps).after, 48);
}

}  // namespace
}  // namespace warpgauge::ci
