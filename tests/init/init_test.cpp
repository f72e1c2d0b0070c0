// SPDX-License-Identifier: Apache-2.0
// `warpgauge init`: what it takes a repository for, what it writes, and what it leaves alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ci/init/cmake_text.hpp"
#include "ci/init/gate_script.hpp"
#include "ci/init/proposal.hpp"
#include "ci/init/repository.hpp"
#include "ci/policy/policy.hpp"
#include "ci/policy/profiles.hpp"
#include "ci/support/errors.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/init/init_folder.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

TEST_F(Init, TakesARepositoryForWhatItsFilesSay) {
  const std::vector<std::tuple<std::string, std::string, ci::Kind>> each{
      {"src/a.cpp", "int main() {}", ci::Kind::nothing},
      {"CMakeLists.txt", "project(p LANGUAGES CXX)\n# enable_language(CUDA)\n", ci::Kind::nothing},
      {"CMakeLists.txt", "project(p LANGUAGES CXX CUDA)", ci::Kind::cuda},
      {"CMakeLists.txt", "Enable_Language ( CUDA )", ci::Kind::cuda},
      {"src/kernels/k.cu", "__global__ void k() {}", ci::Kind::cuda},
      {"a.py", "import torchvision\nimport tritonclient\n# import torch", ci::Kind::nothing},
      {"a.py", "import torch.nn as nn\n", ci::Kind::torch},
      {"a.py", "import torch\nfrom triton import language\n", ci::Kind::triton},
      {"a.py", "import torch, triton, triton.language as tl\r\n", ci::Kind::triton},
      {"bench/CMakeLists.txt", kGoogleBenchmark, ci::Kind::google_benchmark},
      {"CMakeLists.txt", "add_executable(b b.cu)\ntarget_link_libraries(b PRIVATE nvbench::main)",
       ci::Kind::nvbench},
      // What is not the repository's own.
      {"build/a.py", "import torch", ci::Kind::nothing},
      {"third_party/x/k.cu", "", ci::Kind::nothing},
      {".venv/a.py", "import torch", ci::Kind::nothing}};
  for (const auto& [name, content, kind] : each) {
    fs::remove_all(folder_);
    write(name, content);
    EXPECT_EQ(seen().kind, kind) << name << ": " << content;
  }
}

TEST_F(Init, OfSeveralTheBenchmarksAreTaken) {
  write("a.py", "import torch");
  write("CMakeLists.txt", "project(p LANGUAGES CXX CUDA)");
  write("bench/CMakeLists.txt", kGoogleBenchmark);
  const ci::Repository repository = seen();
  EXPECT_EQ(repository.kind, ci::Kind::google_benchmark);
  EXPECT_EQ(repository.seen, "bench/CMakeLists.txt");
  EXPECT_EQ(repository.target, "my_bench");
  EXPECT_TRUE(repository.cuda);
}

TEST_F(Init, PythonComesBeforeCudaInCMakeOnlyWhereItLaunchesKernels) {
  const std::string cmake = "project(p LANGUAGES CXX CUDA)\n";
  const std::vector<std::tuple<std::string, std::string, ci::Kind>> each{
      {cmake, "import torch\n", ci::Kind::cuda},
      {cmake, "import triton\ntriton.testing.do_bench(f)\n", ci::Kind::cuda},
      {cmake, "import triton\n@triton.jit\ndef k(): pass\n", ci::Kind::triton},
      {cmake, "from triton import jit\n@jit\ndef k(): pass\n", ci::Kind::triton},
      {cmake, "import torch\nfrom numba import jit\n", ci::Kind::cuda},
      {cmake, "import torch\ntorch.ops.mine.scale(x)\n", ci::Kind::torch},
      {cmake, "import torch\nfrom torch.utils.cpp_extension import load\n", ci::Kind::torch},
      {cmake + "pybind11_add_module(mine a.cu)\n", "import torch\n", ci::Kind::torch},
      {cmake + "find_package(Torch REQUIRED)\n", "import torch\n", ci::Kind::torch},
      {cmake + "find_package(Threads)\n", "import torch\n", ci::Kind::cuda},
      {"project(p LANGUAGES CXX)\n", "import torch\n", ci::Kind::torch}};
  write("src/k.cu", "__global__ void k() {}");
  for (const auto& [text, python, kind] : each) {
    write("tools/check.py", python);
    write("src/CMakeLists.txt", text);
    EXPECT_EQ(seen().kind, kind) << text << python;
    EXPECT_EQ(seen().seen, kind == ci::Kind::cuda ? "src/CMakeLists.txt" : "tools/check.py");
  }
}

