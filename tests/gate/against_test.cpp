// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate --against`.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "ci/measure/interleaved.hpp"
#include "ci/measure/revision/cmake_cache.hpp"
#include "ci/support/process/interrupt.hpp"
#include "tests/helpers/small_repository.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using ci::Side;
using results::Json;
using results::Results;

class Against : public SmallRepository {
 protected:
  [[nodiscard]] std::string gate_command(const std::string& arguments) const {
    return "gate --suite bin/suite --build 'sh build.sh' --against " + arguments;
  }

  // With the suite of what is in the folder.
  Finished gate(const std::string& arguments) {
    build();
    return warpgauge(gate_command(arguments));
  }

  // Sides of the processes that timed, in the order of their starts.
  [[nodiscard]] std::string order() const { return results::read_file(folder_ / "order"); }

  [[nodiscard]] fs::path worktree() const { return folder_ / "build" / "against" / first_; }

  [[nodiscard]] std::string notes() const {
    const Json verdict = Json::parse(results::read_file(folder_ / "results" / "verdict.json"));
    return verdict.at("notes").dump();
  }

  [[nodiscard]] static std::vector<double> times(const Results& results, const std::string& id) {
    for (const auto& each : results.benchmarks) {
      if (each.id == id) return each.metrics.at("time").sessions.at(0);
    }
    return {};
  }
};

TEST_F(Against, WhatBecameSlowerIsFoundInTurnsAndMeasuredAgain) {
  set_times("a/two/1", steady(1.2));
  const std::string second = commit("second");
  const Finished finished = gate(first_.substr(0, 9));
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("regressed  a/two/1"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find(first_.substr(0, 12) + " → results/results.json"),
            std::string::npos)
      << finished.output;

  const Results before = results::read_results(folder_ / "results" / "against.json");
  const Results after = results::read_results(folder_ / "results" / "results.json");
  EXPECT_EQ(before.session->source.revision, first_);
  EXPECT_EQ(after.session->source.revision, second);
  EXPECT_EQ(before.session->processes, 5);
  EXPECT_EQ(times(before, "a/two/1").size(), 10u) << "five, and five that confirm";
  EXPECT_EQ(times(after, "a/two/1").size(), 10u);
  EXPECT_EQ(times(before, "a/one/1").size(), 5u);
  EXPECT_EQ(times(after, "a/one/1").size(), 5u);
  EXPECT_NE(notes().find(order()), std::string::npos) << notes();
}

TEST_F(Against, BothSidesAreHot) {
  const Finished finished = gate("main --hot");
  EXPECT_EQ(finished.status, 0) << finished.output;
  for (const char* name : {"against.json", "results.json"}) {
    EXPECT_TRUE(results::read_results(folder_ / "results" / name).session->hot) << name;
  }
  EXPECT_NE(notes().find("times are hot"), std::string::npos) << notes();
}

TEST_F(Against, ProcessesTakeTurns) {
  EXPECT_EQ(gate("main --seed 3").status, 0);
  const std::string first = order();
  ASSERT_EQ(first.size(), 10u);
  for (const std::size_t i : {0u, 4u}) {
    const std::string four = first.substr(i, 4);
    EXPECT_TRUE(four == "ABBA" || four == "BAAB") << first;
  }
  const std::string last = first.substr(8);
  EXPECT_TRUE(last == "AB" || last == "BA") << first;
  fs::remove(folder_ / "order");
  EXPECT_EQ(gate("main --seed 3").status, 0);
  EXPECT_EQ(order(), first);
}

TEST(InterruptGuard, InnerOnesLeaveTheOuterAtWork) {
  const ci::InterruptGuard outer;
  { const ci::InterruptGuard inner; }
  ::raise(SIGTERM);
  const ci::InterruptGuard inner;
  EXPECT_THROW(ci::InterruptGuard::check(), ci::Interrupted);
}

