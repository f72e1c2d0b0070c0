// SPDX-License-Identifier: Apache-2.0
// `warpgauge run` with a suite that counts source lines in a pass of its own.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/measure/fake_run.hpp"

namespace warpgauge {
namespace {

using results::BenchmarkResult;
using results::Json;
using results::Results;
using results::Status;

// A suite that counts lines in a pass of its own, as that for GPUs does.
class RunWithLines : public Run {
 protected:
  void SetUp() override {
    Run::SetUp();
    plan_["passes"] = {"time", "counters", "lines"};
    for (const char* id : {"a/one/1", "a/two/1"}) {
      plan_["benchmarks"][id]["lines"] = {
          to_json(source_line(3, results::Access::shared_load, 8, 8, "z = x;"))};
    }
    plan_["benchmarks"]["b/three/1"]["no_lines"] = "it was compiled without lines";
  }
};

TEST_F(RunWithLines, TheyJoinTheFirstProcessAndAreNoRepetition) {
  const Finished finished = start("run", "--processes 2");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(processes().size(), 4U);
  EXPECT_EQ(processes().back(), "lines a/one/1 a/two/1 b/three/1");
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_EQ(json["benchmarks"].size(), 6U);
  const Results results = read();
  const BenchmarkResult& one = find(results, "a/one/1");
  ASSERT_EQ(one.lines.size(), 1U);
  EXPECT_EQ(one.lines[0].wavefronts, 8U);
  EXPECT_FALSE(one.not_measured.contains("source_lines"));
  EXPECT_EQ(one.metrics.at("time").sessions.at(0).size(), 2U);
  EXPECT_EQ(one.metrics.at("shared_load_wavefronts").sessions.at(0).at(0), 8);
  const BenchmarkResult& three = find(results, "b/three/1");
  EXPECT_TRUE(three.lines.empty());
  EXPECT_EQ(three.not_measured.at("source_lines"), "it was compiled without lines");
  EXPECT_EQ(results.session->processes, 2);
}

TEST_F(RunWithLines, WithoutAClockTheyJoinTheCounters) {
  plan_["passes"] = {"counters", "lines"};
  ASSERT_EQ(start("run", "").status, 0);
  const Results results = read();
  const BenchmarkResult& one = find(results, "a/one/1");
  EXPECT_EQ(one.lines.size(), 1U);
  EXPECT_EQ(one.metrics.at("shared_load_wavefronts").sessions.at(0).size(), 1U);
}

// The fake suite holds no machine code in which to look them up.
TEST_F(RunWithLines, InstructionsWithoutMachineCodeSayWhyTheyAreNoLines) {
  plan_["benchmarks"]["a/one/1"].erase("lines");
  plan_["benchmarks"]["a/one/1"]["instructions"] = {
      {{"kernel", "k()"}, {"offset_bytes", 16}, {"requests", 8}, {"wavefronts", 8}}};
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  const Results results = read();
  EXPECT_NE(find(results, "a/one/1").not_measured.at("source_lines").find("holds no machine code"),
            std::string::npos);
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_FALSE(json["benchmarks"][0]["warpgauge"].contains("instructions"));
}

class LinesPassWithFate : public RunWithLines, public testing::WithParamInterface<Fate> {};

TEST_P(LinesPassWithFate, FailsNothingButItsOwnLines) {
  strike("a/two/1", GetParam().name, "lines");
  plan_["benchmarks"]["b/three/1"].erase("no_lines");
  plan_["benchmarks"]["b/three/1"]["lines"] = plan_["benchmarks"]["a/one/1"]["lines"];
  const Finished finished = start("run", "--processes 2 --timeout 5");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const Results results = read();
  const BenchmarkResult& two = find(results, "a/two/1");
  EXPECT_EQ(two.outcome.status, Status::ok);
  EXPECT_EQ(two.metrics.at("time").sessions.at(0).size(), 2U);
  EXPECT_EQ(two.metrics.at("shared_load_wavefronts").sessions.at(0).at(0), 8);
  EXPECT_TRUE(two.lines.empty());
  const std::string& reason = two.not_measured.at("source_lines");
  EXPECT_NE(reason.find(GetParam().message), reason.npos) << reason;
  EXPECT_NE(finished.output.find("a/two/1: source lines are not measured: "), std::string::npos)
      << finished.output;
  for (const char* id : {"a/one/1", "b/three/1"}) {
    EXPECT_EQ(find(results, id).lines.size(), 1U) << id;
  }
  EXPECT_EQ(survivors(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    , LinesPassWithFate,
    testing::Values(Fate{"crash", Status::ok, "died of SIGSEGV in the lines pass"},
                    Fate{"hang", Status::ok, "made no progress for 5 s in the lines pass"},
                    Fate{"error", Status::ok, "an illegal address"},
                    Fate{"wrong_result", Status::ok, "3 of 9 are wrong"},
                    Fate{"leave", Status::ok, "ended with exit status 0"}),
    [](const auto& fate) { return std::string(fate.param.name); });

TEST_F(RunWithLines, WhatFailedBeforeIsNotStartedAgain) {
  strike("a/two/1", "crash", "counters");
  EXPECT_EQ(start("run", "--processes 1").status, 4);
  EXPECT_EQ(processes().back(), "lines a/one/1 b/three/1");
}

TEST_F(RunWithLines, APassThatCannotBeginFailsNothing) {
  plan_["fate"] = "leave";
  plan_["in"] = "lines";
  const Finished finished = start("run", "--processes 1");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const Results results = read();
  for (const BenchmarkResult& each : results.benchmarks) {
    EXPECT_EQ(each.metrics.at("time").sessions.at(0).size(), 1U);
    EXPECT_NE(each.not_measured.at("source_lines").find("before its first benchmark"),
              std::string::npos);
  }
}

// The kernel's line is named on a GPU as it is on the emulator.
TEST_F(RunWithLines, NameTheCauseOfAVerdict) {
  const auto approve_and_gate = [&] {
    return start("gate", "--processes 1 --baselines baselines");
  };
  plan_["passes"] = {"counters", "lines"};
  ASSERT_EQ(start("run", "").status, 0);
  ASSERT_EQ(warpgauge("approve results.json --baselines baselines --reason first").status, 0);
  Json& one = plan_["benchmarks"]["a/one/1"];
  one["counters"]["shared_load_wavefronts"] = 256;
  one["lines"] = {to_json(source_line(3, results::Access::shared_load, 8, 256, "z = x;", "only"))};
  const Finished finished = approve_and_gate();
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("1 → 32 a request at kernels/transpose.cuh:3: z = x;"),
            std::string::npos)
      << finished.output;
}

}  // namespace
}  // namespace warpgauge
