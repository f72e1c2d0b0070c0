// SPDX-License-Identifier: Apache-2.0
// The scripts that `warpgauge init` writes, run with programs that stand in for others.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ci/init/filled.hpp"
#include "ci/policy/profiles.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/init/init_folder.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

TEST_F(Init, ATargetThatIsNotThereIsSaidWithWhatToDo) {
  write("CMakeLists.txt", kGoogleBenchmark);
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  program("bin/warpgauge", "true");
  program("bin/cmake", "test \"$1\" != --build");
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 4);
  EXPECT_TRUE(contains(finished.output, "CMake has no target my_bench: give the cmake in "))
      << finished.output;
  builds();
  const Finished elsewhere = gate();
  EXPECT_EQ(elsewhere.status, 4);
  EXPECT_TRUE(contains(elsewhere.output, "there is no my_bench below build/warpgauge"))
      << elsewhere.output;
}

TEST_F(Init, AnErrorOfTheCompilerIsNoMatterOfOptions) {
  write("CMakeLists.txt", kGoogleBenchmark);
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  program("bin/warpgauge", "true");
  write("build/warpgauge/CMakeFiles/TargetDirectories.txt", "/x/CMakeFiles/my_bench.dir\n");
  program(
      "bin/cmake",
      "[ \"$1\" = --build ] || exit 0; echo 'a.cpp:1: error: no such thing'; echo more; exit 2");
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 4);
  EXPECT_TRUE(contains(finished.output,
                       "ci/warpgauge.sh: my_bench was not built. The first errors, of all in "
                       "build/warpgauge/build.log:\na.cpp:1: error: no such thing\n"))
      << finished.output;
  EXPECT_FALSE(contains(finished.output, "-DNAME")) << finished.output;
  EXPECT_TRUE(contains(files().at("build/warpgauge/build.log"), "more"));
  program("bin/cmake", "[ \"$1\" = --build ]");
  const Finished unconfigured = gate();
  EXPECT_EQ(unconfigured.status, 4);
  EXPECT_TRUE(contains(unconfigured.output, "CMake did not configure the build"))
      << unconfigured.output;
  // Nothing but these is found.
  fs::remove(folder_ / "bin/cmake");
  for (const std::string each : {"bash", "dirname", "mkdir", "rm"})
    fs::create_symlink("/usr/bin/" + each, folder_ / "bin" / each);
  const Finished without = gate("", "PATH=bin");
  EXPECT_EQ(without.status, 4);
  EXPECT_TRUE(contains(without.output, "there is no cmake, which builds my_bench: install it"))
      << without.output;
}

TEST_F(Init, AWordThatIsNoOptionIsAnsweredByWhatThereIs) {
  for (const auto& [name, content] : std::map<std::string, std::string>{
           {"k.cu", ""}, {"CMakeLists.txt", kGoogleBenchmark}, {"a.py", "import torch"}}) {
    fs::remove_all(folder_);
    write(name, content);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    program("bin/warpgauge", "echo called");
    const Finished finished = gate("build");
    EXPECT_EQ(finished.status, 64) << name;
    EXPECT_TRUE(finished.output.starts_with(
        "ci/warpgauge.sh: 'build' is no option. There is:\nbash ci/warpgauge.sh [options of "))
        << finished.output;
    EXPECT_FALSE(contains(finished.output, "called")) << finished.output;
    EXPECT_EQ(contains(finished.output, "ci/warpgauge.sh --build "), name != "a.py")
        << finished.output;
    if (name == "a.py") {
      EXPECT_EQ(gate("--build").status, 64);
      EXPECT_TRUE(contains(gate("--build").output, "where there is something to build"));
    }
    for (const char* told :
         {"Ends with 0: pass", "\n  WARPGAUGE=PROGRAM ", "\n  MERGE_BASE=REVISION "})
      EXPECT_TRUE(contains(finished.output, told)) << finished.output;
    for (const char* of_cpu : {"\n  WARPGAUGE_PROCESSES=NUMBER ", "\n  WARPGAUGE_DEVICE=NAME "})
      EXPECT_EQ(contains(finished.output, of_cpu), name == "CMakeLists.txt") << finished.output;
    EXPECT_EQ(gate("--help").status, 0);
    EXPECT_TRUE(gate("--help").output.starts_with("bash ci/warpgauge.sh [options of "));
  }
}