TEST(TurnsOf, EachSideHasAsManyAndEitherMayBegin) {
  std::mt19937_64 random(7);
  std::size_t begun = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    const int processes = round % 7;
    const auto turns = ci::interleaved_order(processes, random);
    EXPECT_EQ(std::count(turns.begin(), turns.end(), Side::before), processes);
    EXPECT_EQ(std::count(turns.begin(), turns.end(), Side::after), processes);
    // Places of either side sum up to the same, but for a last pair: no drift favours one.
    std::ptrdiff_t balance = 0;
    for (std::size_t i = 0; i < turns.size() / 4 * 4; ++i) {
      balance += static_cast<std::ptrdiff_t>(i) * (turns[i] == Side::before ? 1 : -1);
    }
    EXPECT_EQ(balance, 0);
    begun += !turns.empty() && turns[0] == Side::before ? 1u : 0u;
  }
  EXPECT_GT(begun, kRounds / 4u);
  EXPECT_LT(begun, 3 * kRounds / 4u);
}

TEST_F(Against, NeitherTheMachineNorTheOneSessionIsToBlame) {
  write("policy.toml",
        "controls = [\"b/*\"]\n[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
        "relative_floor = 0.01\n[[metric]]\nnames = [\"shared_load_requests\"]\n"
        "class = \"exact\"\n");
  // As a machine that is slower throughout would have it.
  for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) set_times(id, steady(1.05));
  const Finished finished = gate("main --policy policy.toml");
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("3 regressed"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("one session"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("this machine differs"), std::string::npos) << finished.output;
}

// Neither side's earlier processes count: what slowed down meanwhile slowed both.
TEST_F(Against, WhatFreshProcessesOfBothSidesDoNotConfirmIsNoAlarm) {
  std::vector<double> slowing = steady(1);
  const std::vector<double> slow = steady(1.2);
  slowing.insert(slowing.end(), slow.begin(), slow.end());
  set_times("a/two/1", slowing);
  commit("slows");
  set_times("a/two/1", steady(1.2));
  const Finished finished = gate("HEAD");
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("5 fresh processes do not confirm it (+0.0"), std::string::npos)
      << finished.output;
}

// The floor against baselines allows for dies that differ; here there is one.
TEST_F(Against, WhatAStoredBaselineCouldNotTellIsFound) {
  set_times("a/two/1", steady(1.006));
  const Finished finished = gate("main");
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("floor 0.2 %"), std::string::npos) << finished.output;
  // Who compares the two files knows that they were measured in turns, as long as both say so.
  EXPECT_EQ(warpgauge("compare results/against.json results/results.json").status, 1);
  results::Json alone =
      results::Json::parse(results::read_file(folder_ / "results" / "results.json"));
  alone["context"]["warpgauge"]["turns"] = "B of others";
  write("alone.json", alone.dump());
  EXPECT_EQ(warpgauge("compare results/against.json alone.json").status, 0);
}

