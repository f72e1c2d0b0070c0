// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/same_code_timing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::KernelLaunch;
using results::Results;

constexpr int kBenchmarks = 20;

std::string id_of(int i) { return fmt::format("family/kernel_{}/1024", i); }

// Every fourth longer than the one before, from 2 µs.
double time_of(int i) { return 2000.0 * (1 + i / 4) + 10 * i; }

const Policy& same_code_policy() {
  static const Policy known = parse_policy(R"(
    controls = ["family/kernel_1/*"]
    [[metric]]
    names = ["time"]
    class = "statistical"
    relative_floor = 0.007
    [[metric]]
    names = ["shared_load_wavefronts"]
    class = "exact"
  )",
                                           "policy");
  return known;
}

Results suite() {
  std::vector<Measured> benchmarks;
  for (int i = 0; i < kBenchmarks; ++i) {
    Measured& each = benchmarks.emplace_back();
    each.id = id_of(i);
    each.times_ns = {time_of(i), time_of(i) * 1.001, time_of(i) * 0.999};
    each.counters = {{"shared_load_wavefronts", 100.0 + i}};
    each.machine_code = {kernel_code("kernel", 'a')};
    each.launches = {KernelLaunch{.kernel = "kernel", .arguments = std::string(16, '1')}};
  }
  Results results = results_of(h200(), benchmarks);
  for (BenchmarkResult& each : results.benchmarks) each.input_digest = std::string(16, 'd');
  return results;
}

Results baseline() {
  Results results = suite();
  results.is_baseline = true;
  return results;
}

// As a gate leaves what it does not time. machine: by how much all takes longer there.
Results not_timed(double machine = 1) {
  Results results = suite();
  for (int i = 0; i < kBenchmarks; ++i) {
    BenchmarkResult& each = results.benchmarks[static_cast<std::size_t>(i)];
    each.metrics.erase(results::kTimeMetric);
    each.sentinel_ns = time_of(i) * machine * (i % 2 == 0 ? 1.01 : 0.99);
    each.not_timed = "same code";
  }
  return results;
}

BenchmarkResult& at(Results& results, int i) {
  return results.benchmarks.at(static_cast<std::size_t>(i));
}

double first_time(const BenchmarkResult& benchmark) {
  return benchmark.metrics.at(results::kTimeMetric).sessions.front().front();
}

void slow_down(BenchmarkResult& benchmark, double factor) {
  for (double& figure : benchmark.metrics.at(results::kTimeMetric).sessions.front()) {
    figure *= factor;
  }
}

SameCode evidence(const Results& before, const Results& after) {
  return same_code(before, after, same_code_policy(),
                   code_identities(before, after, same_code_policy()));
}

// It decides nothing there, but what was measured beside it is no baseline.
TEST(SameCode, SaysWhoElseWasOnTheGpu) {
  Results after = not_timed();
  at(after, 3).other_processes = {"python3 (process 461)"};
  at(after, 4).other_processes = {"python3 (process 461)", "train (process 462)"};
  const GateVerdict verdict = compare(baseline(), after, same_code_policy());
  EXPECT_EQ(verdict.exit_status, 0);
  EXPECT_EQ(verdict.count(Verdict::same), static_cast<std::size_t>(kBenchmarks));
  EXPECT_NE(std::find_if(verdict.notes.begin(), verdict.notes.end(),
                         [](const std::string& note) {
                           return note.starts_with(
                               "python3 (process 461), train (process 462) computed on the GPU "
                               "while 2 benchmarks were measured");
                         }),
            verdict.notes.end())
      << testing::PrintToString(verdict.notes);
}

TEST(SameCode, IsTheSameWithoutBeingTimed) {
  const GateVerdict verdict = compare(baseline(), not_timed(), same_code_policy());
  EXPECT_EQ(verdict.exit_status, 0);
  EXPECT_EQ(verdict.count(Verdict::same), static_cast<std::size_t>(kBenchmarks));
  EXPECT_NE(verdict.notes.end(),
            std::find_if(verdict.notes.begin(), verdict.notes.end(), [](const std::string& note) {
              return note.find("20 benchmarks were not timed") != note.npos;
            }));
}