// Most projects build their benchmarks only if asked to.
TEST_F(Init, OptionsAroundTheBenchmarksAreTurnedOn) {
  write("CMakeLists.txt",
        "project(p LANGUAGES CXX)\n"
        "option(P_DEV \"For developers (slow)\" OFF)\n"
        "CMAKE_DEPENDENT_OPTION(p.bench \"Build them\" OFF \"NOT sub\" OFF)\n"
        "set(P_FAST OFF CACHE BOOL \"\")\nset(P_PLAIN OFF)\noption(P_OFF \"\" OFF)\n"
        "if(P_OFF)\nadd_subdirectory(tests)\nendif()\n"
        "if(P_DEV AND NOT P_OFF AND UNIX AND P_PLAIN)\n"
        "  if(${p.bench})\n    add_subdirectory(\"${CMAKE_CURRENT_SOURCE_DIR}/perf/\")\n  endif()\n"
        "endif()\n");
  write("perf/CMakeLists.txt", "add_subdirectory(bench)");
  write("perf/bench/CMakeLists.txt",
        "if(P_OFF)\nelse()\nif(P_FAST)\nadd_executable(b b.cpp)\nendif()\nendif()\n"
        "target_link_libraries(b benchmark::benchmark)");
  const ci::Repository repository = seen();
  EXPECT_EQ(repository.switches, (std::vector<std::string>{"P_DEV", "p.bench", "P_FAST"}));
  EXPECT_EQ(repository.source, ".");
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  EXPECT_NE(files()
                .at("ci/warpgauge.sh")
                .find("cmake -S . -B build/warpgauge -DCMAKE_BUILD_TYPE=Release -DP_DEV=ON "
                      "-Dp.bench=ON -DP_FAST=ON >"),
            std::string::npos);
}

// Of alternatives one is enough: the other may build what nobody asked for.
TEST_F(Init, OfAlternativesOneOptionIsTurnedOn) {
  write("CMakeLists.txt",
        "option(P_BENCH \"\" OFF)\noption(P_ALL \"\" OFF)\noption(P_MORE \"\" OFF)\n"
        "if(P_MASTER OR P_BENCH OR P_ALL AND P_MORE)\nadd_subdirectory(bench)\nendif()\n");
  write("bench/CMakeLists.txt", kGoogleBenchmark);
  EXPECT_EQ(seen().switches, (std::vector<std::string>{"P_BENCH", "P_MORE"}));
}

TEST_F(Init, OtherExecutablesOfBenchmarksAreNamed) {
  write("bench/CMakeLists.txt", std::string(kGoogleBenchmark) +
                                    "\nadd_executable(second b.cpp)\n"
                                    "target_link_libraries(second benchmark::benchmark)\n"
                                    "target_link_libraries(second benchmark::benchmark_main)\n");
  write("perf/CMakeLists.txt",
        "add_executable(third b.cpp)\ntarget_link_libraries(third benchmark::benchmark)\n");
  const Finished finished = warpgauge("init --yes");
  EXPECT_NE(
      finished.output.find("ci/warpgauge.sh gates my_bench alone. For second, third, copy it"),
      std::string::npos)
      << finished.output;
}