TEST_F(Against, WhatIsUnclearIsTimedMoreOftenOnBothSides) {
  const std::vector<double> wild{90'000,  110'000, 95'000,  105'000, 93'000,
                                 107'000, 98'000,  104'000, 96'000,  102'000};
  set_times("a/two/1", wild);
  gate("main");
  EXPECT_EQ(order().size(), 20u);
  EXPECT_EQ(times(results::read_results(folder_ / "results" / "against.json"), "a/two/1").size(),
            10u);
  EXPECT_EQ(times(results::read_results(folder_ / "results" / "results.json"), "a/two/1").size(),
            10u);
}

TEST_F(Against, BenchmarksOfOneSideAreNewOrMissing) {
  plan_["benchmarks"].erase("a/two/1");
  const Finished removed = gate("main");
  EXPECT_EQ(removed.status, 4);
  EXPECT_NE(notes().find(order()), std::string::npos);
  // No baseline has it: what the report advises lets it go.
  EXPECT_NE(removed.output.find("in the other build, but not in the new results"),
            std::string::npos)
      << removed.output;
  EXPECT_EQ(removed.output.find("approve"), std::string::npos) << removed.output;
  EXPECT_NE(removed.output.find("by a --filter that matches the others alone"), std::string::npos)
      << removed.output;
  EXPECT_EQ(gate("main --filter 'a/one|b/'").status, 0);
  set_times("a/two/1", steady(1));
  set_times("c/four/1", steady(1));
  const Finished added = gate("main");
  EXPECT_EQ(added.status, 3) << added.output;
  EXPECT_NE(added.output.find("c/four/1"), std::string::npos);
  EXPECT_NE(added.output.find("--allow new"), std::string::npos) << added.output;
  EXPECT_EQ(gate("main --allow new").status, 0);
  const Finished alone = gate("main --filter c/four");
  EXPECT_EQ(alone.status, 3) << alone.output;
  EXPECT_NE(alone.output.find("nothing to compare with"), std::string::npos) << alone.output;
}

TEST_F(Against, TheCheckoutStaysAsItIsAndItsChangesAreSaid) {
  const Finished clean = gate("main");
  EXPECT_EQ(clean.status, 0) << clean.output;
  EXPECT_EQ(clean.output.find("uncommitted"), std::string::npos) << clean.output;
  EXPECT_EQ(git("status --porcelain"), "");
  set_times("a/one/1", steady(1, 4));
  const Finished changed = gate("main");
  EXPECT_NE(changed.output.find("has uncommitted changes"), std::string::npos) << changed.output;
  EXPECT_EQ(git("status --porcelain"), " M plan.json");
  EXPECT_EQ(git("rev-parse HEAD"), first_);
}

TEST_F(Against, TheRevisionsFolderIsUsedAgainUnlessItWasChanged) {
  ASSERT_EQ(gate("main").status, 0);
  write("build/against/" + first_ + "/built earlier", "");
  ASSERT_EQ(gate("main").status, 0);
  EXPECT_TRUE(fs::exists(worktree() / "built earlier"));
  write("build/against/" + first_ + "/plan.json", "{}");
  ASSERT_EQ(gate("main").status, 0);
  EXPECT_FALSE(fs::exists(worktree() / "built earlier"));
  fs::remove_all(worktree());
  EXPECT_EQ(gate("main").status, 0);
}

TEST_F(Against, OnlyTheRevisionsUsedLastAreKept) {
  std::vector<std::string> all{first_};
  for (int i = 1; i < 5; ++i) {
    write("note", std::to_string(i));
    all.push_back(commit("again"));
    ASSERT_EQ(gate("HEAD --processes 2").status, 0);
  }
  const fs::path shelf = folder_ / "build" / "against";
  EXPECT_FALSE(fs::exists(shelf / all[1]));
  EXPECT_FALSE(fs::exists(shelf / (all[1] + ".log")));
  for (const std::size_t i : {2u, 3u, 4u}) EXPECT_TRUE(fs::exists(shelf / all[i])) << i;
  EXPECT_EQ(git("worktree list --porcelain | grep -c ^worktree"), "4");
}

TEST_F(Against, ABuildThatFailsSaysItsLastLinesAndWhereTheRestIs) {
  write("results/results.json", "of an earlier gate");
  const Finished finished = warpgauge(
      "gate --suite build.sh --against main --build 'seq 1 100; echo no compiler >&2; exit 7'");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("\n100\nno compiler\n"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("\n50\n"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("ended with exit status 7; its whole output is in " +
                                 worktree().string() + ".log"),
            std::string::npos)
      << finished.output;
  EXPECT_NE(results::read_file(worktree().string() + ".log").find("\n50\n"), std::string::npos);
  EXPECT_EQ(results::read_file(folder_ / "results/earlier/results.json"), "of an earlier gate");

  const Finished nothing =
      warpgauge("gate --suite plan.json --against main --build 'rm plan.json'");
  EXPECT_EQ(nothing.status, 4);
  EXPECT_NE(nothing.output.find("ended well, but made no "), std::string::npos) << nothing.output;
}

TEST_F(Against, WrongUsageIsSaid) {
  const auto says = [&](const std::string& arguments, const std::string& text) {
    const Finished finished = gate(arguments);
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_NE(finished.output.find(text), std::string::npos) << finished.output;
  };
  says("nowhere", "no such revision");
  says("main --baselines baselines", "--baselines");
  says("main --source-root /", "--source-root / is not in the checkout");
  EXPECT_EQ(warpgauge("gate --suite bin/suite --build true").status, 64);
  const Finished plain = warpgauge("gate --suite bin/suite --against main");
  EXPECT_EQ(plain.status, 64);
  EXPECT_NE(plain.output.find("say with --build"), std::string::npos) << plain.output;
  fs::remove_all(folder_ / ".git");
  says("main", "no git checkout");
}

TEST_F(Against, BothSidesMustUseOneDevice) {
  const std::string uuid = device_.uuid;
  device_.uuid = "GPU-other";
  const Finished finished = gate("main");
  device_.uuid = uuid;
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_NE(finished.output.find("must be measured on one device"), std::string::npos)
      << finished.output;
}

TEST_F(Against, WhatGoesWrongOnTheOtherSideSaysSo) {
  plan_["fate"] = "leave";
  commit("broken");
  plan_.erase("fate");
  const Finished finished = gate("main");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("warpgauge: main ("), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("before its first benchmark"), std::string::npos)
      << finished.output;
}

TEST_F(Against, CtrlCWhileMeasuringLeavesNoChildAndNoHalfFile) {
  plan_["benchmarks"]["a/two/1"]["fate"] = "hang";
  commit("hangs");
  ASSERT_EQ(shell("cd " + quoted(folder_.string()) + " && sh build.sh").status, 0);
  EXPECT_EQ(interrupted(gate_command("main"), FAKE_SUITE " --warpgauge_pass"), 128 + SIGINT);
  EXPECT_EQ(running(FAKE_SUITE), 0);
  EXPECT_TRUE(!fs::exists(folder_ / "results") || fs::is_empty(folder_ / "results"));
}

// ninja puts what it runs into process groups of their own.
TEST_F(Against, CtrlCWhileBuildingLeavesNoChild) {
  write("build.ninja", "rule wait\n  command = sleep 4321\nbuild out: wait\n");
  commit("waits");
  EXPECT_EQ(interrupted("gate --quiet --suite build.sh --build ninja --against main", "sleep 4321"),
            128 + SIGINT);
  EXPECT_EQ(running("sleep 4321"), 0);
  EXPECT_EQ(running("ninja"), 0);
}

TEST_F(Against, WithoutACommandTheRevisionIsConfiguredAsTheSuiteWas) {
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(fixture NONE)\n"
        "set(PLAN plan.json CACHE STRING \"\")\n"
        "add_custom_target(suite COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/${PLAN} "
        "${CMAKE_SOURCE_DIR}/plan.json COMMAND sh build.sh "
        "COMMAND ${CMAKE_COMMAND} -E copy bin/suite ${CMAKE_BINARY_DIR}/bin/suite "
        "WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})\n");
  write(".gitignore", "/bin/\n/order\n/results/\n/build/\n");
  write_plan();
  fs::copy(folder_ / "plan.json", folder_ / "usual.json");
  plan_["benchmarks"].erase("a/two/1");
  commit("cmake");
  const Finished built = shell("cd " + quoted(folder_.string()) +
                               " && cmake -B build/here -G Ninja -DPLAN=usual.json && "
                               "cmake --build build/here --target suite");
  ASSERT_EQ(built.status, 0) << built.output;
  const Finished finished = warpgauge("gate --quiet --suite build/here/bin/suite --against main");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("3 same"), std::string::npos) << "not of the plan that -D names\n"
                                                               << finished.output;
}

