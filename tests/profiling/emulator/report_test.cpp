// SPDX-License-Identifier: Apache-2.0
// What a program on the emulator tells at its exit. The table itself: docs/explain/emulator.md,
// compared by docs.example_prints_what_is_shown.
#include "profiling/emulator/report/report.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/transpose.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

__global__ void races(float* out) {
  __shared__ float words[64];
  words[threadIdx.x] = 1;
  out[threadIdx.x] = words[63 - threadIdx.x];
}

__global__ void counts(int* count) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, sum);
}

// Ends its own process, which takes a while.
__global__ void kills_and_waits(volatile int* flag, int signal) {
  if (blockIdx.x == 0 && threadIdx.x == 0) kill(getpid(), signal);
  while (*flag == 0) {
  }
}

void transpose_one_tile() {
  const DeviceBuffer<float> in(std::vector<float>(1024));
  const DeviceBuffer<float> out(1024);
  launch(transpose_tiled<0>, 1, dim3(32, 8), in.data(), out.data(), std::size_t{32},
         std::size_t{32});
}

using ReportDeathTest = testing::Test;

TEST(ReportDeathTest, TellsWhatEachKernelDid) {
  const auto program = [] {
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    transpose_one_tile();
    transpose_one_tile();
    std::exit(0);
  };
  EXPECT_EXIT(
      program(), testing::ExitedWithCode(0),
      "transpose_tiled<0>: 2 launches, 2 barriers\n(.*\n)* +kernels/transpose.cuh:[0-9]+ +shared "
      "load +4 +64 +2048 wavefronts +32.00 +1.00 +if .*tile\\[threadIdx.x\\]\\[j\\];\n");
}

TEST(ReportDeathTest, LeavesOutWhatIsObserved) {
  const auto program = [] {
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    (void)observe(transpose_one_tile);
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "no kernel was launched");
}

TEST(ReportDeathTest, ErrorsMakeTheExitStatusFour) {
  const auto program = [](int status) {
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    const DeviceBuffer<float> out(64);
    launch(races, 1, 64, out.data());
    std::exit(status);
  };
  EXPECT_EXIT(program(0), testing::ExitedWithCode(4), "race(.*\n)*.*errors?, reported above");
  EXPECT_EXIT(program(7), testing::ExitedWithCode(7), "race(.*\n)*.*errors?, reported above");
}

TEST(ReportDeathTest, GoesToTheFileThatTheEnvironmentNames) {
  const auto path =
      std::filesystem::temp_directory_path() / ("warpgauge_report_" + std::to_string(getpid()));
  const auto program = [&] {
    setenv("WARPGAUGE_REPORT", path.c_str(), 1);
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    transpose_one_tile();
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "^$");
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  EXPECT_NE(text.str().find("transpose_tiled<0>: 1 launch, 1 barrier\n"), std::string::npos)
      << text.str();
}

// What a program reads: all launches, and the first alone.
TEST(ReportDeathTest, IsJsonInAFileThatIsCalledSo) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("warpgauge_report_" + std::to_string(getpid()) + ".json");
  const auto program = [&] {
    setenv("WARPGAUGE_REPORT", path.c_str(), 1);
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    transpose_one_tile();
    transpose_one_tile();
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "^$");
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  EXPECT_EQ(
      text.str().find("{\"version\": 1, \"kernels\": [{\"name\": \"transpose_tiled<0>\", "
                      "\"launches\": 2, \"unfinished\": 0, \"barriers\": 2, \"findings\": []"),
      0U)
      << text.str();
  const std::string load = "\"access\": \"shared_load\", \"bytes\": 4, \"requests\": ";
  const std::size_t all = text.str().find(load + "64, \"wavefronts\": 2048");
  const std::size_t first = text.str().find("\"first_launch\": {\"symbol\": \"void ");
  EXPECT_LT(all, first) << text.str();
  EXPECT_NE(text.str().find(load + "32, \"wavefronts\": 1024", first), std::string::npos)
      << text.str();
}

