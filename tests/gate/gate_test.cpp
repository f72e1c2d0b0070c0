// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "profiling/results/files.hpp"
#include "profiling/results/results.hpp"
#include "tests/process.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

class Gate : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "warpgauge gate XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] Finished gate(const std::string& suite, const fs::path& baselines) const {
    return warpgauge("gate --suite '" + suite + "' --baselines '" + baselines.string() +
                     "' --policy ci/policy.toml --out '" + (folder_ / "out").string() + "'");
  }

  [[nodiscard]] static Finished warpgauge(const std::string& arguments) {
    return shell(std::string("cd '") + SOURCE_ROOT + "' && " + quoted(WARPGAUGE) + " " + arguments);
  }

  fs::path folder_;
};

// "kernels/transpose.cuh:LINE" of the read of the tile.
std::string place_of_the_conflict() {
  std::istringstream lines(results::read_file(fs::path(SOURCE_ROOT) / "kernels" / "transpose.cuh"));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("= tile[threadIdx.x][j]") != std::string::npos) {
      return "kernels/transpose.cuh:" + std::to_string(number);
    }
  }
  return "no read of the tile in kernels/transpose.cuh";
}

TEST_F(Gate, PassesOnUnchangedKernels) {
  const Finished finished = gate(SUITE, "baselines");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_TRUE(fs::exists(folder_ / "out" / "results.json"));
  EXPECT_TRUE(fs::exists(folder_ / "out" / "summary.md"));
}

TEST_F(Gate, GoogleBenchmarksEnvironmentDoesNotReachTheSuite) {
  ASSERT_EQ(::setenv("BENCHMARK_FILTER", "none", 1), 0);
  ASSERT_EQ(::setenv("BENCHMARK_REPETITIONS", "2", 1), 0);
  const Finished finished = gate(SUITE, "baselines");
  ::unsetenv("BENCHMARK_FILTER");
  ::unsetenv("BENCHMARK_REPETITIONS");
  EXPECT_EQ(finished.status, 0) << finished.output;
}

TEST_F(Gate, NamesBenchmarkCounterAndLineWhenPaddingIsRemoved) {
  const Finished finished = gate(UNPADDED_SUITE, "baselines");
  EXPECT_EQ(finished.status, 1) << finished.output;
  const std::string summary = results::read_file(folder_ / "out" / "summary.md");
  for (const std::string& text : {finished.output, summary}) {
    for (const std::string& expected :
         {std::string("transpose/padded/256x192"), std::string("shared_load_wavefronts"),
          std::string("1 → 32"), place_of_the_conflict()}) {
      EXPECT_NE(text.find(expected), std::string::npos) << expected << " is not in\n" << text;
    }
  }
}

TEST_F(Gate, AnApprovedChangePasses) {
  const fs::path baselines = folder_ / "baselines";
  fs::copy(fs::path(SOURCE_ROOT) / "baselines", baselines, fs::copy_options::recursive);
  ASSERT_EQ(gate(UNPADDED_SUITE, baselines).status, 1);
  const Finished approved =
      warpgauge("approve '" + (folder_ / "out" / "results.json").string() + "' --baselines '" +
                baselines.string() + "' --reason 'no padding'");
  ASSERT_EQ(approved.status, 0) << approved.output;
  EXPECT_EQ(gate(UNPADDED_SUITE, baselines).status, 0);

  const Finished better = gate(SUITE, baselines);
  EXPECT_EQ(better.status, 0) << better.output;
  EXPECT_NE(better.output.find("improved"), std::string::npos) << better.output;
}

TEST_F(Gate, WithoutABaselineThereIsNoVerdictButACommand) {
  const Finished finished = gate(SUITE, folder_ / "none");
  EXPECT_EQ(finished.status, 3);
  EXPECT_NE(finished.output.find(" approve "), std::string::npos) << finished.output;
}

#ifdef SUITE_GPU
// The emulator and nvcc name every kernel alike, and see its accesses on the same lines.
TEST_F(Gate, EveryLineIsFoundInTheMachineCodeThatNvccMade) {
  const fs::path out = folder_ / "results.json";
  const Finished finished = warpgauge(std::string("run --suite '") + SUITE + "' --machine-code '" +
                                      SUITE_GPU + "' --out '" + out.string() + "'");
  ASSERT_EQ(finished.status, 0) << finished.output;
  std::size_t confirmed = 0;
  std::size_t merged = 0;
  for (const auto& benchmark : results::read_results(out).benchmarks) {
    for (const auto& line : benchmark.lines) {
      EXPECT_NE(line.compiled, results::Compiled::unknown) << benchmark.id << " " << line.text;
      confirmed += line.compiled == results::Compiled::confirmed ? 1 : 0;
      merged += line.compiled == results::Compiled::merged ? 1 : 0;
      if (benchmark.id.starts_with("transpose/padded/")) {
        EXPECT_EQ(line.compiled, results::Compiled::confirmed) << line.text;
      }
      // 32 loads a step of the loop are 4 of 16 bytes and 16 of 4.
      if (benchmark.id.starts_with("matmul/tiled_16/") &&
          line.access == results::Access::shared_load) {
        EXPECT_EQ(line.compiled, results::Compiled::merged) << line.text;
        EXPECT_EQ(line.instructions, "4 × LDS.128, 16 × LDS.32");
      }
    }
  }
  EXPECT_GT(confirmed, 1000U);
  EXPECT_GT(merged, 0U);
}
#endif

}  // namespace
}  // namespace warpgauge