TEST(SameCode, PassesOnAMachineThatIsSlowerAsAWhole) {
  EXPECT_EQ(compare(baseline(), not_timed(1.04), same_code_policy()).exit_status, 0);
  // By more, it is no machine to rest a verdict on: everything is timed.
  const Results before = baseline();
  EXPECT_EQ(timing_plan(&before, not_timed(1.12), same_code_policy(), {}).to_time.size(),
            static_cast<std::size_t>(kBenchmarks));
}

TEST(SameCode, WhoseSentinelIsTooFarOffIsNoEvidence) {
  Results after = not_timed();
  *at(after, 7).sentinel_ns *= 1.08;
  const SameCode code = evidence(baseline(), after);
  EXPECT_EQ(code.apart, std::set{id_of(7)});
  EXPECT_FALSE(code.same.contains(id_of(7)));
  EXPECT_EQ(code.same.size(), static_cast<std::size_t>(kBenchmarks - 1));
  // Left untimed all the same, as for another baseline, it is not measured.
  const GateVerdict verdict = compare(baseline(), after, same_code_policy());
  EXPECT_EQ(verdict.exit_status, 4);
  EXPECT_EQ(verdict_on(verdict, id_of(7)).verdict, Verdict::not_measured);
}

TEST(SameCode, MayBeTwiceAsFarOffOnAGpuThatTheBaselineHasNoTimesOf) {
  Results after = not_timed();
  after.session->device.uuid = "GPU-another";
  *at(after, 7).sentinel_ns *= 1.09;  // and 1 % below, as the sentinels of all odd ones
  *at(after, 9).sentinel_ns *= 1.14;
  Results before = baseline();
  for (BenchmarkResult& each : before.benchmarks) {
    each.metrics.at(results::kTimeMetric).labels = {"2026-11-20T10:00:00Z GPU-test"};
  }
  EXPECT_EQ(evidence(before, after).apart, std::set{id_of(9)});
  for (const char* behind : {"", " (2)", " (carried 2026-11-21)"}) {
    at(before, 7).metrics.at(results::kTimeMetric).labels = {
        std::string("2026-11-20T10:00:00Z GPU-another") + behind};
    EXPECT_EQ(evidence(before, after).apart, (std::set{id_of(7), id_of(9)})) << behind;
  }
}

TEST(SameCode, TimedInFullOnAnotherGpuMayBeNoFurtherOff) {
  Results before = baseline();
  for (BenchmarkResult& each : before.benchmarks) {
    each.metrics.at(results::kTimeMetric).labels = {"2026-11-20T10:00:00Z GPU-test"};
  }
  Results after = suite();
  after.session->device.uuid = "GPU-another";
  slow_down(at(after, 7), 1.08);
  EXPECT_EQ(evidence(before, after).apart, std::set{id_of(7)});
}

constexpr const char* kExactCounters =
    "[[metric]]\nnames = [\"shared_load_wavefronts\"]\nclass = \"exact\"\n";

TEST(SameCode, AFloorOfAnotherDeviceAllowsNothing) {
  const auto apart = [](const char* device) {
    const Policy floors =
        parse_policy(fmt::format("[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
                                 "relative_floor = 0.007\n{}[[floor]]\nclock = \"gpu\"\n"
                                 "relative_floor = 0.15\ndevices = [\"{}\"]\n",
                                 kExactCounters, device),
                     "policy");
    Results after = not_timed();
    *at(after, 7).sentinel_ns *= 1.12;
    return same_code(baseline(), after, floors, code_identities(baseline(), after, floors)).apart;
  };
  EXPECT_TRUE(apart("nvidia-h200").empty());
  EXPECT_EQ(apart("nvidia-a100"), std::set{id_of(7)});
}

TEST(SameCode, TreatedAsChangedTheMachineExcusesNothing) {
  Results after = suite();
  for (int i = 0; i < 3; ++i) slow_down(at(after, i), 1.08);
  const auto regressed = [&](bool treat_as_changed) {
    return compare(baseline(), after, same_code_policy(), {.treat_as_changed = treat_as_changed})
        .count(Verdict::regressed);
  };
  EXPECT_EQ(regressed(false), 0U) << "up to 10 %, it may be the machine";
  EXPECT_GE(regressed(true), 1U);
}