// nvcc builds for an old GPU by itself.
TEST_F(Init, ItsBuildIsForTheArchitecturesOfTheProject) {
  struct Case {
    std::string cmake;
    std::string presets;
    std::string passed;  // to the cmake of the script
    std::string next;
  };
  const std::string names = "ci/warpgauge.sh builds for the GPU architectures that ";
  const std::string asks = "In ci/warpgauge.sh give the cmake the architecture of your GPU";
  const std::string cuda = "project(p LANGUAGES CXX CUDA)\n";
  const std::string target =
      "add_executable(b b.cu)\ntarget_link_libraries(b PRIVATE nvbench::main)\n";
  const std::string sets =
      "if(NOT X)\nset(CMAKE_CUDA_ARCHITECTURES 80 90a-real CACHE STRING \"\")\nendif()\n";
  const std::string presets =
      R"({"configurePresets": [1, {"name": "a", "cacheVariables": {}}, {"cacheVariables":
         {"CMAKE_CUDA_ARCHITECTURES": {"type": "STRING", "value": "75;86"}}}]})";
  const std::vector<Case> cases{
      {cuda, "", "", asks},
      {cuda + "# CUDA_ARCHITECTURES 80\n", "", "", asks},
      {cuda + sets, "", "'80;90a-real'", names + "CMakeLists.txt names: 80;90a-real."},
      {cuda + "set(CMAKE_CUDA_ARCHITECTURES \"80;90\")\n", "", "'80;90'", "names: 80;90."},
      {cuda + "set(CMAKE_CUDA_ARCHITECTURES $(id))\n", "", "", asks},
      {cuda + sets, presets, "'75;86'", names + "CMakePresets.json names: 75;86."},
      {cuda, R"({"configurePresets": {}})", "", asks},
      {cuda, "{", "", asks},
      {cuda + target, "", "", asks},
      {cuda + sets + target, "", "", names + "CMakeLists.txt names: 80;90a-real."},
      {cuda + target + "set_target_properties(b PROPERTIES CUDA_ARCHITECTURES ${mine})\n", "", "",
       ""},
      {cuda + target, presets, "'75;86'", names + "CMakePresets.json names: 75;86."},
      {kGoogleBenchmark, presets, "", ""}};
  for (const Case& each : cases) {
    fs::remove_all(folder_);
    write("CMakeLists.txt", each.cmake);
    if (!each.presets.empty()) write("CMakePresets.json", each.presets);
    const std::string next = warpgauge("init --yes").output;
    const std::string option = " -DCMAKE_CUDA_ARCHITECTURES=";
    const std::string script = files().at("ci/warpgauge.sh");
    EXPECT_EQ(contains(script, option), !each.passed.empty()) << each.cmake << script;
    EXPECT_TRUE(contains(script, each.passed.empty() ? "" : option + each.passed + " >")) << script;
    EXPECT_TRUE(contains(next, each.next)) << each.cmake << each.presets << next;
    EXPECT_EQ(contains(next, names) || contains(next, asks), !each.next.empty())
        << each.cmake << next;
  }
}

TEST_F(Init, OnACpuTheProcessorsTimeCounts) {
  write("bench/CMakeLists.txt", kGoogleBenchmark);
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  EXPECT_NE(files().at("ci/warpgauge.sh").find("--time cpu"), std::string::npos);
  fs::remove_all(folder_ / "ci");
  write("k.cu", "__global__ void k() {}");
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  EXPECT_EQ(files().at("ci/warpgauge.sh").find("--time cpu"), std::string::npos);
}

TEST_F(Init, WhoApprovesASuiteOfAProcessorIsToldWhatItsFiguresAreOf) {
  write("CMakeLists.txt", kGoogleBenchmark);
  const std::string alone = "these the baseline alone would find";
  const std::string runner = "approve on the runner, not on your laptop";
  const std::string text = warpgauge("init --yes --host github").output;
  EXPECT_TRUE(contains(text, alone) && contains(text, runner)) << text;
  // The results of an earlier job may be there.
  EXPECT_TRUE(contains(text, " --dir of_runner && rm -rf results && mv of_runner results")) << text;
  EXPECT_LT(text.find("set the variables WARPGAUGE_URL"), text.find(runner)) << text;
  EXPECT_LT(text.find(runner), text.find("On a machine of your own bash ci/warpgauge.sh gates"));
  fs::remove_all(folder_);
  write("k.cu", "");
  const std::string of_kernels = warpgauge("init --yes --host github").output;
  EXPECT_FALSE(contains(of_kernels, alone) || contains(of_kernels, runner)) << of_kernels;
}