// Measuring takes minutes, and so may building.
TEST_F(Init, AMistakeInTheOptionsIsSaidBeforeAnythingIsBuilt) {
  for (const auto& [name, options] : std::map<std::string, std::string>{
           {"k.cu", "--machine-code "}, {"c.cu", ""}, {"CMakeLists.txt", ""}}) {
    fs::remove_all(folder_);
    write(name, name == "c.cu"   ? "#include <nvbench/nvbench.cuh>"
                : name == "k.cu" ? ""
                                 : kGoogleBenchmark);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    program("bin/warpgauge", "exec " + quoted(WARPGAUGE) + " \"$@\"");
    program("bin/cmake", "echo compiled; exit 1");
    const auto refuses = [&](const std::string& more, const std::string& environment, int status,
                             const std::string& text) {
      write("results/verdict.json", "{}");
      write("results/summary.md", "of an earlier run");
      const Finished finished = gate(options + more, environment);
      EXPECT_EQ(finished.status, status) << name;
      EXPECT_TRUE(contains(finished.output, text)) << finished.output;
      EXPECT_FALSE(contains(finished.output, "compiled")) << finished.output;
      // An earlier run's is nothing to take for the answer to one that should have measured.
      const bool measures = status != 0 && !contains(more, "--build");
      for (const char* earlier : {"results/verdict.json", "results/summary.md"})
        EXPECT_NE(files().contains(earlier), measures) << more;
    };
    refuses("--explian x", "", 64,
            "ci/warpgauge.sh has no option --explian (did you mean '--explain'?); see bash "
            "ci/warpgauge.sh --help");
    refuses("--quiet", "MERGE_BASE=nowhere", 64, "nowhere");
    if (options.empty()) {
      refuses("--quiet", "WARPGAUGE_PROCESSES=abc", 64,
              "WARPGAUGE_PROCESSES is 'abc', which is no number from 2 to 999");
      refuses("--quiet", "WARPGAUGE_PROCESSES=1", 64, "no number from 2 to 999");
    }
    for (const std::string passed :
         {options.empty() ? "--looks 3" : "--out=x", "--json=x", "--baselines x", "--listed x"})
      refuses(
          passed, "", 64,
          "it sees to " + passed.substr(0, passed.find_first_of("= ")) + " itself: leave that out");
    refuses("--build x", "", 64, "--build stands alone");
    refuses("--check=true", "", 64, "--check takes no value");
    if (!options.empty())
      refuses("--against x", "", 64, "a program is compared with its baselines");
    for (const char* help : {"-h", "--filter x --help"}) refuses(help, "", 0, "bash ci/warpgauge");
    refuses("--quiet --check", "", 0, "Nothing was measured.");
    EXPECT_EQ(gate(options + "--quiet").status, 4);
    EXPECT_FALSE(files().contains("results/verdict.json")) << "of an earlier run";
  }
}

// Only the program knows which benchmarks are new.
TEST_F(Init, AFilterThatMatchesNothingIsRefusedBeforeMeasuring) {
  write("CMakeLists.txt", kGoogleBenchmark);
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  program("bin/warpgauge", "exec " + quoted(WARPGAUGE) + " \"$@\"");
  builds();
  write("results.json", results_text(emulated(), {{.id = "sort/8", .times_ns = {100, 101, 102}}}));
  ASSERT_EQ(
      warpgauge("approve results.json --reason x --baselines baselines/google_benchmark").status,
      0);
  const auto lists = [&](const std::string& names) {
    program("bin/built/my_bench", "[ \"$1\" = --benchmark_list_tests=true ] && exec printf '" +
                                      names +
                                      "'\n[ \"$1\" = --help ] || { echo measured >&2; exit 1; }");
  };
  lists("sort/8\\nmerge/8\\n");
  for (const char* options : {"--filter srot", "--filter srot --check"}) {
    const Finished finished = gate(options);
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_TRUE(
        contains(finished.output, "--filter 'srot' matches no benchmark (did you mean 'sort'?)"))
        << finished.output;
  }
  for (const char* options : {"--filter merge --check", "--filter sort --check"})
    EXPECT_EQ(gate(options).status, 0) << gate(options).output;
  // The second of a name is measured as NAME_2.
  lists("sort/8\\nsort/8\\n");
  EXPECT_EQ(gate("--filter sort_2 --check").status, 0) << gate("--filter sort_2 --check").output;
  EXPECT_EQ(gate("--filter sort_3 --check").status, 64);
  lists("sort/8\\nmerge/8\\n");
  EXPECT_TRUE(contains(gate("--filter merge").output, "measured")) << gate("--filter merge").output;
  // One that lists none may have some all the same.
  lists("");
  EXPECT_EQ(gate("--filter srot --check").status, 0) << gate("--filter srot --check").output;
  // A folder of baselines may be there, and nothing in it.
  fs::remove_all(folder_ / "baselines/google_benchmark");
  for (const bool empty : {false, true}) {
    if (empty) fs::create_directories(folder_ / "baselines/google_benchmark");
    EXPECT_TRUE(contains(gate("--filter srot --check").output,
                         "note: nothing is approved in baselines/google_benchmark yet, so --filter "
                         "'srot' is not checked\n"));
    lists("sort/8\\n");
    EXPECT_EQ(gate("--filter srot --check").status, 64);
    lists("");
  }
}