TEST(SameCode, ChangedCodeWhoseSpanAloneIsGatedIsTimed) {
  const Policy span = parse_policy(std::string(kExactCounters) +
                                       "[[metric]]\nnames = [\"time\", \"span\"]\nclass = "
                                       "\"statistical\"\nrelative_floor = 0.007\n"
                                       "[[override]]\nbenchmarks = \"*\"\nmetrics = "
                                       "[\"time\"]\ngate = false\nreason = \"span\"\n",
                                   "policy");
  Results after = not_timed();
  at(after, 7).machine_code = {kernel_code("kernel", 'b')};
  const Results before = baseline();
  EXPECT_EQ(timing_plan(&before, after, span, {}).to_time, std::set{id_of(7)});
}

TEST(SameCode, TimedInFullAndTooFarOffIsARegressionThatSaysWhereToLook) {
  Results after = suite();
  slow_down(at(after, 7), 1.5);
  const GateVerdict verdict = compare(baseline(), after, same_code_policy());
  EXPECT_EQ(verdict.exit_status, 1);
  const BenchmarkVerdict& slower = verdict_on(verdict, id_of(7));
  EXPECT_EQ(slower.verdict, Verdict::regressed);
  EXPECT_NE(slower.metrics.front().reason.find("look at data, memory and environment"),
            std::string::npos);
}

TEST(SameCode, TimedAsAControlStaysTheSameAndIsJudgedWhereItIsTreatedAsChanged) {
  Results after = suite();
  for (BenchmarkResult& each : after.benchmarks) each.sentinel_ns = 1.01 * first_time(each);
  slow_down(at(after, 7), 1.03);
  EXPECT_EQ(compare(baseline(), after, same_code_policy()).exit_status, 0);
  EXPECT_NE(compare(baseline(), after, same_code_policy(), {.treat_as_changed = true}).exit_status,
            0);
}

TEST(SameCode, TimedInFullWithoutAShortLookAShownSlowdownIsNotTheSame) {
  Results after = suite();
  slow_down(at(after, 7), 1.03);
  EXPECT_NE(compare(baseline(), after, same_code_policy()).exit_status, 0);
}

TEST(SameCode, InterleavedTheClockAloneDecides) {
  Results after = suite();
  slow_down(at(after, 7), 1.04);
  EXPECT_EQ(
      compare(suite(), after, same_code_policy(), {.design = Design::interleaved}).exit_status, 1);
}

TEST(SameCode, UnknownIsNeverTheSame) {
  using Change = void (*)(BenchmarkResult&);
  const std::pair<const char*, Change> changes[] = {
      {"machine code", [](BenchmarkResult& each) { each.machine_code.clear(); }},
      {"other machine code",
       [](BenchmarkResult& each) { each.machine_code = {kernel_code("kernel", 'b')}; }},
      {"launches", [](BenchmarkResult& each) { each.launches.clear(); }},
      {"launched differently", [](BenchmarkResult& each) { each.launches[0].grid[0] = 7; }},
      {"arguments", [](BenchmarkResult& each) { each.launches[0].arguments.clear(); }},
      {"launched differently",
       [](BenchmarkResult& each) { each.launches[0].arguments = std::string(16, '2'); }},
      {"input", [](BenchmarkResult& each) { each.input_digest.clear(); }},
      {"other input", [](BenchmarkResult& each) { each.input_digest = std::string(16, 'e'); }},
      {"counter", [](BenchmarkResult& each) { each.metrics.erase("shared_load_wavefronts"); }},
      {"other counters",
       [](BenchmarkResult& each) { each.metrics.at("shared_load_wavefronts").sessions = {{99}}; }}};
  for (const auto& [what, change] : changes) {
    Results after = not_timed();
    change(at(after, 3));
    const CodeIdentity identity =
        code_identities(baseline(), after, same_code_policy()).at(id_of(3));
    EXPECT_NE(identity.not_same_because().find(what), std::string::npos)
        << what << ": " << identity.not_same_because();
    const Results before = baseline();
    EXPECT_EQ(timing_plan(&before, after, same_code_policy(), {}).to_time, std::set{id_of(3)})
        << what;
  }
}