TEST_F(Against, SettingsOfABuildAreTakenOverButNotItsPaths) {
  write("build/x/CMakeCache.txt",
        "# comment\n//Help\nCMAKE_BUILD_TYPE:STRING=Debug\nA:BOOL=ON\nB:INTERNAL=no\n"
        "FLAGS:STRING=-I" +
            folder_.string() + "/include ]=] $X\nIN_BUILD:PATH=" + folder_.string() +
            "/build/x/deps\nC_DIR:PATH=C_DIR-NOTFOUND\n\"a:b\":STRING=1\n"
            "CMAKE_GENERATOR:INTERNAL=Ninja\nCMAKE_HOME_DIRECTORY:INTERNAL=" +
            folder_.string() + "\nCMAKE_CACHEFILE_DIR:INTERNAL=" + folder_.string() + "/build/x\n");
  write("build/x/bin/suite", "");
  const auto cache = ci::cmake_cache_of(folder_ / "build" / "x" / "bin" / "suite");
  ASSERT_TRUE(cache.has_value());
  EXPECT_EQ(cache->generator, "Ninja");
  EXPECT_EQ(cache->source, folder_);
  EXPECT_EQ(ci::initial_cache(*cache, "/other"),
            "set(CMAKE_BUILD_TYPE [=[Debug]=] CACHE STRING [=[]=])\n"
            "set(A [=[ON]=] CACHE BOOL [=[]=])\n"
            "set(FLAGS [==[-I/other/include ]=] $X]==] CACHE STRING [=[]=])\n"
            "set(a:b [=[1]=] CACHE STRING [=[]=])\n");
}

}  // namespace
}  // namespace warpgauge