TEST(ReportDeathTest, CountsWhatIsToldOnce) {
  const auto program = [] {
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    const DeviceBuffer<float> out(64);
    for (int turn = 0; turn < 5; ++turn) launch(races, 1, 64, out.data());
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(4),
              "^[^\n]*uninitialized[^\n]*\n[^\n]*race[^\n]*\nWarpgauge(.*\n)*races: 5 "
              "launches(.*\n)*.*errors?, reported "
              "above\n(.*\n)*    [0-9]+ times in 5 launches: .*race");
}

TEST(ReportDeathTest, SaysWhichFiguresAreExact) {
  const auto program = [](bool counted) {
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    if (counted) {
      const DeviceBuffer<int> count(std::vector<int>{0});
      launch(counts, 1, 64, count.data());
    } else {
      transpose_one_tile();
    }
    std::exit(0);
  };
  EXPECT_EXIT(program(false), testing::ExitedWithCode(0),
              "  figures: exact, as written; time: unsupported\n");
  EXPECT_EXIT(
      program(true), testing::ExitedWithCode(0),
      "  figures: exact, as written, but approximate the wavefronts of shared atomics, sectors "
      "of global atomics; time: unsupported\n");
}

TEST(ReportDeathTest, SurvivesASignal) {
  const auto program = [](int signal, bool while_a_kernel_runs) {
    std::signal(signal, SIG_DFL);  // ignored in what a shell's script starts in the background
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    const DeviceBuffer<float> out(64);
    const DeviceBuffer<int> flag(std::vector<int>{0});
    launch(races, 1, 64, out.data());
    if (while_a_kernel_runs) {
      launch(kills_and_waits, 2, 64, static_cast<volatile int*>(flag.data()), signal);
    } else {
      kill(getpid(), signal);
    }
    for (;;) pause();
  };
  for (const int signal : {SIGTERM, SIGINT}) {
    EXPECT_EXIT(
        program(signal, false), testing::KilledBySignal(signal),
        "race(.*\n)*Warpgauge emulator: ended by SIG(TERM|INT); until then:\n(.*\n)*races: 1 "
        "launch(.*\n)*.*reported above");
    EXPECT_EXIT(
        program(signal, true), testing::KilledBySignal(signal),
        "races: 1 launch(.*\n)*kills_and_waits: 1 launch, .*\n(.*\n)*  figures: incomplete, "
        "for the launch ended early");
  }
}

TEST(ReportDeathTest, LeavesSignalsAloneThatTheProgramIgnores) {
  const auto program = [] {
    std::signal(SIGINT, SIG_IGN);
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    kill(getpid(), SIGINT);
    std::exit(3);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(3), "no kernel was launched");
}

TEST(ReportDeathTest, TakesSeveritiesOfTheEnvironment) {
  const auto program = [](const char* severities, const char* on_error) {
    setenv("WARPGAUGE_SEVERITY", severities, 1);
    setenv("WARPGAUGE_ON_ERROR", on_error, 1);
    static const ReportAtExit report(TEST_SOURCE_ROOT);
    const DeviceBuffer<float> out(64);
    launch(races, 1, 64, out.data());
    std::exit(cudaDeviceSynchronize() == cudaSuccess ? 0 : 9);
  };
  EXPECT_EXIT(program("", ""), testing::ExitedWithCode(9), "reported above");
  EXPECT_EXIT(program("", "continue"), testing::ExitedWithCode(4), "reported above");
  EXPECT_EXIT(program("race=remark,uninitialized=remark", "stop"), testing::ExitedWithCode(0),
              "remark, [0-9]+ times in 1 launch: shared memory race");
  EXPECT_EXIT(
      program("rice=remark", ""), testing::ExitedWithCode(64),
      "WARPGAUGE_SEVERITY: `rice=remark` is not a severity: write KIND=error or KIND=remark; "
      "the kinds are race, same-value");
  EXPECT_EXIT(program("", "go"), testing::ExitedWithCode(64),
              "WARPGAUGE_ON_ERROR: `go` is neither `stop` nor `continue`");
}

}  // namespace
}  // namespace warpgauge::emulator
