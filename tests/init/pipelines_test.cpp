// SPDX-License-Identifier: Apache-2.0
// `warpgauge init`: when the pipelines that it writes ask for a GPU, and what they keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ci/init/pipelines.hpp"
#include "ci/init/proposal.hpp"
#include "ci/init/repository.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/init/init_folder.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNvbench =
    "project(p LANGUAGES CXX CUDA)\nadd_executable(b b.cu)\n"
    "target_link_libraries(b PRIVATE nvbench::main)\n";
constexpr const char* kOnProcessor =
    "add_executable(b b.cpp)\ntarget_link_libraries(b benchmark::benchmark)\n";
const std::vector<std::pair<ci::Host, std::string (*)(const ci::Repository&)>> kHosts{
    {ci::Host::github, ci::github_workflow}, {ci::Host::gitlab, ci::gitlab_jobs}};

class InitPipelines : public InFolder {
 protected:
  [[nodiscard]] ci::Repository of(const std::string& name, const std::string& content) const {
    fs::remove_all(folder_);
    write(name, content);
    return ci::look_at_repository(folder_);
  }
};

TEST_F(InitPipelines, OnlyWhatIsBuiltForAGpuAsksWhatIsAffected) {
  struct Case {
    std::string name;
    std::string content;
    bool asks;
    bool on_gpu = true;
  };
  const std::vector<Case> cases{
      {"k.cu", "", true},
      {"CMakeLists.txt", kNvbench, true},
      {"CMakeLists.txt", std::string("enable_language(CUDA)\n") + kOnProcessor, true},
      {"b.cu", "#include <nvbench/nvbench.cuh>", false},
      {"a.py", "import torch", false},
      {"a.txt", "", false},
      {"CMakeLists.txt", kOnProcessor, false, false}};
  for (const Case& each : cases) {
    ci::Repository repository = of(each.name, each.content);
    EXPECT_EQ(ci::asks_affected(repository), each.asks) << each.content;
    for (const auto& [host, pipeline] : kHosts) {
      repository.host = host;
      const std::string text = pipeline(repository);
      EXPECT_EQ(contains(text, "bash ci/affected.sh"), each.asks) << text;
      EXPECT_EQ(contains(text, "/share/warpgauge/pipeline/affected.sh"), each.asks) << text;
      EXPECT_EQ(contains(text, "Each change asks for the GPU:"), !each.asks && each.on_gpu) << text;
      const bool listed = [&] {
        const ci::Proposal proposal = ci::propose(repository);
        return std::any_of(proposal.files.begin(), proposal.files.end(),
                           [](const ci::NewFile& file) { return file.path == "ci/affected.sh"; });
      }();
      EXPECT_EQ(listed, each.asks) << each.content;
    }
  }
}

TEST_F(InitPipelines, KeepTheReleaseAndWhatCcacheCompiled) {
  for (const auto& [content, compiled] : std::vector<std::pair<std::string, bool>>{
           {kNvbench, true}, {kOnProcessor, true}, {"", false}}) {
    ci::Repository repository = of("CMakeLists.txt", content);
    for (const auto& [host, pipeline] : kHosts) {
      repository.host = host;
      const std::string text = pipeline(repository);
      EXPECT_TRUE(contains(text, "build/release.tar.gz")) << text;
      EXPECT_EQ(contains(text, "CCACHE_DIR"), compiled) << text;
      EXPECT_EQ(contains(text, "build/ccache\n") || contains(text, ", build/ccache]"), compiled)
          << text;
      EXPECT_FALSE(contains(text, "build/\n"))
          << "objects may be newer than other sources: " << text;
    }
  }
}

// A runner that the host lends has a compiler and CMake, and no Google Benchmark.
TEST_F(InitPipelines, WhatARunnerOfTheHostLacksIsInstalled) {
  const std::string step = "sudo apt-get install --yes --no-install-recommends ccache libbenchmark";
  EXPECT_TRUE(contains(ci::github_workflow(of("CMakeLists.txt", kOnProcessor)), step));
  EXPECT_FALSE(contains(ci::github_workflow(of("CMakeLists.txt", kNvbench)), "sudo"));
}

