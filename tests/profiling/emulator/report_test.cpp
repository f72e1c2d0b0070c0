// SPDX-License-Identifier: Apache-2.0
// What a program on the emulator tells at its exit. The table itself: docs/explain/emulator.md,
// compared by docs.example_prints_what_is_shown.
#include "profiling/emulator/report/report.hpp"

#include <unistd.h>

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

}  // namespace
}  // namespace warpgauge::emulator