TEST(SameCode, ACounterThatRepeatsThoughNoPolicyGatesItTellsCodeApart) {
  Results before = baseline();
  at(before, 3).ranges["branches"] = {.sessions = 3, .least = 50, .greatest = 50};
  at(before, 4).ranges["dram_bytes"] = {.sessions = 3, .least = 50, .greatest = 60};
  Results after = not_timed();
  EXPECT_EQ(timing_plan(&before, after, same_code_policy(), {}).to_time, std::set{id_of(3)});
  at(after, 3).metrics["branches"].sessions = {{50}};
  EXPECT_TRUE(timing_plan(&before, after, same_code_policy(), {}).to_time.empty());
  at(after, 3).metrics["branches"].sessions = {{51}};
  EXPECT_EQ(timing_plan(&before, after, same_code_policy(), {}).to_time, std::set{id_of(3)});
}

// On an H200 256 bytes were read once, after 0 in five sessions.
TEST(SameCode, NothingReadFromTheMemoryInEverySessionIsNoCounterThatRepeats) {
  Results before = baseline();
  at(before, 3).ranges["dram_read_bytes"] = {.sessions = 5, .least = 0, .greatest = 0};
  Results after = not_timed();
  at(after, 3).metrics["dram_read_bytes"].sessions = {{256}};
  EXPECT_TRUE(timing_plan(&before, after, same_code_policy(), {}).to_time.empty());
}

TEST(SameCode, WithoutPermissionToCountRestsOnTheRest) {
  Results before = baseline();
  Results after = not_timed();
  for (Results* side : {&before, &after}) {
    for (BenchmarkResult& each : side->benchmarks) {
      each.metrics.erase("shared_load_wavefronts");
      each.not_measured["counters"] = "no permission";
    }
  }
  EXPECT_TRUE(timing_plan(&before, after, same_code_policy(), {}).to_time.empty());
}

TEST(SameCode, SavesNoClockInAnotherEnvironment) {
  Results after = not_timed();
  after.session->device.driver = "590.1";
  EXPECT_TRUE(evidence(baseline(), after).same.empty());
  const Results before = baseline();
  EXPECT_EQ(timing_plan(&before, after, same_code_policy(), {}).to_time.size(),
            static_cast<std::size_t>(kBenchmarks));
}

TEST(SameCode, ControlsOfAllDurationsAreTimedBesideWhatChanged) {
  const Results before = baseline();
  Results after = not_timed();
  EXPECT_TRUE(timing_plan(&before, after, same_code_policy(), {}).controls.empty());
  at(after, 5).machine_code = {kernel_code("kernel", 'b')};
  const TimingPlan plan = timing_plan(&before, after, same_code_policy(), {});
  EXPECT_EQ(plan.to_time, std::set{id_of(5)});
  EXPECT_GE(plan.controls.size(), 10U);
  EXPECT_LT(plan.controls.size(), static_cast<std::size_t>(kBenchmarks - 1));
  EXPECT_TRUE(plan.controls.contains(id_of(1)));  // the policy's
  EXPECT_FALSE(plan.controls.contains(id_of(5)));
  EXPECT_TRUE(plan.controls.contains(id_of(0)) || plan.controls.contains(id_of(2)));
  EXPECT_TRUE(plan.controls.contains(id_of(18)) || plan.controls.contains(id_of(19)));
}

// Which few kernels a kind of GPU is slower at, controls of all durations may not show.
TEST(SameCode, OnAnotherGpuWhatIsSlowestAtTheShortLookIsAControlToo) {
  Results before = baseline();
  for (BenchmarkResult& each : before.benchmarks) {
    each.metrics.at(results::kTimeMetric).labels = {"2026-11-20T10:00:00Z GPU-test"};
  }
  Results after = not_timed();
  at(after, 5).machine_code = {kernel_code("kernel", 'b')};
  const TimingPlan here = timing_plan(&before, after, same_code_policy(), {});
  std::vector<int> left_out;
  for (int i = 8; i < kBenchmarks && left_out.size() < 2; ++i) {
    if (!here.controls.contains(id_of(i))) left_out.push_back(i);
  }
  ASSERT_EQ(left_out.size(), 2U);
  for (const int i : left_out) at(after, i).sentinel_ns = time_of(i) * 1.04;
  const TimingPlan same_gpu = timing_plan(&before, after, same_code_policy(), {});
  EXPECT_EQ(same_gpu.controls.size(), here.controls.size());

  after.session->device.uuid = "GPU-another";
  const TimingPlan another = timing_plan(&before, after, same_code_policy(), {});
  EXPECT_GT(another.controls.size(), same_gpu.controls.size());
  EXPECT_LE(another.controls.size(), same_gpu.controls.size() + 4);
  for (const int i : left_out) EXPECT_TRUE(another.controls.contains(id_of(i))) << i;
  EXPECT_EQ(another.to_time, std::set{id_of(5)});
}