TEST_F(Init, AProjectInAFolderIsBuiltFromThere) {
  write("CMakeLists.txt", "project(p)\nadd_subdirectory(src)");
  write("bench/CMakeLists.txt", "project(q)\nadd_subdirectory(x)\nadd_subdirectory(../bench)");
  write("bench/x/CMakeLists.txt",
        "add_subdirectory(..)\nadd_executable(b b.cpp)\n"
        "target_link_libraries(b benchmark::benchmark)");
  EXPECT_EQ(seen().source, "bench");
  write("bench/CMakeLists.txt", "add_subdirectory(x)");  // somebody else's CMake takes it in
  EXPECT_EQ(seen().source, ".");
  fs::rename(folder_ / "bench", folder_ / "of mine");
  write("of mine/CMakeLists.txt", "project(q)\nadd_subdirectory(x)");
  EXPECT_EQ(seen().source, ".");  // no word for a shell
}

TEST(InitCMake, TargetsThatAShellWouldRunAreNone) {
  const std::string text =
      "add_executable($(id) a.cpp)\ntarget_link_libraries($(id) benchmark::benchmark)\n"
      "add_executable(;id a)\ntarget_link_libraries(;id benchmark)\n";
  const ci::CMakeFacts facts = ci::facts_of_cmake(text);
  EXPECT_TRUE(facts.links_google_benchmark);
  EXPECT_EQ(facts.target, "");
}

TEST(InitCMake, FilesOfParenthesesAreReadAtOnce) {
  constexpr std::size_t kLargest = 524'288;
  for (const std::string each : {"(", "project(", "x ( "}) {
    for (const char* end : {"", ")", ") enable_language(CUDA)"}) {
      std::string text;
      while (text.size() < kLargest) text += each;
      const auto begin = std::chrono::steady_clock::now();
      const bool cuda = ci::facts_of_cmake(text + end).cuda;
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << each << end;
      EXPECT_EQ(cuda, std::string_view(end).size() > 1) << each << end;
    }
  }
}

TEST_F(Init, OnlyShowsWhereNobodyCanBeAsked) {
  write("a.py", "import triton");
  remote("https://github.com/acme/x");
  const Finished finished = warpgauge("init </dev/null");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(names(), std::vector<std::string>{"a.py"});
  for (const char* text : {"kernels in Triton (a.py); on GitHub (its remote)", "| name: Warpgauge",
                           "| /baselines/ @acme", "Nothing is written. To write 7 files"}) {
    EXPECT_NE(finished.output.find(text), std::string::npos) << text << "\n" << finished.output;
  }
}

TEST_F(Init, ThePolicySaysWhereFloorsOfOnesOwnComeFrom) {
  const std::map<std::string, std::string> floors{
      {"program", "`cat results/floors.toml >>ci/policy.toml`"},
      {"cpu", "`warpgauge calibrate results/session_*.json --policy-out new.toml`"},
      {"imported", "`warpgauge calibrate results/session_*.json --policy-out new.toml`"}};
  for (const auto& [profile, command] : floors)
    EXPECT_TRUE(contains(ci::policy_profile(profile).text, command)) << profile;
}

TEST_F(Init, AFolderWithoutGitIsSaidToBeOne) {
  write("whole/a.py", "import torch");
  const std::string says = "It is no git repository, so results name no commit, and ";
  EXPECT_TRUE(contains(warpgauge("init --root whole").output, says));
  write(".git/config", "");
  EXPECT_FALSE(contains(warpgauge("init --root whole").output, says));
}

