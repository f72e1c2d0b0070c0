// SPDX-License-Identifier: Apache-2.0
// `warpgauge static --out`: what results of machine code alone keep for a later comparison.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

// Both kernels, compiled for sm_80 and for sm_90.
class StaticResults : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    fs::create_directories(folder_ / "kernels");
    copy("two_kernels_80.cubin");
    copy("two_kernels_90.cubin");
  }

  [[nodiscard]] results::Results read_after(const std::string& options) const {
    const Finished finished = warpgauge("static kernels --out static.json " + options);
    EXPECT_EQ(finished.status, 0) << finished.output;
    return results::read_results(folder_ / "static.json");
  }

  void copy(const std::string& name) const {
    fs::copy(fs::path(SOURCE_ROOT) / "tests/profiling/machine_code/recorded" / name,
             folder_ / "kernels" / name);
  }

  // In the machine code for this architecture alone; the figures stay those of the newest.
  void plant_spills(const std::string& architecture) const {
    auto json = nlohmann::json::parse(results::read_file(folder_ / "static.json"));
    for (auto& benchmark : json["benchmarks"]) {
      for (auto& code : benchmark["warpgauge"]["machine_code"]) {
        if (code["architecture"] == architecture) code["spill_store_bytes"] = 16;
      }
    }
    write("static.json", json.dump());
  }

  // Whatever is approved of this device.
  void say_it_was_approved_before(const std::string& device) const {
    const fs::path file = folder_ / "baselines" / device / "device.json";
    auto json = nlohmann::json::parse(results::read_file(file));
    for (auto& session : json["sessions"]) session["approved"] = "2026-01-01T00:00:00Z";
    results::write_file_atomically(file, json.dump());
  }

  static std::set<std::string> architectures(const results::BenchmarkResult& benchmark) {
    std::set<std::string> names;
    for (const results::KernelCode& each : benchmark.machine_code) names.insert(each.architecture);
    return names;
  }
};

TEST_F(StaticResults, KeepEachArchitectureAndHaveTheFiguresOfTheNewest) {
  const results::Results all = read_after("");
  EXPECT_EQ(all.session->device.key, "sm-90");
  ASSERT_FALSE(all.benchmarks.empty());
  for (const results::BenchmarkResult& each : all.benchmarks) {
    EXPECT_EQ(architectures(each), (std::set<std::string>{"sm_80", "sm_90"})) << each.id;
    for (const results::KernelCode& code : each.machine_code) {
      if (code.architecture != "sm_90") continue;
      EXPECT_EQ(each.metrics.at("registers").sessions.at(0).at(0), code.registers) << each.id;
    }
  }
  for (const results::BenchmarkResult& each : read_after("--architecture sm_80").benchmarks) {
    EXPECT_EQ(architectures(each), std::set<std::string>{"sm_80"}) << each.id;
  }
}

TEST_F(StaticResults, ABaselineOfThemTellsThatAnOlderArchitectureIsGone) {
  (void)read_after("");
  ASSERT_EQ(warpgauge("approve static.json --reason test").status, 0);
  EXPECT_EQ(warpgauge("compare baselines static.json").status, 0);
  fs::remove(folder_ / "kernels" / "two_kernels_80.cubin");
  (void)read_after("");
  const Finished compared = warpgauge("compare baselines static.json");
  EXPECT_EQ(compared.status, 1) << compared.output;
  EXPECT_NE(compared.output.find("is no longer compiled for sm_80"), std::string::npos)
      << compared.output;
}

// Their key is that of the newest architecture, of which nothing is approved.
TEST_F(StaticResults, AnAddedArchitectureLeavesTheOthersGated) {
  fs::remove(folder_ / "kernels" / "two_kernels_90.cubin");
  (void)read_after("");
  ASSERT_EQ(warpgauge("approve static.json --reason test").status, 0);
  copy("two_kernels_90.cubin");
  (void)read_after("");
  const Finished same = warpgauge("compare baselines static.json");
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_NE(same.output.find("machine code for sm_90 is compared with machine code for sm_80"),
            std::string::npos)
      << same.output;
  EXPECT_NE(same.output.find("machine code for sm_90 is new"), std::string::npos) << same.output;
  plant_spills("sm_80");
  const Finished worse = warpgauge("compare baselines static.json");
  EXPECT_EQ(worse.status, 1) << worse.output;
  EXPECT_NE(worse.output.find("for sm_80: spill_store_bytes 0 → 16"), std::string::npos)
      << worse.output;
}

// An older approval of what is left knew nothing of the newer architecture.
TEST_F(StaticResults, OfSeveralBaselinesTheLastApprovedOneCounts) {
  fs::remove(folder_ / "kernels" / "two_kernels_90.cubin");
  (void)read_after("");
  ASSERT_EQ(warpgauge("approve static.json --reason test").status, 0);
  say_it_was_approved_before("sm-80");
  EXPECT_EQ(warpgauge("compare baselines static.json").status, 0);
  copy("two_kernels_90.cubin");
  (void)read_after("");
  ASSERT_EQ(warpgauge("approve static.json --reason test").status, 0);
  EXPECT_EQ(warpgauge("compare baselines static.json").status, 0);
  fs::remove(folder_ / "kernels" / "two_kernels_90.cubin");
  (void)read_after("");
  const Finished compared = warpgauge("compare baselines static.json");
  EXPECT_EQ(compared.status, 1) << compared.output;
  EXPECT_NE(compared.output.find("is no longer compiled for sm_90"), std::string::npos)
      << compared.output;
}