TEST_F(Init, ThatOnlyASampleIsGuardedIsSaidAtEachGate) {
  for (const auto& [name, content, sample] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"k.cu", "", "bench/warpgauge/bench.cu"},
           {"a.py", "import torch", "bench/warpgauge_bench.py"},
           {"b.py", "import triton", "bench/warpgauge_bench.py"}}) {
    fs::remove_all(folder_);
    write(name, content);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    program("bin/warpgauge", "true");
    builds();
    program("bin/built/warpgauge_bench", "true");
    const std::string says = "ci/warpgauge.sh: only the sample in " + sample +
                             " is guarded, nothing of your own: replace it there\n";
    EXPECT_TRUE(contains(gate().output, says)) << gate().output;
    if (name == "k.cu") {
      EXPECT_TRUE(contains(gate("--machine-code").output, says)) << gate("--machine-code").output;
    }
    write(sample, "of our own");
    EXPECT_FALSE(contains(gate().output, "sample")) << gate().output;
  }
}

// Else its autotuner chooses anew in each start.
TEST_F(Init, TritonKeepsWhatItsAutotunerChose) {
  for (const auto& [content, exports] : std::map<std::string, std::string>{
           {"import triton", "autotuning=1\n"}, {"import torch", "autotuning=\n"}}) {
    fs::remove_all(folder_);
    write("a.py", content);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    program("bin/warpgauge", "echo autotuning=${TRITON_CACHE_AUTOTUNING:-}");
    const std::string output = gate().output;
    EXPECT_TRUE(contains(output, exports)) << output;
  }
}

// A project whose CMake takes its first answers from there builds for sm_75 the second time, where
// it built for sm_90.
TEST_F(Init, EachBuildIsConfiguredAsIfForTheFirstTime) {
  for (const auto& [name, content] :
       std::map<std::string, std::string>{{"k.cu", ""}, {"CMakeLists.txt", kGoogleBenchmark}}) {
    fs::remove_all(folder_);
    write(name, content);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    program("bin/cmake", std::string(kBuild) +
                             "[ \"$1\" = -S ] || exit 0; mkdir -p build/warpgauge; set -C; "
                             ": >build/warpgauge/CMakeCache.txt");
    for (const char* each : {"my_bench", "warpgauge_bench"})
      program(std::string("bin/built/") + each, "true");
    for (int each = 0; each < 2; ++each) {
      const Finished finished = gate("--build");
      EXPECT_EQ(finished.status, 0) << name << finished.output;
    }
  }
}

TEST_F(Init, ShellcheckFindsNothingInTheScripts) {
  if (shell("command -v shellcheck").status != 0) GTEST_SKIP() << "there is no shellcheck";
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
           {"k.cu", ""},
           {"c.cu", "#include <nvbench/nvbench.cuh>"},
           {"CMakeLists.txt", kGoogleBenchmark},
           {"CMakeLists.txt", std::string("enable_language(CUDA)\n") + kGoogleBenchmark},
           {"a.py", "import torch"},
           {"a.txt", ""}}) {
    fs::remove_all(folder_);
    write(name, content);
    ASSERT_EQ(warpgauge("init --yes --host github").status, 0);
    const Finished finished = shell("cd '" + folder_.string() + "' && shellcheck ci/*.sh");
    EXPECT_EQ(finished.status, 0) << name << "\n" << finished.output;
  }
}

TEST_F(Init, ATemplateIsFilledInWhole) {
  EXPECT_THROW((void)ci::filled("codeowners.in", {{"LINES", ""}}), std::logic_error);
  const std::string filled = ci::filled(
      "github_setup.in", {{"AND_COMPILED", "@JOB@"}, {"CCACHE_PATH", ""}, {"JOB", "gate"}});
  EXPECT_NE(filled.find("Restore the release@JOB@\n"), filled.npos) << filled;
  EXPECT_NE(filled.find("key: warpgauge-gate-"), filled.npos) << filled;
}

TEST_F(Init, WithoutAGpuTheMachineCodeIsGated) {
  write("k.cu", "");
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  builds();
  program("bin/built/warpgauge_bench", "true");
  program("bin/warpgauge", "echo \"$@\"");
  const auto run = [&] { return gate("--machine-code --explain x"); };
  const Finished first = run();
  EXPECT_EQ(first.status, 3) << first.output;
  EXPECT_NE(first.output.find("static build/warpgauge/warpgauge_bench --out"), std::string::npos);
  fs::create_directories(folder_ / "baselines/machine_code");
  const Finished second = run();
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_NE(second.output.find("compare baselines/machine_code results/results.json --json "),
            std::string::npos)
      << second.output;
  EXPECT_NE(second.output.find("--explain x"), std::string::npos) << second.output;
}

