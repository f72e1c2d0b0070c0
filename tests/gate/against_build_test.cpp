// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate --against-build`: another build of the suite, as by another compiler, in turns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ci/measure/revision/cmake_cache.hpp"
#include "tests/measure/fake_run.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

class AgainstBuild : public Run {
 protected:
  void SetUp() override {
    Run::SetUp();
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) set_time(id, 1);
    plan_["cuda"] = "12.8";
    suite_before_ = build("old");
    plan_["cuda"] = "13.0";
  }

  void set_time(const std::string& id, double factor) {
    plan_["benchmarks"][id]["time_ns"] = steady(factor);
  }

  [[nodiscard]] Json verdict() const {
    return Json::parse(results::read_file(folder_ / "results" / "verdict.json"));
  }

  [[nodiscard]] std::string notes() const { return verdict().at("notes").dump(); }

  // What the note on carrying over ends with; empty: there is none.
  [[nodiscard]] std::string command_in_notes() const {
    const std::string before = "the other build's baseline is carried over to this one by: ";
    const Json all = verdict().at("notes");
    for (const Json& note : all) {
      const auto text = note.get<std::string>();
      if (text.starts_with(before)) return text.substr(before.size());
    }
    return {};
  }

  // Sessions of one second are one.
  void measured_at(const std::string& when) const {
    const auto path = folder_ / "results" / "results.json";
    Json json = Json::parse(results::read_file(path));
    json["context"]["warpgauge"]["created"] = when;
    results::write_file_atomically(path, json.dump());
  }

  std::string suite_before_;
};

TEST_F(AgainstBuild, WhatAnotherToolkitMakesSlowerIsFoundWithoutABaseline) {
  set_time("a/two/1", 1.02);
  const Finished finished = start("gate", "--against-build old --seed 3");
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("regressed  a/two/1"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("old (777777777777) → results/results.json"), std::string::npos)
      << finished.output;
  EXPECT_EQ(verdict().at("counts").at("regressed"), 1) << finished.output;
  EXPECT_EQ(verdict().at("counts").at("same"), 2) << finished.output;
  EXPECT_NE(notes().find("the builds were made differently: CUDA '12.8' → '13.0'"),
            std::string::npos)
      << notes();
  EXPECT_NE(notes().find("(A: old (777777777777), B: this; seed 3)"), std::string::npos) << notes();

  const results::Results before = read("results/against.json");
  const results::Results after = read("results/results.json");
  EXPECT_EQ(before.session->toolchain.cuda, "12.8");
  EXPECT_EQ(before.session->source.revision, std::string(40, '7')) << "not what is checked out";
  EXPECT_EQ(after.session->toolchain.cuda, "13.0");
  EXPECT_NE(after.session->source.revision, std::string(40, '7'));
  for (const results::Results& side : {before, after}) {
    EXPECT_EQ(find(side, "a/one/1").metrics.at("time").sessions.at(0).size(), 5u);
    EXPECT_EQ(find(side, "a/two/1").metrics.at("time").sessions.at(0).size(), 10u)
        << "five, and five that confirm";
  }
}

// A suite of before it could be asked takes as many by itself.
TEST_F(AgainstBuild, MoreSamplesAreTakenOfEachSideThatCanBeAsked) {
  const auto asked = [&](const std::string& log) {
    std::vector<bool> all;
    std::istringstream lines(results::read_file(folder_ / log));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("time")) all.push_back(line.starts_with("time [more]"));
    }
    fs::remove(folder_ / log);
    return all;
  };
  const std::vector<bool> none(5, false);
  const std::vector<bool> each(5, true);
  plan_["takes_more_samples"] = true;
  EXPECT_EQ(start("gate", "--quiet --against-build old").status, 0);
  EXPECT_EQ(asked("old/log"), none);
  EXPECT_EQ(asked("log"), each);
  (void)build("new");
  EXPECT_EQ(start("gate", "--quiet --against-build new").status, 0);
  EXPECT_EQ(asked("new/log"), each);
  EXPECT_EQ(asked("log"), each);

  // Many would take long.
  const Json one = plan_["benchmarks"]["a/one/1"];
  for (int i = 0; i < 48; ++i) plan_["benchmarks"]["c/many/" + std::to_string(i)] = one;
  (void)build("new");
  EXPECT_EQ(start("gate", "--quiet --against-build new").status, 0);
  EXPECT_EQ(asked("new/log"), none);
  EXPECT_EQ(asked("log"), none);
}