TEST_F(Init, ShowsTheLinesOfOwnersWhomNoRemoteTells) {
  write("a.py", "import torch");
  EXPECT_TRUE(
      contains(warpgauge("init --yes").output,
               "in place of @OWNER:\n       /baselines/ @OWNER\n       /ci/policy.toml @OWNER\n"));
}

TEST_F(Init, QuietSaysOnlyWhatIsWritten) {
  write("a.py", "import torch");
  write(".gitignore", "*.o\n");
  EXPECT_EQ(warpgauge("init --quiet").output,
            "Nothing is written. To write 4 files: warpgauge init --yes\n");
  EXPECT_EQ(warpgauge("init --yes --quiet").output, "4 files written.\n");
  EXPECT_EQ(warpgauge("init --quiet").output,
            "No file is missing; without --quiet it shows the lines to add.\n");
  write(".gitignore", "build\nresults\n");
  EXPECT_EQ(warpgauge("init --quiet").output, "Nothing is missing.\n");
}

TEST_F(Init, WritesWhatItShowedAndThenFindsNothingMissing) {
  write("a.py", "import torch");
  remote("https://github.com/acme/x");
  write("deep/below/file", "");
  const Finished finished = shell("cd '" + (folder_ / "deep/below").string() + "' && " +
                                  quoted(WARPGAUGE) + " init --yes");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const std::vector<std::string> expected{
      ".gitattributes", ".github/workflows/warpgauge.yml", ".gitignore",     "CODEOWNERS",
      "a.py",           "bench/warpgauge_bench.py",        "ci/policy.toml", "ci/warpgauge.sh",
      "deep/below/file"};
  EXPECT_EQ(names(), expected);
  EXPECT_NO_THROW((void)ci::parse_policy(files().at("ci/policy.toml"), "policy"));
  const auto before = all_files();
  const Finished again = warpgauge("init --yes");
  EXPECT_TRUE(contains(again.output, "Nothing is missing. Left to you, unless it is done, in " +
                                         folder_.string() + ":\n  1. Put your own kernels into "))
      << again.output;
  EXPECT_EQ(all_files(), before);
}

TEST_F(Init, WhatIsThereStaysAndIsToldWhatToAdd) {
  write("CMakeLists.txt", kGoogleBenchmark);
  remote("https://gitlab.com/acme/x");
  write(".gitlab-ci.yml", "stages: [build, test]\n");
  write(".gitattributes", "*.png binary\n");
  write(".gitignore", "/build\nresults/\n");
  write("docs/CODEOWNERS", "* @someone\n");
  write("ci/policy.toml", "mine");
  fs::create_symlink("nowhere", folder_ / "ci/warpgauge.sh");
  const auto before = files();
  const Finished finished = warpgauge("init --yes");
  EXPECT_EQ(finished.status, 0) << finished.output;
  for (const auto& [name, content] : before) EXPECT_EQ(files().at(name), content) << name;
  EXPECT_TRUE(fs::is_symlink(folder_ / "ci/warpgauge.sh"));
  EXPECT_EQ(files().size(), before.size() + 1);
  EXPECT_TRUE(files().contains("ci/warpgauge.gitlab-ci.yml"));
  for (const char* text :
       {"kept: .gitlab-ci.yml is there already; it lacks 1 line\n",
        "kept: docs/CODEOWNERS is there already; it lacks 4 lines\n",
        "kept: .gitignore is there already\n", "kept: ci/warpgauge.sh is there already\n",
        "Add to .gitattributes what it lacks:\n       echo '/baselines/** text eol=lf' "
        ">>.gitattributes\n",
        "Add to docs/CODEOWNERS what it lacks:\n       echo '/baselines/ @acme' "
        ">>docs/CODEOWNERS\n"}) {
    EXPECT_NE(finished.output.find(text), std::string::npos) << text << "\n" << finished.output;
  }
}