// What the script says, by a cmake that builds by copying.
class InitAffected : public InitPipelines {
 protected:
  void SetUp() override {
    InitPipelines::SetUp();
    for (const char* each : {"k.cu", "targets", "defaults", "other"}) write(each, "");
    ASSERT_EQ(warpgauge("init --yes --host github").status, 0);
    write("build/bin/cmake",
          "#!/bin/sh\nmkdir -p build/warpgauge/CMakeFiles out\n"
          "if [ \"$1\" != --build ]; then\n"
          "  cp targets build/warpgauge/CMakeFiles/TargetDirectories.txt\n"
          "  [ -e build/warpgauge/CMakeCache.txt ] || cp defaults build/warpgauge/CMakeCache.txt\n"
          "  exit\n"
          "fi\n"
          "cp build/warpgauge/CMakeCache.txt build/warpgauge/libdefaults.so\n"
          "cp other out/program\nchmod +x out/program\n"
          "echo $$ >build/warpgauge/CMakeFiles/a.so\n"
          "cp bench/warpgauge/bench.cu build/warpgauge/warpgauge_bench\n"
          "cp k.cu build/warpgauge/libmine.so\n"
          "chmod +x build/warpgauge/warpgauge_bench\n");
    fs::permissions(folder_ / "build/bin/cmake", fs::perms::owner_all);
    git("init --quiet --initial-branch=main .");
    commit();
    git("checkout --quiet -b change");
  }
  void git(const std::string& arguments) const {
    const Finished finished =
        shell("cd " + quoted(folder_.string()) +
              " && git -c user.name=Ada -c user.email=a@example.org " + arguments);
    ASSERT_EQ(finished.status, 0) << finished.output;
  }
  void commit() const {
    git("add --all");
    git("commit --quiet --allow-empty --message x");
  }

  // Standard output alone, which is the filter.
  [[nodiscard]] Finished affected(const std::string& environment = "MERGE_BASE=main") const {
    return shell("cd " + quoted(folder_.string()) + " && PATH=\"$PWD/build/bin:$PATH\" WARPGAUGE=" +
                 quoted(WARPGAUGE) + " " + environment + " bash ci/affected.sh 2>build/log");
  }
  [[nodiscard]] std::string said() const { return results::read_file(folder_ / "build/log"); }
  void expect_affected(bool is) {
    commit();
    const Finished finished = affected();
    EXPECT_EQ(finished.status, 0) << finished.output;
    EXPECT_EQ(finished.output, is ? ".\n" : "");
    git("reset --quiet --hard main");
  }
};

TEST_F(InitAffected, NothingIsWhereBothSidesBuildTheSame) {
  write("README.md", "changed");
  write("of our own.txt", "new");
  expect_affected(false);
}

TEST_F(InitAffected, WhatIsNotCommittedYetIsSaid) {
  git("rm --quiet --cached ci/warpgauge.sh");
  git("commit --quiet --message x");
  const Finished finished = affected();
  EXPECT_EQ(finished.status, 4);
  EXPECT_EQ(said(),
            "ci/affected.sh: ci/warpgauge.sh is not committed yet, so no revision can be built by "
            "it: commit it\n");
}

// Before minutes of building.
TEST_F(InitAffected, WhatItLacksIsSaidAtOnce) {
  const std::vector<std::pair<std::string, std::string>> lacks{
      {"MERGE_BASE=main WARPGAUGE=nowhere",
       "there is no nowhere: install a release, or name its program in WARPGAUGE"},
      {"", "MERGE_BASE is not set: name what the change is to be merged into, as origin/main"},
      {"MERGE_BASE=none",
       "git finds no merge base of MERGE_BASE, none, and this commit: fetch its branch, or name "
       "another"}};
  for (const auto& [environment, text] : lacks) {
    const Finished finished = affected(environment);
    EXPECT_EQ(finished.status, 4) << text;
    EXPECT_EQ(finished.output, "") << text;
    EXPECT_EQ(said(), "ci/affected.sh: " + text + "\n");
  }
}