// 1 would say that it regressed.
TEST_F(Init, WhatCannotBeBuiltEndsWithFour) {
  for (const auto& [name, content] :
       std::map<std::string, std::string>{{"k.cu", ""}, {"CMakeLists.txt", kGoogleBenchmark}}) {
    for (const char* fails : {"-S", "--build"}) {
      fs::remove_all(folder_);
      write(name, content);
      ASSERT_EQ(warpgauge("init --yes").status, 0);
      program("bin/warpgauge", "true");
      program("bin/cmake", std::string("test \"$1\" != ") + fails);
      const Finished finished = gate();
      EXPECT_EQ(finished.status, 4) << name << " " << fails;
      EXPECT_EQ(finished.output.find("there is no bin/warpgauge"), std::string::npos)
          << finished.output;
    }
  }
}

TEST_F(Init, TheFirstThatAScriptAsksForIsTheProgram) {
  for (const auto& [name, content] :
       std::map<std::string, std::string>{{"k.cu", ""},
                                          {"c.cu", "#include <nvbench/nvbench.cuh>"},
                                          {"CMakeLists.txt", kGoogleBenchmark},
                                          {"a.py", "import torch"}}) {
    fs::remove_all(folder_);
    write(name, content);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    program("bin/cmake", "echo built");
    const Finished finished = gate();
    EXPECT_EQ(finished.status, 4) << name << finished.output;
    EXPECT_EQ(finished.output,
              "ci/warpgauge.sh: there is no bin/warpgauge: install a release, or name its program "
              "in WARPGAUGE\n");
  }
}

// ci/affected.sh builds so, in a copy from where a relative path leads nowhere.
TEST_F(Init, BuildingAsksForNoProgram) {
  for (const std::string& content :
       {std::string(), std::string("enable_language(CUDA)\n") + kGoogleBenchmark}) {
    fs::remove_all(folder_);
    write(content.empty() ? "k.cu" : "CMakeLists.txt", content);
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    builds();
    for (const char* each : {"my_bench", "warpgauge_bench"})
      program(std::string("bin/built/") + each, "true");
    const Finished finished = gate("--build");
    EXPECT_EQ(finished.status, 0) << finished.output;
  }
}

TEST_F(Init, ABenchmarkThatDoesNotStartSaysSoItself) {
  write("k.cu", "");
  write("CMakeLists.txt", kGoogleBenchmark);
  write(".git/config", "");
  const Finished proposed = warpgauge("init --yes");
  ASSERT_EQ(proposed.status, 0);
  EXPECT_NE(proposed.output.find("with Google Benchmark 1.8 or newer."), std::string::npos);
  EXPECT_TRUE(
      contains(proposed.output, "Commit these files, and run bash ci/warpgauge.sh on the machine"))
      << proposed.output;
  builds();
  program("bin/warpgauge", "true");
  program("bin/built/my_bench", "echo error while loading shared libraries >&2; exit 127");
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_NE(finished.output.find("error while loading shared libraries\n"), std::string::npos)
      << finished.output;
}

// Its own times are a processor's.
TEST_F(Init, GoogleBenchmarkWithCudaIsGatedByItsKernels) {
  write("CMakeLists.txt", std::string("enable_language(CUDA)\n") + kGoogleBenchmark);
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  EXPECT_EQ(files().at("ci/policy.toml"), ci::policy_profile("program").text);
  builds();
  program("bin/warpgauge", "echo \"$@\"");
  program("bin/built/bench/my_bench", "echo '[--benchmark_min_time=`<integer>x` OR `<float>s`]'");
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("gate --baselines baselines/bench --out results -- "
                                 "build/warpgauge/bench/my_bench --benchmark_min_time=20x\n"),
            std::string::npos)
      << finished.output;
  // Older versions accept only a minimum time, so each process would launch a different number.
  program("bin/built/bench/my_bench", "echo '[--benchmark_min_time=<min_time>]'");
  const Finished old = gate();
  EXPECT_EQ(old.status, 4) << old.output;
  EXPECT_NE(old.output.find("build it with Google Benchmark 1.8 or newer"), std::string::npos)
      << old.output;
  // Its machine code is the same by any version.
  const Finished machine_code = gate("--machine-code");
  EXPECT_EQ(machine_code.status, 3) << machine_code.output;
  EXPECT_NE(machine_code.output.find("static build/warpgauge/bench/my_bench --out"),
            std::string::npos)
      << machine_code.output;
}

}  // namespace
}  // namespace warpgauge