// So that the next `git add --all` takes in no results.
TEST_F(Init, LinesToAddByHandAreTheFirstStepsAsCommands) {
  write("CMakeLists.txt", kGoogleBenchmark);
  write(".git/config", "");
  write(".gitignore", "*.o\n/build/");
  write(".gitattributes", "*.png binary\n");
  write("CODEOWNERS", "* @someone\n");
  const std::string dry = warpgauge("init </dev/null").output;
  EXPECT_TRUE(contains(dry, "kept: .gitignore is there already; add by hand:\n  + /results/\n"))
      << dry;
  const std::string in_folder = "in " + folder_.string() + ":\n  1. Add to .gitattributes ";
  EXPECT_TRUE(contains(dry, "Next, once these are written, " + in_folder)) << dry;
  const std::string written = warpgauge("init --yes").output;
  EXPECT_TRUE(contains(written, " written. Next, " + in_folder)) << written;
  EXPECT_LT(written.find("Add to .gitignore"), written.find("run bash ci/warpgauge.sh")) << written;
  const std::string left = warpgauge("init").output;
  EXPECT_FALSE(contains(left, "Nothing is missing.")) << left;
  EXPECT_TRUE(contains(left, "No file is missing. Left to you, unless it is done, " + in_folder))
      << left;
  // Nobody can copy what a name is missing in.
  EXPECT_TRUE(
      contains(left,
               "In CODEOWNERS add to its end, with who must agree to changes of these in place "
               "of @OWNER:\n       /baselines/ @OWNER\n"))
      << left;
  std::string commands;
  std::istringstream lines(left.substr(0, left.find("In CODEOWNERS")));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("       ")) commands += line + "\n";
  ASSERT_EQ(shell("cd '" + folder_.string() + "' && { " + commands + "}").status, 0) << commands;
  EXPECT_EQ(files().at(".gitignore"), "*.o\n/build/\n/results/\n");
  EXPECT_EQ(files().at(".gitattributes"), "*.png binary\n/baselines/** text eol=lf\n");
  write("CODEOWNERS", "/baselines/ @a\n/ci/policy.toml @a\n/ci/warpgauge.sh @a\n");
  EXPECT_TRUE(contains(warpgauge("init").output, "Nothing is missing."))
      << warpgauge("init").output;
}

TEST_F(Init, WhatIsWrittenAtOnceIsNamedInALineAFile) {
  write("a.py", "import torch");
  const std::string text = warpgauge("init --yes").output;
  EXPECT_FALSE(contains(text, "import torch\n")) << text;
  EXPECT_TRUE(contains(text, "\nnew: ci/warpgauge.sh: builds, measures and gates; ")) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 25) << text;
}

TEST_F(Init, EachFileIsShownFirstAndOfALongOneItsBeginning) {
  write("a.py", "import torch");
  const std::string shown = warpgauge("init --host github </dev/null").output;
  const std::string begins =
      "\nnew: ci/warpgauge.sh: builds, measures and gates; the pipeline calls it, and so can you\n"
      "  | #!/usr/bin/env bash\n";
  EXPECT_TRUE(contains(shown, begins)) << shown;
  EXPECT_TRUE(contains(shown, "\n  | /results/\n")) << shown;
  EXPECT_TRUE(contains(shown, " lines more, which --verbose shows\n")) << shown;
  EXPECT_LT(std::count(shown.begin(), shown.end(), '\n'), 100) << shown;
  const std::string whole = warpgauge("init --host github --verbose </dev/null").output;
  EXPECT_TRUE(contains(whole, begins)) << whole;
  EXPECT_TRUE(contains(whole, "\n  | import torch\n")) << whole;
  EXPECT_FALSE(contains(whole, "lines more")) << whole;
}

TEST_F(Init, TheCommandThatItNamesHasTheOptions) {
  write("a project/a.py", "import torch");
  const std::string text = warpgauge("init --host gitlab --root 'a project' </dev/null").output;
  EXPECT_NE(text.find("files: warpgauge init --yes --root 'a project' --host gitlab\n"),
            std::string::npos)
      << text;
}

