// SPDX-License-Identifier: Apache-2.0
// Machine code and launches that a baseline keeps.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/verdict/identity/same_code_timing.hpp"
#include "tests/baselines/baseline_folder.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

// Of a machine with nvcc.
Measured compiled(char hash_digit = 'a', double wavefronts = 8) {
  Measured benchmark = padded({}, wavefronts);
  benchmark.counters["registers"] = 32;
  benchmark.counters["code_bytes"] = 2048;
  benchmark.machine_code = {kernel_code("transpose_tiled<1>", hash_digit)};
  return benchmark;
}

TEST_F(BaselineFolder, KeepsMachineCodeAndWhatItTakes) {
  (void)approve({results_of(emulated(), {compiled()})});
  const auto baseline = read_baseline(folder_, "emulated");
  ASSERT_TRUE(baseline.has_value());
  EXPECT_TRUE(baseline->is_baseline);
  EXPECT_EQ(baseline->benchmarks.at(0).machine_code, compiled().machine_code);
  EXPECT_TRUE(baseline->benchmarks[0].metrics.contains("registers"));
  EXPECT_FALSE(baseline->benchmarks[0].metrics.contains("code_bytes"));  // shown
}

TEST_F(BaselineFolder, KeepsLaunchesWhichOneSessionAfterTheOtherMustShare) {
  Measured launched = padded();
  launched.launches = {{.kernel = "transpose_tiled<1>",
                        .grid = {4, 4, 1},
                        .block = {32, 8, 1},
                        .dynamic_shared_bytes = 1024,
                        .count = 2}};
  (void)approve({results_of(emulated(), {launched})});
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).launches, launched.launches);
  // What does not tell, and confirms the rest, leaves them alone.
  EXPECT_TRUE(approve({results_of(emulated(), {padded()})}).written.empty());

  Measured other = launched;
  other.launches[0].block = {16, 16, 1};
  EXPECT_EQ(error_of({results_of(emulated(), {launched}, "2026-11-21T01:00:00Z"),
                      results_of(emulated(), {other}, "2026-11-21T02:00:00Z")}),
            "results.json: transpose/padded/8x8 is launched differently than in an earlier session "
            "(transpose_tiled<1>: block 32×8 → 16×16); approve sessions of one build");
  const Approval approval = approve({results_of(emulated(), {other})});
  EXPECT_EQ(approval.changed.size(), 1U);
  EXPECT_EQ(approval.relaunched,
            (std::vector<std::string>{padded().id + ": transpose_tiled<1>: block 32×8 → 16×16"}));
  EXPECT_NE(approval_text(approval).find("launched differently"), std::string::npos);
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).launches, other.launches);

  // Those of kernels that count otherwise now are not theirs.
  (void)approve({results_of(emulated(), {padded({}, 16)})});
  EXPECT_TRUE(read_baseline(folder_, "emulated")->benchmarks.at(0).launches.empty());
}

TEST_F(BaselineFolder, DamagedLaunchesAreRefused) {
  Measured launched = padded();
  launched.launches = {{.kernel = "transpose_tiled<1>"}};
  (void)approve({results_of(emulated(), {launched})});
  EXPECT_NE(error_of_damaged("\"grid\":[1,1,1]", "\"grid\":[1,1,0]")
                .find("launches[0].grid: must be three whole numbers"),
            std::string::npos);
}

TEST_F(BaselineFolder, OfAMachineWithNvccIsLeftAloneByOneWithoutThatConfirmsIt) {
  (void)approve({results_of(emulated(), {compiled()})});
  const auto before = all_files();
  EXPECT_TRUE(approve({results_of(emulated(), {padded()})}).written.empty());
  EXPECT_EQ(all_files(), before);
  // What is of other kernels now is not kept, and that is said.
  const Approval other = approve({results_of(emulated(), {padded({}, 16)})});
  EXPECT_EQ(other.changed.size(), 1U);
  ASSERT_EQ(other.moved.size(), 2U);
  EXPECT_EQ(other.moved[1].metric, "registers");
  EXPECT_EQ(other.moved[1].before, 32);
  EXPECT_FALSE(other.moved[1].after.has_value());
  const auto baseline = read_baseline(folder_, "emulated");
  EXPECT_TRUE(baseline->benchmarks.at(0).machine_code.empty());
  EXPECT_FALSE(baseline->benchmarks[0].metrics.contains("registers"));
}

TEST_F(BaselineFolder, OtherMachineCodeIsAChangeAndNoFurtherSession) {
  (void)approve({results_of(emulated(), {compiled('a')})});
  EXPECT_EQ(approve({results_of(emulated(), {compiled('b')})}).changed.size(), 1U);
  EXPECT_EQ(error_of({results_of(emulated(), {compiled('a')}, "2026-11-21T01:00:00Z"),
                      results_of(emulated(), {compiled('b')}, "2026-11-21T02:00:00Z")}),
            "results.json: transpose/padded/8x8: transpose_tiled<1> is other machine code than in "
            "an earlier session; approve sessions of one build");
}