// As of a template that two files have, of which one has other flags now.
TEST_F(StaticResults, TheSecondKernelOfANameIsComparedWithTheFirstIfItTakesMore) {
  (void)read_after("");
  ASSERT_EQ(warpgauge("approve static.json --reason test").status, 0);
  auto json = nlohmann::json::parse(results::read_file(folder_ / "static.json"));
  auto second = json["benchmarks"][0];
  const std::string id = second["warpgauge"]["id"].get<std::string>() + "#2";
  second["name"] = second["run_name"] = id;
  second["warpgauge"]["id"] = id;
  second["spill_store_bytes"] = 16;
  for (auto& code : second["warpgauge"]["machine_code"]) {
    code["sass_hash"] = std::string(32, '1');
    code["spill_store_bytes"] = 16;
  }
  json["benchmarks"].push_back(second);
  write("static.json", json.dump());
  const Finished compared = warpgauge("compare baselines static.json --allow new");
  EXPECT_EQ(compared.status, 1) << compared.output;
  EXPECT_NE(compared.output.find("spill_store_bytes  0 → 16"), std::string::npos)
      << compared.output;
}

// The cubins name their source by the path at which it was compiled, which ends so.
TEST_F(StaticResults, LinesAreOfTheFilesBelowTheSourceRoot) {
  const std::string source =
      results::read_file(fs::path(SOURCE_ROOT) / "tests/profiling/machine_code/two_kernels.cu");
  fs::create_directories(folder_ / "project" / "static");
  write("project/static/two_kernels.cu", source);
  const results::KernelCode found =
      read_after("--architecture sm_90 --source-root project").benchmarks.at(0).machine_code.at(0);
  ASSERT_FALSE(found.places.empty());
  EXPECT_EQ(found.places.front().file, "static/two_kernels.cu");
  EXPECT_EQ(found.places.front().text, "__global__ void add(float* a, const float* b, int n) {");
  const std::string against =
      "static kernels/two_kernels_90.cubin --against kernels/two_kernels_80.cubin ";
  const std::string line = fmt::format(" at static/two_kernels.cu:{}\n", found.places.front().line);
  const Finished worse = warpgauge(against + "--source-root project");
  EXPECT_NE(worse.output.find("is no longer compiled for sm_80" + line), std::string::npos)
      << worse.output;
  EXPECT_EQ(warpgauge(against).output.find(line), std::string::npos);
  EXPECT_TRUE(read_after("").benchmarks.at(0).machine_code.at(0).places.empty());
}

TEST_F(StaticResults, OfLaunchesThatAreKnownTheyHaveTheOccupancy) {
  const results::Results without = read_after("");
  const std::string kernel = without.benchmarks.at(0).machine_code.at(0).name;
  EXPECT_TRUE(without.benchmarks.at(0).launches.empty());
  Measured launched{.id = "a/b/1", .counters = {{"barriers", 2}}};
  results::add_launch({.kernel = kernel, .grid = {4, 1, 1}, .block = {96, 1, 1}},
                      launched.launches);
  write("launches.json", results_text(emulated(), {launched}));
  const results::Results with = read_after("--launches launches.json");
  ASSERT_EQ(with.benchmarks.at(0).launches.size(), 1U);
  EXPECT_EQ(with.benchmarks.at(0).launches.at(0).block[0], 96U);
  EXPECT_EQ(warpgauge("static kernels --out x.json --suite x --launches launches.json").status, 64);
}

// A program's kernels may be in another file than the one that was named.
TEST_F(StaticResults, OfABenchmarkWithoutMachineCodeTheReasonIsSaid) {
  const results::Json plan = {
      {"passes", {"counters"}},
      {"device", to_json(emulated())},
      {"benchmarks", {{"a/one/1", {{"counters", {{"shared_load_requests", 8}}}}}}}};
  write("plan.json", plan.dump());
  const Finished finished =
      shell("cd " + quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json " +
            quoted(WARPGAUGE) + " static kernels --out static.json --suite " + FAKE_SUITE);
  EXPECT_EQ(finished.status, 4);
  const std::string why = "its machine code is not known: which kernels ran was not observed";
  EXPECT_NE(finished.output.find("a/one/1 failed: " + why + "\n"), std::string::npos)
      << finished.output;
  EXPECT_EQ(results::read_results(folder_ / "static.json")
                .benchmarks.at(0)
                .not_measured.at(results::kTimeMetric),
            why);
}

TEST_F(StaticResults, TakeNoImagesPlace) {
  const std::string image = "kernels/two_kernels_90.cubin";
  const std::string before = results::read_file(folder_ / image);
  expect_one_line(warpgauge("static " + image + " --out kernels/../" + image), 64,
                  "is the image that is read; name another file");
  EXPECT_EQ(results::read_file(folder_ / image), before);
}

TEST_F(StaticResults, WhatCannotBeReadIsSaidWithOneRemedy) {
  write("thin.a", "!<thin>\n");
  const Finished thin = warpgauge("static thin.a");
  expect_one_line(thin, 4, "thin.a: is a thin archive, which holds no code; name its object files");
  EXPECT_EQ(thin.output.find("cubin"), std::string::npos) << thin.output;
  expect_one_line(warpgauge("static kernels --source-root nowhere"), 64,
                  "there is no folder 'nowhere'");
}

}  // namespace
}  // namespace warpgauge