TEST_F(Init, AnIncludeOfGitLabIsAddedTo) {
  for (const char* pipeline :
       {"include: other.yml\n", "stages: [test]\ninclude:\n  - local: other.yml\n"}) {
    write(".gitlab-ci.yml", pipeline);
    const std::string text = warpgauge("init --yes").output;
    EXPECT_TRUE(contains(text,
                         "In .gitlab-ci.yml add to the list of the include: that is there:\n"
                         "         - local: ci/warpgauge.gitlab-ci.yml\n"))
        << text;
    EXPECT_FALSE(contains(text, ">>.gitlab-ci.yml")) << text;
  }
}

TEST_F(Init, StagesOfGitLabWithoutTestAreSaid) {
  const std::map<std::string, bool> lacking{
      {"stages: [build, 'test']\n", false},
      {"build:\n  script: make\n", false},
      {"stages:\n  - build\n\n- test  # all\njob:\n  stage: test\n", false},
      {"stages: [build, tests]\njob:\n  script: test\n", true},
      {"stages:  # test\n- build\n- deploy\ntest:\n  script: make\n", true},
      {"stages: [\n  build,\n  deploy\n]\n", true}};
  const auto said = [&] {
    const ci::Proposal proposal = ci::propose(seen());
    return std::any_of(proposal.next.begin(), proposal.next.end(), [](const ci::NextStep& each) {
      return contains(each.text, "give each job a stage:");
    });
  };
  for (const auto& [pipeline, lacks] : lacking) {
    write(".gitlab-ci.yml", pipeline);
    EXPECT_EQ(said(), lacks) << pipeline;
  }
  write(".gitlab-ci.yml", "stages: [build]\n");
  EXPECT_TRUE(said());
  write("ci/warpgauge.gitlab-ci.yml", "warpgauge:\n  stage: build\n");
  EXPECT_FALSE(said());
}

