// SPDX-License-Identifier: Apache-2.0
// Which commands are another profiler's, which would leave ours nothing to record.
#include "ci/measure/program/foreign_profiler.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace warpgauge::ci {
namespace {

using Command = std::vector<std::string>;

const char* nothing_set(const char*) { return nullptr; }

TEST(ForeignProfiler, IsFoundBehindWhatStartsIt) {
  for (const auto& [command, tool] : std::vector<std::pair<Command, std::string>>{
           {{"nsys", "profile", "x"}, "nsys"},
           {{"/opt/nvidia/bin/ncu", "x"}, "ncu"},
           {{"env", "A=1", "-i", "nsys", "profile", "x"}, "nsys"},
           {{"timeout", "10m", "taskset", "0xff", "compute-sanitizer", "x"}, "compute-sanitizer"},
           {{"mpirun", "-n", "4", "ncu", "x"}, "ncu"},
           {{"python3", "-u", "-m", "nsys.main", "x"}, "nsys"},
           {{"sh", "-c", "cd build && A=1 'nsys' profile ./x"}, "nsys"},
           {{"bash", "-lc", "./x; cuda-gdb ./x"}, "cuda-gdb"},
           {{"env", "CUDA_INJECTION64_PATH=/x.so", "./x"},
            "a library that CUDA_INJECTION64_PATH names"},
           {{"sh", "-c", "NVTX_INJECTION64_PATH=/x.so ./x"},
            "a library that NVTX_INJECTION64_PATH names"}}) {
    EXPECT_EQ(other_profiler(command, nothing_set), tool) << command.front();
  }
}

TEST(ForeignProfiler, IsNoArgumentOfTheProgramItself) {
  for (const Command& command :
       {Command{"./bench", "nsys"}, Command{"python3", "bench.py", "-m", "ncu"},
        Command{"python3", "-m", "pytest", "nsys"}, Command{"env", "A=nsys", "./bench", "ncu"},
        Command{"sh", "-c", "./bench nsys && ./other ncu"}, Command{"bash", "run.sh", "ncu"},
        Command{}}) {
    EXPECT_EQ(other_profiler(command, nothing_set), "");
  }
}

TEST(ForeignProfiler, IsSeenByWhatItLeavesInTheEnvironment) {
  for (const auto& [variable, tool] : std::vector<std::pair<std::string, std::string>>{
           {"NSYS_PROFILING_SESSION_ID", "nsys"},
           {"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "ncu"},
           {"NVTX_INJECTION64_PATH", "a library that NVTX_INJECTION64_PATH names"}}) {
    const auto environment = [&, &name = variable](const char* asked) {
      return name == asked ? "1" : nullptr;
    };
    EXPECT_EQ(other_profiler({"x"}, environment), tool);
  }
}

}  // namespace
}  // namespace warpgauge::ci