TEST_F(AgainstBuild, ASuiteItselfIsABuildAsWell) {
  const Finished same = start("gate", "--quiet --against-build " + suite_before_);
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_NE(same.output.find("3 same"), std::string::npos) << same.output;
  fs::copy(folder_ / suite_before_, folder_ / "renamed");
  set_time("b/three/1", 0.98);
  const Finished faster = start("gate", "--quiet --against-build renamed");
  EXPECT_EQ(faster.status, 0) << faster.output;
  EXPECT_NE(faster.output.find("1 improved"), std::string::npos) << faster.output;
}

TEST_F(AgainstBuild, BothSidesMustUseOneDevice) {
  plan_["device"]["uuid"] = "GPU-other";
  build("old");
  plan_["device"]["uuid"] = "GPU-" + folder_.filename().string();
  const Finished finished = start("gate", "--quiet --against-build old");
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_NE(finished.output.find("must be measured on one device"), std::string::npos)
      << finished.output;
}

// What moves clocks and was not built differs all the same.
TEST_F(AgainstBuild, AnotherDriverStillAllowsNoVerdictOnTime) {
  plan_["device"]["driver"] = "1.2";
  build("old");
  plan_["device"]["driver"] = "1.3";
  const Finished finished = start("gate", "--quiet --against-build old");
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("measured with another driver '1.2' → '1.3', which"),
            std::string::npos)
      << finished.output;
}

TEST_F(AgainstBuild, WithoutAClockCountersDecide) {
  plan_["passes"] = {"counters"};
  build("old");
  plan_["benchmarks"]["a/two/1"]["counters"]["shared_load_wavefronts"] = 64;
  const Finished finished = start("gate", "--quiet --against-build old");
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("regressed  a/two/1"), std::string::npos) << finished.output;
  EXPECT_NE(notes().find("old (777777777777) was measured beside this"), std::string::npos)
      << notes();
}

// What it takes to change the toolkit and to keep the baseline.
TEST_F(AgainstBuild, ABaselineIsCarriedOverToAnotherToolkit) {
  const auto set_code = [&](char code) {
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
      plan_["benchmarks"][id]["machine_code"] = {to_json(kernel_code("kernel", code))};
    }
  };
  plan_["cuda"] = "12.8";
  set_code('a');
  build("old");
  for (int session = 0; session < 3; ++session) {
    ASSERT_EQ(start("gate", "--quiet --baselines baselines --all").status, session == 0 ? 3 : 0);
    measured_at(fmt::format("2026-11-21T0{}:00:00Z", session));
    ASSERT_EQ(warpgauge("approve results/results.json --reason test").status, 0);
  }
  plan_["cuda"] = "13.0";
  set_code('b');
  set_time("a/two/1", 1.02);
  const Finished gate = start("gate", "--quiet --against-build old");
  EXPECT_EQ(gate.status, 1) << gate.output;
  const std::string next = command_in_notes();
  EXPECT_EQ(next, WARPGAUGE
            " approve results/results.json --baselines baselines --new-environment --beside "
            "results/against.json --reason '…'");
  const results::Results before = read("results/against.json");
  const results::Results after = read("results/results.json");
  EXPECT_TRUE(before.session->turns.starts_with("A of "));
  EXPECT_EQ(before.session->turns.substr(1), after.session->turns.substr(1));
  EXPECT_TRUE(after.session->turns.starts_with("B of "));

  const std::string approve =
      "approve results/results.json --reason 'CUDA 13.0' --beside "
      "results/against.json ";
  for (const char* without : {"", "--new-environment --anchor", "--new-environment --code-only"}) {
    EXPECT_EQ(warpgauge(approve + without).status, 64) << without;
  }
  // As it is pasted, with a reason.
  const Finished approved = shell("cd '" + folder_.string() + "' && " +
                                  std::string(next).replace(next.find("…"), 3, "CUDA 13.0"));
  ASSERT_EQ(approved.status, 0) << approved.output;
  EXPECT_NE(approved.output.find("carried over: 3 metrics of 3 sessions, by "), std::string::npos)
      << approved.output;
  EXPECT_EQ(warpgauge("baseline check").status, 0);

  const Finished same = start("gate", "--quiet --treat-as-changed");
  EXPECT_EQ(same.status, 0) << same.output;
  set_code('c');
  set_time("a/two/1", 1.02 * 1.03);
  const Finished slower = start("gate", "--quiet");
  EXPECT_EQ(slower.status, 1) << slower.output;
  EXPECT_NE(slower.output.find("regressed  a/two/1"), std::string::npos) << slower.output;
}