TEST(SameCode, TreatedAsChangedOrWithoutABaselineEverythingIsTimed) {
  const Results before = baseline();
  const Results after = not_timed();
  const auto all = static_cast<std::size_t>(kBenchmarks);
  EXPECT_EQ(
      timing_plan(&before, after, same_code_policy(), {.treat_as_changed = true}).to_time.size(),
      all);
  EXPECT_EQ(timing_plan(nullptr, after, same_code_policy(), {}).to_time.size(), all);
}

// A change that approves its own code makes its baseline say what it likes.
TEST(SameCode, WhatTheMergeBaseDoesNotSayIsNotTheSame) {
  const Results before = baseline();
  Results merge_base = baseline();
  at(merge_base, 3).machine_code = {kernel_code("kernel", 'b')};
  at(merge_base, 5).input_digest.clear();
  std::erase_if(merge_base.benchmarks, [](const auto& each) { return each.id == id_of(7); });
  const ComparisonTerms terms{.merge_base = merge_base};
  const TimingPlan plan = timing_plan(&before, not_timed(), same_code_policy(), terms);
  EXPECT_EQ(plan.to_time, (std::set{id_of(3), id_of(5), id_of(7)}));
  const CodeIdentities identities = code_identities(before, not_timed(), same_code_policy(), terms);
  EXPECT_EQ(identities.at(id_of(3)).not_same_because(), "other machine code since the merge base");
  EXPECT_EQ(identities.at(id_of(7)).not_same_because(), "the merge base has no baseline of it");
  EXPECT_FALSE(identities.at(id_of(3)).same_instructions_and_counters()) << "it is no control";
  EXPECT_TRUE(identities.at(id_of(4)).same());
}

// … and neither what its own baseline does not say.
TEST(SameCode, TheMergeBaseAloneDoesNotMakeItTheSame) {
  Results before = baseline();
  at(before, 3).machine_code = {kernel_code("kernel", 'b')};
  const TimingPlan plan =
      timing_plan(&before, not_timed(), same_code_policy(), {.merge_base = baseline()});
  EXPECT_EQ(plan.to_time, std::set{id_of(3)});
}

TEST(SameCode, WhatWasNotTimedForLongHasNoVerdict) {
  Results before = baseline();
  for (BenchmarkResult& each : before.benchmarks) each.timed = "2026-11-20T00:00:00Z";
  at(before, 5).timed = "2026-11-01T00:00:00Z";
  Results after = not_timed();
  after.session->created = "2026-11-21T12:00:00Z";
  Policy strict = same_code_policy();
  const auto verdict = [&](int max_age) {
    strict.max_age = max_age;
    return compare(before, after, strict);
  };
  EXPECT_EQ(verdict(20).exit_status, 0);
  const std::vector<std::string> notes = verdict(20).notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("the last time was on 2026-11-01, 20 days ago") != std::string::npos;
  }));
  const GateVerdict late = verdict(19);
  EXPECT_EQ(late.exit_status, 3);
  ASSERT_EQ(late.shortfalls.size(), 1U);
  EXPECT_NE(late.shortfalls.front().what.find("measure with --all"), std::string::npos);
  // A date that nobody can have written does not make it young.
  for (BenchmarkResult& each : before.benchmarks) each.timed = "2099-01-01T00:00:00Z";
  EXPECT_EQ(verdict(19).exit_status, 3);
  ASSERT_EQ(verdict(19).shortfalls.size(), 1U);
  EXPECT_NE(verdict(19).shortfalls.front().what.find("2099-01-01T00:00:00Z, which is yet to come"),
            std::string::npos);
  for (BenchmarkResult& each : before.benchmarks) each.timed = "2026-11-20T00:00:00Z";
  at(before, 5).timed = "2026-11-01T00:00:00Z";
  // What was timed now says nothing of age.
  at(after, 5).not_timed.clear();
  at(after, 5).metrics = at(before, 5).metrics;
  EXPECT_EQ(verdict(19).exit_status, 0);
}

}  // namespace
}  // namespace warpgauge::ci