TEST_F(BaselineFolder, SessionsWithAndWithoutMachineCodeGoTogether) {
  (void)approve({results_of(emulated(), {padded()}, "2026-11-21T01:00:00Z"),
                 results_of(emulated(), {compiled()}, "2026-11-21T02:00:00Z")});
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).machine_code.size(), 1U);
}

Results compiled_session(int number, std::vector<double> times, char hash_digit = 'a',
                         double wavefronts = 8, const std::string& driver = "580.1") {
  results::Device device = h200();
  device.driver = driver;
  Measured benchmark = compiled(hash_digit);
  benchmark.counters["shared_load_wavefronts"] = wavefronts;
  benchmark.times_ns = std::move(times);
  return results_of(device, {benchmark}, hour(number));
}

TEST_F(BaselineFolder, WhatIsInconclusiveWithTheSameMachineCodeIsAMachineMore) {
  std::vector<Results> known;
  const auto launched = [](Results results, std::uint64_t dynamic_shared_bytes) {
    results.benchmarks[0].launches = {
        {.kernel = "k()", .dynamic_shared_bytes = dynamic_shared_bytes}};
    return results;
  };
  for (int i = 0; i < 5; ++i) known.push_back(launched(compiled_session(i, steady(1, i)), 64));
  (void)approve(known);

  const std::vector<double> doubtful{9'000, 10'900, 10'000, 11'500, 9'400};
  for (const Results& changed :
       {compiled_session(6, doubtful, 'b'), compiled_session(6, doubtful, 'a', 9),
        compiled_session(6, doubtful, 'a', 8, "590.1"), compiled_session(6, doubtful),
        launched(compiled_session(6, doubtful), 128)}) {
    EXPECT_NE(error_of({changed}).find("inconclusive against"), std::string::npos);
  }
  const Approval approval = approve({launched(compiled_session(6, doubtful), 64)});
  EXPECT_EQ(approval.extended, 1U);
  EXPECT_EQ(approval.of_the_machine, 1U);
  EXPECT_EQ(times(padded().id).size(), 6U);
  EXPECT_NE(approval_text(approval).find("inconclusive among these: 1 metric"), std::string::npos);
}

TEST_F(BaselineFolder, WhatIsFasterWithTheSameMachineCodeIsAMachineMoreToo) {
  const auto session = [](int number, double faster, char hash_digit) {
    std::vector<double> figures = steady(1, number);
    for (double& figure : figures) figure *= faster;
    Results results = compiled_session(number, std::move(figures), hash_digit);
    results.benchmarks[0].launches = {{.kernel = "k()"}};
    return results;
  };
  std::vector<Results> known;
  for (int i = 0; i < 5; ++i) known.push_back(session(i, 1, 'a'));
  (void)approve(known);
  const Approval approval = approve({session(6, 0.97, 'a')});
  EXPECT_EQ(approval.extended, 1U);
  EXPECT_EQ(times(padded().id).size(), 6U);
  EXPECT_EQ(approve({session(7, 0.94, 'b')}).replaced, 1U) << "other code is another time";
}

TEST_F(BaselineFolder, LaunchesOfOldSessionsAreNotThoseOfNewOnes) {
  const auto launched = [](Results results) {
    results.benchmarks[0].launches = {{.kernel = "k()"}};
    return results;
  };
  const auto counted = [](char hash_digit) {
    return results_of(emulated(), {compiled(hash_digit)});
  };
  const auto known = [&](const char* device) {
    return !read_baseline(folder_, device)->benchmarks[0].launches.empty();
  };
  (void)approve({launched(counted('a'))});
  (void)approve({counted('a')});
  EXPECT_TRUE(known("emulated")) << "it confirms the rest";
  (void)approve({counted('b')});
  EXPECT_FALSE(known("emulated")) << "the kernel is another";
  (void)approve({launched(counted('b'))});
  EXPECT_TRUE(known("emulated"));
  (void)approve({launched(counted('c')), counted('c')});
  EXPECT_FALSE(known("emulated")) << "one of them does not tell";

  (void)approve({launched(compiled_session(0, steady(1, 0)))});
  EXPECT_TRUE(known("nvidia-h200"));
  ApprovalRequest start_over = request({compiled_session(1, steady(1, 1), 'a', 8, "590.1")});
  start_over.new_environment = true;
  (void)approve(start_over);
  EXPECT_FALSE(known("nvidia-h200")) << "all sessions are new";
}

TEST_F(BaselineFolder, DamagedMachineCodeIsRefused) {
  (void)approve({results_of(emulated(), {compiled()})});
  EXPECT_NE(error_of_damaged("\"registers\":32", "\"registers\":-1")
                .find("machine_code[0].registers: must be"),
            std::string::npos);
}

ApprovalRequest by_code(Results results) {
  ApprovalRequest by_code = request({std::move(results)});
  by_code.code_only = true;
  return by_code;
}

// All that code is told by, as of one build.
Results of_build(Results results, char hash_digit) {
  for (results::BenchmarkResult& each : results.benchmarks) {
    each.machine_code = {kernel_code("k", hash_digit)};
    each.launches = {{.kernel = "k", .arguments = std::string(16, '1')}};
    each.input_digest = std::string(16, 'd');
    each.metrics["shared_load_requests"].sessions = {{8}};
  }
  return results;
}

TEST_F(BaselineFolder, ByTheCodeAloneTimesStayAsTheyAre) {
  (void)approve({compiled_session(0, steady(1, 0), 'a'), compiled_session(1, steady(1, 1), 'a')});
  const auto before = times(padded().id);
  EXPECT_EQ(approve(by_code(compiled_session(6, steady(1, 2), 'b'))).changed.size(), 1U);
  EXPECT_EQ(times(padded().id), before);
  const auto baseline = read_baseline(folder_, "nvidia-h200");
  EXPECT_EQ(baseline->benchmarks.at(0).machine_code.at(0).sass_hash, std::string(32, 'b'));
  EXPECT_EQ(baseline->benchmarks[0].timed, hour(6)) << "all of it was timed then";
}

TEST_F(BaselineFolder, WhenAllWasTimedIsNotedOnlyIfAllWas) {
  (void)approve({of_build(session(0), 'a'), of_build(session(1), 'a'), of_build(session(2), 'a')});
  EXPECT_EQ(read_baseline(folder_, "nvidia-h200")->benchmarks.at(0).timed, hour(2));
  Results some = of_build(session(6), 'a');
  some.benchmarks.at(1).sentinel_ns = 10'000;
  some.benchmarks.at(1).metrics.erase(results::kTimeMetric);
  some.benchmarks[1].not_timed = "its code is the same";
  (void)approve(by_code(some));
  EXPECT_EQ(read_baseline(folder_, "nvidia-h200")->benchmarks.at(0).timed, hour(2));
  EXPECT_FALSE(approve(by_code(of_build(session(7), 'a'))).written.empty());
  EXPECT_EQ(read_baseline(folder_, "nvidia-h200")->benchmarks.at(0).timed, hour(7));
  EXPECT_TRUE(approve(by_code(of_build(session(7), 'a'))).written.empty());
}

TEST_F(BaselineFolder, ByTheCodeAloneWhatHasNoTimesWasNotTimed) {
  (void)approve({results_of(emulated(), {compiled('a')})});
  EXPECT_FALSE(approve(by_code(results_of(emulated(), {compiled('b')}))).written.empty());
  EXPECT_EQ(load_baseline(folder_, "emulated")->timed, "");
}

TEST_F(BaselineFolder, ByTheCodeAloneWhatGotFasterIsLeftOut) {
  (void)approve(sessions(0, 5));
  Results faster = session(6, 0.8);
  for (results::BenchmarkResult& each : faster.benchmarks) {
    each.machine_code = {kernel_code("k", 'b')};
  }
  const Approval approval = approve(by_code(faster));
  EXPECT_EQ(approval.left_out, std::vector<std::string>{padded().id});
  EXPECT_EQ(approval.changed, std::vector<std::string>{"scan/x/1"});
  EXPECT_NE(approval_text(approval).find("left out"), std::string::npos);
  const auto baseline = read_baseline(folder_, "nvidia-h200");
  EXPECT_TRUE(baseline->find(padded().id)->machine_code.empty()) << "the next gate times it, too";
  EXPECT_FALSE(baseline->find("scan/x/1")->machine_code.empty());
}

TEST_F(BaselineFolder, ByTheCodeAloneNothingWorseIsApproved) {
  (void)approve(sessions(0, 5));
  EXPECT_NE(error_of(by_code(session(6, 1.3))).find("worse: transpose/padded/8x8: time"),
            std::string::npos);
  EXPECT_EQ(status_, 3);
}

TEST_F(BaselineFolder, AfterTwentyHarmlessMergesTheNextGateTimesNothing) {
  // As a gate looks at it first.
  const auto looked_at = [&](char hash_digit) {
    Results results = of_build(session(23), hash_digit);
    for (results::BenchmarkResult& each : results.benchmarks) {
      each.sentinel_ns = each.metrics.at(results::kTimeMetric).sessions[0][0];
      each.metrics.erase(results::kTimeMetric);
    }
    return results;
  };
  const auto to_time = [&](char hash_digit) {
    const auto baseline = read_baseline(folder_, "nvidia-h200");
    return timing_plan(&*baseline, looked_at(hash_digit), built_in_policy(), {}).to_time.size();
  };
  std::vector<Results> first;
  for (int i = 0; i < 5; ++i) first.push_back(of_build(session(i), 'A'));
  (void)approve(first);
  for (int change = 1; change <= 20; ++change) {
    const char hash_digit = static_cast<char>('A' + change);
    EXPECT_EQ(to_time(hash_digit), 2U) << change;
    (void)approve(by_code(of_build(session(change % 5 + 6), hash_digit)));
    EXPECT_EQ(to_time(hash_digit), 0U) << change;
  }
  EXPECT_EQ(times(padded().id).size(), 5U) << "as they were";
}

}  // namespace
}  // namespace warpgauge::ci