TEST_F(InitAffected, ItSaysWhatItLookedAt) {
  ASSERT_EQ(affected().output, "");
  EXPECT_EQ(said().find("not committed"), std::string::npos) << said();
  const std::string looked =
      "ci/affected.sh: ci/warpgauge.sh builds the same as before, and nothing else was looked at: "
      "libdefaults.so libmine.so warpgauge_bench\n";
  const std::string sample =
      "ci/affected.sh: only the sample in bench/warpgauge/bench.cu is guarded";
  EXPECT_TRUE(contains(said(), looked)) << said();
  EXPECT_TRUE(contains(said(), sample)) << said();
  write("bench/warpgauge/bench.cu", "of our own");
  commit();
  write("k.cu", "edited");
  ASSERT_EQ(affected().output, ".\n");
  EXPECT_TRUE(contains(said(), "ci/affected.sh: edits that are not committed are not looked at\n"))
      << said();
  EXPECT_FALSE(contains(said(), sample)) << said();
  EXPECT_FALSE(contains(said(), looked)) << said();
}

TEST_F(InitAffected, EachProgramAndLibraryThatIsBuiltCounts) {
  write("bench/warpgauge/bench.cu", "changed");
  expect_affected(true);
  write("k.cu", "changed");
  expect_affected(true);
  write("other", "built beside build/warpgauge");
  expect_affected(true);
}

TEST_F(InitAffected, TheSecondSideIsConfiguredAsItIs) {
  write("defaults", "TILE=64");
  expect_affected(true);
  write("targets", "one less, whose library the first side left");
  expect_affected(true);
}

TEST_F(InitAffected, WhatASubmoduleHoldsIsNotKnown) {
  git("init --quiet submodule");
  git("-C submodule commit --quiet --allow-empty --message x");
  expect_affected(true);
}

// The builds may take it, and git must find it afterwards as it was.
TEST_F(InitAffected, AnUnchangedSubmoduleIsThereForBothSides) {
  git("init --quiet submodule");
  write("submodule/kernels.cuh", "of another repository");
  git("-C submodule add kernels.cuh");
  git("-C submodule commit --quiet --message x");
  commit();
  git("branch --force main HEAD");
  git("config submodule.recurse true");
  write("README.md", "changed");
  expect_affected(false);
  EXPECT_TRUE(fs::exists(folder_ / "build/affected/source/submodule/kernels.cuh"));
  // Which would keep git clean from what is built.
  for (const char* each : {"build/affected/source/.git", "build/affected/source/submodule/.git"})
    EXPECT_FALSE(fs::exists(folder_ / each)) << each;
  git("-C submodule status");
  fs::remove_all(folder_ / "submodule");
  fs::create_directory(folder_ / "submodule");
  write("README.md", "changed again");
  expect_affected(false);
  EXPECT_TRUE(contains(said(), "submodule submodule is not checked out here, and left empty"))
      << said();
}

TEST_F(InitAffected, AnEditOfWhatGatesIsGated) {
  for (const char* path : {"ci/policy.toml", "ci/warpgauge.sh", "ci/affected.sh",
                           ".github/workflows/warpgauge.yml", "baselines/bench/a.json"}) {
    write(path,
          fs::exists(folder_ / path) ? results::read_file(folder_ / path) + "\n# edited\n" : "{}");
    expect_affected(true);
  }
}

TEST_F(InitAffected, WhatCannotBeBuiltOnBothSidesIsNotUnaffected) {
  git("checkout --quiet main");
  fs::remove(folder_ / "ci/warpgauge.sh");
  commit();
  git("checkout --quiet change");
  git("reset --quiet --hard main");
  write("README.md", "changed");
  commit();
  const Finished finished = affected();
  EXPECT_NE(finished.status, 0);
  EXPECT_EQ(finished.output, "");
}

}  // namespace
}  // namespace warpgauge