TEST_F(Init, TheOwnersAreThoseThatTheHostReads) {
  const std::vector<std::string> places{".github/CODEOWNERS", ".gitlab/CODEOWNERS",
                                        "docs/CODEOWNERS", "CODEOWNERS"};
  const std::map<std::string, std::vector<std::string>> read{
      {"github", {".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}},
      {"gitlab", {"CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}}};
  for (const auto& [host, order] : read) {
    for (const std::string& place : places) write(place, "");
    for (const std::string& first : order) {
      const std::string text = warpgauge("init --host " + host).output;
      EXPECT_NE(text.find("kept: " + first + " is there already; add by hand:\n  + /baselines/"),
                std::string::npos)
          << host << ": " << first << "\n"
          << text;
      fs::remove(folder_ / first);
    }
    EXPECT_EQ(warpgauge("init --host " + host).output.find("kept: "), std::string::npos);
  }
}

TEST_F(Init, TheOwnersOwnThePipelineThatIsWritten) {
  const std::map<std::string, std::string> pipelines{
      {"github", "/ci/warpgauge.sh @acme\n/.github/workflows/warpgauge.yml @acme\n/CODEOWNERS "},
      {"gitlab", "/ci/warpgauge.gitlab-ci.yml @acme\n/.gitlab-ci.yml @acme\n/CODEOWNERS "}};
  for (const auto& [host, lines] : pipelines) {
    fs::remove_all(folder_);
    remote("https://" + host + ".com/acme/x");
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    const std::string text = files().at("CODEOWNERS");
    EXPECT_NE(text.find(lines), std::string::npos) << text;
    EXPECT_NE(warpgauge("init --yes").output.find("Nothing is missing."), std::string::npos);
  }
}

TEST_F(Init, ThePipelinesCallTheReleasesGateForEveryReport) {
  const std::map<std::string, std::string> pipelines{{"github", ".github/workflows/warpgauge.yml"},
                                                     {"gitlab", "ci/warpgauge.gitlab-ci.yml"}};
  write("a.py", "import torch");
  for (const auto& [host, path] : pipelines) {
    ASSERT_EQ(warpgauge("init --yes --host " + host).status, 0);
    const std::string text = files().at(path);
    for (const char* part : {"/../share/warpgauge/pipeline/gate.sh\"", "SCRIPT", "MERGE_BASE"}) {
      EXPECT_NE(text.find(part), text.npos) << host << ": " << part << "\n" << text;
    }
    EXPECT_EQ(text.find("bash ci/warpgauge.sh"), text.npos) << text;
  }
  EXPECT_NE(files().at("ci/warpgauge.sh").find("--merge-base=$MERGE_BASE"), std::string::npos);
}

TEST_F(Init, OnlyWholeLinesOfGitignoreCount) {
  write("a.py", "import torch");
  write(".gitignore", "test_results/\n# build\nbuild/deep/\n//\n");
  const std::string kept = "kept: .gitignore is there already; add by hand:\n";
  const Finished neither = warpgauge("init");
  EXPECT_NE(neither.output.find(kept + "  + /build/\n  + /results/\n"), std::string::npos)
      << neither.output;
  write(".gitignore", "build/\r\nother");
  const Finished one = warpgauge("init");
  EXPECT_NE(one.output.find(kept + "  + /results/\n"), std::string::npos) << one.output;
}

TEST_F(Init, AFileThatAppearsMeanwhileIsNotOverwritten) {
  write("a.py", "import torch");
  const ci::Proposal proposal = ci::propose(seen());
  write("ci/policy.toml", "mine");
  const auto before = files();
  EXPECT_THROW(ci::write_proposal(folder_, proposal), ci::Error);
  EXPECT_EQ(files(), before);
}

TEST_F(Init, NothingIsWrittenOutside) {
  fs::create_directory(folder_ / "repository");
  fs::create_directory(folder_ / "elsewhere");
  fs::create_directory_symlink("../elsewhere", folder_ / "repository/ci");
  const Finished finished = warpgauge("init --yes --root repository");
  EXPECT_EQ(finished.status, 64) << finished.output;
  EXPECT_NE(finished.output.find("ci/warpgauge.sh would lie outside"), std::string::npos)
      << finished.output;
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(Init, WithoutAHostThereIsNoPipelineButWhenItIsNamed) {
  write("k.cu", "");
  EXPECT_NE(warpgauge("init").output.find("new: bench/warpgauge/bench.cu"), std::string::npos);
  EXPECT_EQ(warpgauge("init").output.find("workflows"), std::string::npos);
  EXPECT_NE(warpgauge("init --host github").output.find("new: .github/workflows/warpgauge.yml"),
            std::string::npos);
  EXPECT_NE(warpgauge("init --host gitlab").output.find("new: ci/warpgauge.gitlab-ci.yml"),
            std::string::npos);
  const std::string how = "no pipeline: nothing says where this is hosted; name it with --host ";
  EXPECT_FALSE(contains(warpgauge("init --host github").output, how));
  for (const char* each : {"init </dev/null", "init --yes"})
    EXPECT_TRUE(contains(warpgauge(each).output, how)) << warpgauge(each).output;
}

TEST_F(Init, GoogleBenchmarkBesidePyTorchIsOfTheProcessor) {
  write("tools/plot.py", "import torch\n");
  write("CMakeLists.txt", kGoogleBenchmark);
  EXPECT_EQ(ci::gated_of(seen()), ci::Gated::cpu_times);
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  EXPECT_EQ(files().at("ci/policy.toml"), ci::policy_profile("cpu").text);
}

// Each kind's scripts are ones that a shell reads to the end.
TEST_F(Init, ItsScriptsAreShellScripts) {
  const std::map<std::string, std::string> kinds{{"a.py", "import torch"},
                                                 {"b.cu", ""},
                                                 {"CMakeLists.txt", kGoogleBenchmark},
                                                 {"c.cu", "#include <nvbench/nvbench.cuh>"},
                                                 {"nothing", ""}};
  for (const auto& [name, content] : kinds) {
    fs::remove_all(folder_);
    write(name, content);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    const Finished checked = shell("bash -n '" + (folder_ / "ci/warpgauge.sh").string() + "'");
    EXPECT_EQ(checked.status, 0) << name << checked.output;
  }
}

}  // namespace
}  // namespace warpgauge
