// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate` times in full what is not the same by its code, with a suite that has a
// sentinel.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;
using results::Results;

class TimedByCode : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    results::Device device = h200();
    device.uuid = "GPU-" + folder_.filename().string();
    plan_ = {{"passes", {"time", "sentinel", "counters", "lines"}},
             {"device", to_json(device)},
             {"log", (folder_ / "log").string()},
             {"benchmarks", Json::object()}};
    for (const std::string id : {"a/one/1", "a/two/1", "b/three/1"}) {
      plan_["benchmarks"][id] = {
          {"time_ns", 10000},
          {"counters", {{"shared_load_requests", 8}, {"shared_load_wavefronts", 8}}},
          {"lines", Json::array()},
          {"input_digest", std::string(16, 'd')},
          {"machine_code", {to_json(kernel_code("kernel", 'a'))}},
          {"launches",
           {to_json(
               results::KernelLaunch{.kernel = "kernel", .arguments = std::string(16, '1')})}}};
    }
    ASSERT_EQ(gate().status, 3);  // there is no baseline
    const Finished approved =
        warpgauge("approve results/results.json --reason 'the first' --policy policy.toml");
    ASSERT_EQ(approved.status, 0) << approved.output;
    fs::remove(folder_ / "log");
  }

  Finished gate(const std::string& arguments = "") {
    write("plan.json", plan_.dump());
    write("policy.toml", R"(
      [[metric]]
      names = ["time"]
      class = "statistical"
      relative_floor = 0.007
      [[metric]]
      names = ["shared_load_requests", "shared_load_wavefronts"]
      class = "exact"
    )");
    return shell("cd '" + folder_.string() + "' && FAKE_SUITE_PLAN=plan.json " + quoted(WARPGAUGE) +
                 " gate --allow new --policy policy.toml --suite " + quoted(FAKE_SUITE) + " " +
                 arguments);
  }

  [[nodiscard]] Json& benchmark(const std::string& id) { return plan_["benchmarks"][id]; }

  [[nodiscard]] std::vector<std::string> processes() const {
    std::vector<std::string> lines;
    std::ifstream log(folder_ / "log");
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    return lines;
  }

  [[nodiscard]] std::size_t times(const std::string& process) const {
    const auto all = processes();
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), process));
  }

  Json plan_;
};

TEST_F(TimedByCode, WhatIsUnchangedIsLookedAtAndCountedOnly) {
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(processes(), (std::vector<std::string>{"sentinel a/one/1 a/two/1 b/three/1",
                                                   "counters a/one/1 a/two/1 b/three/1"}));
  EXPECT_NE(finished.output.find("3 benchmarks were not timed"), std::string::npos)
      << finished.output;
  const Results results = results::read_results(folder_ / "results/results.json");
  for (const results::BenchmarkResult& each : results.benchmarks) {
    EXPECT_FALSE(each.not_timed.empty()) << each.id;
    EXPECT_EQ(each.sentinel_ns, 10000) << each.id;
    EXPECT_FALSE(each.metrics.contains("time")) << each.id;
    EXPECT_FALSE(each.not_measured.contains("time")) << each.id;
  }
}

TEST_F(TimedByCode, WhatIsOtherCodeIsTimedBesideTheOthersAndItsLinesAreCounted) {
  benchmark("a/two/1")["machine_code"] = {to_json(kernel_code("kernel", 'b'))};
  EXPECT_EQ(gate().status, 0);
  EXPECT_EQ(times("lines a/two/1"), 1U);
  // The two others are controls.
  EXPECT_EQ(times("time a/one/1 a/two/1 b/three/1"), 5U);
}

TEST_F(TimedByCode, OtherInputThatCostsTimeIsFound) {
  benchmark("a/two/1")["input_digest"] = std::string(16, 'e');
  benchmark("a/two/1")["time_ns"] = 60000;
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("a/two/1"), std::string::npos) << finished.output;
}

TEST_F(TimedByCode, WhatIdentityDoesNotSeeShowsInTheSentinel) {
  benchmark("a/two/1")["time_ns"] = 60000;
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("look at data, memory and environment"), std::string::npos)
      << finished.output;
}

TEST_F(TimedByCode, EverythingIsTimedOnRequestAndWithoutABaseline) {
  EXPECT_EQ(gate("--all").status, 0);
  EXPECT_EQ(times("time a/one/1 a/two/1 b/three/1"), 5U);
  EXPECT_EQ(times("sentinel a/one/1 a/two/1 b/three/1"), 0U);
  EXPECT_EQ(gate("--treat-as-changed").status, 0);
  EXPECT_EQ(times("time a/one/1 a/two/1 b/three/1"), 10U);
  EXPECT_EQ(gate("--all --treat-as-changed").status, 64);
  EXPECT_EQ(gate("--baselines elsewhere").status, 3);
  EXPECT_EQ(times("time a/one/1 a/two/1 b/three/1"), 15U);
}

TEST_F(TimedByCode, HotTimesAreLookedAtHotAndSaveNothingAgainstColdOnes) {
  gate("--hot");
  EXPECT_EQ(times("sentinel [hot] a/one/1 a/two/1 b/three/1"), 1U);
  EXPECT_EQ(times("time [hot] a/one/1 a/two/1 b/three/1"), 5U);
}

TEST_F(TimedByCode, ApprovingKeepsTheTimesThatWereNotTaken) {
  const std::string before = results::read_file(folder_ / "baselines/nvidia-h200/a.json");
  ASSERT_EQ(gate().status, 0);
  const Finished approved =
      warpgauge("approve results/results.json --reason 'nothing new' --policy policy.toml");
  EXPECT_EQ(approved.status, 0) << approved.output;
  EXPECT_NE(before.find("10000"), std::string::npos);
  EXPECT_EQ(results::read_file(folder_ / "baselines/nvidia-h200/a.json"), before);
  EXPECT_EQ(gate().status, 0);
}

TEST_F(TimedByCode, ApprovingTheCodeAloneKeepsTimesAndIdentityFresh) {
  benchmark("a/two/1")["machine_code"] = {to_json(kernel_code("kernel", 'b'))};
  benchmark("a/two/1")["time_ns"] = 10010;
  ASSERT_EQ(gate().status, 0);
  const Finished approved =
      warpgauge("approve results/results.json --code-only --reason 'merged' --policy policy.toml");
  EXPECT_EQ(approved.status, 0) << approved.output;
  const std::string baseline = results::read_file(folder_ / "baselines/nvidia-h200/a.json");
  EXPECT_EQ(baseline.find("10010"), std::string::npos) << baseline;
  EXPECT_NE(baseline.find(std::string(32, 'b')), std::string::npos) << baseline;
  fs::remove(folder_ / "log");
  EXPECT_EQ(gate().status, 0);
  EXPECT_EQ(processes().size(), 2U);  // nothing is timed
}

TEST_F(TimedByCode, ApprovingTheCodeAloneIsRefusedWhereATimeMoved) {
  benchmark("a/two/1")["machine_code"] = {to_json(kernel_code("kernel", 'b'))};
  benchmark("a/two/1")["time_ns"] = 12000;
  ASSERT_EQ(gate().status, 1);
  const Finished approved =
      warpgauge("approve results/results.json --code-only --reason 'merged' --policy policy.toml");
  EXPECT_EQ(approved.status, 3) << approved.output;
  EXPECT_NE(approved.output.find("approve without it"), std::string::npos) << approved.output;
}

}  // namespace
}  // namespace warpgauge