TEST_F(AgainstBuild, TheNextCommandIsOfTheSamePolicyAndFilter) {
  write("our policy.toml", results::read_file(SOURCE_ROOT "/ci/policy.toml"));
  const Finished finished =
      start("gate", "--quiet --against-build old --policy 'our policy.toml' --filter '^a/'");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const std::string next = command_in_notes();
  EXPECT_NE(next.find(" --policy 'our policy.toml' --filter '^a/' --new-environment --beside "),
            std::string::npos)
      << next;
}

TEST_F(AgainstBuild, OtherFlagsOfCMakeAreSaid) {
  const std::string suite = build("new");
  write("old/CMakeCache.txt", "CMAKE_CUDA_FLAGS:STRING=\n");
  write("new/CMakeCache.txt", "CMAKE_CUDA_FLAGS:STRING=-use_fast_math\n");
  const Finished finished = warpgauge("gate --quiet --suite " + suite + " --against-build old");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(notes().find("the builds are configured differently: CMAKE_CUDA_FLAGS '' → "
                         "'-use_fast_math'"),
            std::string::npos)
      << notes();
}

TEST_F(AgainstBuild, MachineCodeIsBesideTheOtherSuite) {
  write("images/kernels.cubin", "");
  const Finished finished =
      start("gate", "--quiet --machine-code images/kernels.cubin --against-build old");
  EXPECT_EQ(finished.status, 64) << finished.output;
  EXPECT_NE(finished.output.find("--against-build old: there is no old/bin/kernels.cubin, as "
                                 "--machine-code images/kernels.cubin asks for"),
            std::string::npos)
      << finished.output;
}

TEST_F(AgainstBuild, WrongUsageIsSaidBeforeAnythingIsMeasured) {
  const auto says = [&](const std::string& arguments, const std::string& text) {
    const Finished finished = start("gate", "--quiet " + arguments);
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_NE(finished.output.find(text), std::string::npos) << finished.output;
  };
  says("--against-build nowhere", "name the folder of a build, an unpacked bundle or a suite");
  says("--against-build old --against HEAD", "--against");
  says("--against-build old --baselines baselines", "--baselines");
  says("--against-build old --against-prebuilt old", "--against-prebuilt");
  says("--against-build old --since-anchor", "--since-anchor");
  says("--against-build old --build true", "--build builds another revision");
  const Finished program = warpgauge("gate --against-build old -- true");
  EXPECT_EQ(program.status, 64) << program.output;
  EXPECT_NE(program.output.find("--against-build is for a suite"), std::string::npos)
      << program.output;
  EXPECT_TRUE(processes().empty());
}

TEST(SettingsThatDiffer, AreThoseThatMakeOtherCode) {
  const auto cache = [](const std::string& folder, const std::string& compiler,
                        const std::string& flags) {
    ci::CMakeCache made;
    made.recorded = "/home/" + folder + "/build";
    made.source = "/home/" + folder;
    made.entries = {{"CMAKE_CUDA_COMPILER", "FILEPATH", compiler},
                    {"CMAKE_CUDA_FLAGS", "STRING", flags},
                    {"CMAKE_HOME_DIRECTORY", "INTERNAL", "/home/" + folder},
                    {"INCLUDES", "STRING", "/home/" + folder + "/build/generated"},
                    {"LIBRARY", "FILEPATH", "/usr/lib/" + folder},
                    {"TREE", "STRING", "/home/" + folder + "/include"}};
    return made;
  };
  ci::CMakeCache after = cache("after", "/cuda-13/bin/nvcc", "-O1");
  after.entries.push_back({"FAST", "BOOL", "ON"});
  EXPECT_EQ(
      ci::settings_that_differ(cache("before", "/cuda-12/bin/nvcc", ""), after),
      (std::vector<std::string>{"CMAKE_CUDA_COMPILER '/cuda-12/bin/nvcc' → '/cuda-13/bin/nvcc'",
                                "CMAKE_CUDA_FLAGS '' → '-O1'", "FAST '' → 'ON'"}));
}

}  // namespace
}  // namespace warpgauge
