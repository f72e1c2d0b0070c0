// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "profiling/results/files/files.hpp"
#include "profiling/results/results.hpp"
#include "tests/helpers/process.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

class Gate : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "warpgauge gate XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] Finished gate(const std::string& suite, const fs::path& baselines,
                              const std::string& more = "") const {
    return warpgauge("gate --suite '" + suite + "' --baselines '" + baselines.string() +
                     "' --policy ci/policy.toml --out '" + (folder_ / "out").string() + "' " +
                     more);
  }

  [[nodiscard]] static Finished warpgauge(const std::string& arguments) {
    return shell(std::string("cd '") + SOURCE_ROOT + "' && " + quoted(WARPGAUGE) + " " + arguments);
  }

  fs::path folder_;
};

// "kernels/transpose.cuh:LINE" of the first line there that has this text.
std::string place_of(const std::string& text, const std::string& file) {
  std::istringstream lines(results::read_file(fs::path(SLOWER_SOURCES) / file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find(text) != std::string::npos) return file + ":" + std::to_string(number);
  }
  return "no '" + text + "' in " + file;
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

// What slowdowns.cmake plants, as far as it is counted: two of the six take a clock.
TEST_F(Gate, FindsPlantedSlowdownsByCounterAndLineAndNothingElse) {
  const Finished finished =
      gate(SLOWER_SUITE, "baselines", "--source-root " + quoted(SLOWER_SOURCES));
  EXPECT_EQ(finished.status, 1) << finished.output;

  const Json verdict = Json::parse(results::read_file(folder_ / "out" / "verdict.json"));
  std::set<std::string> regressed;
  std::set<std::string> found;
  for (const Json& benchmark : verdict.at("benchmarks")) {
    if (benchmark.at("verdict") != "regressed") continue;
    const std::string id = benchmark.at("id");
    regressed.insert(id);
    for (const Json& metric : benchmark.at("metrics")) {
      if (metric.at("verdict") != "regressed") continue;
      for (const Json& each : metric.value(Json::json_pointer("/cause/lines"), Json::array())) {
        const Json& line = each.at("line");
        found.insert(id + " " + metric.at("metric").get<std::string>() + " " +
                     line.at("file").get<std::string>() + ":" +
                     std::to_string(line.at("line").get<int>()));
      }
    }
  }
  EXPECT_EQ(
      regressed,
      (std::set<std::string>{
          "reverse/vectorized/4096", "scan_exclusive/hillis_steele/20000",
          "scan_exclusive/hillis_steele/4096", "scan_inclusive/hillis_steele/20000",
          "scan_inclusive/hillis_steele/4096", "struct_access/padded/1000",
          "struct_access/padded/1024", "transpose/padded/256x192", "transpose/padded/257x191"}));
  for (const std::string& expected :
       {"transpose/padded/256x192 shared_load_wavefronts " +
            place_of("= tile[threadIdx.x][j]", "kernels/transpose.cuh"),
        "struct_access/padded/1000 shared_store_wavefronts " +
            place_of("field[field] += 1.0F", "kernels/struct_access.cuh"),
        "reverse/vectorized/4096 global_store_sectors " +
            place_of("out[n - 4 - i] = v.w", "kernels/reverse.cuh"),
        "scan_inclusive/hillis_steele/4096 shared_store_requests " +
            place_of("words[from][thread] = sum", "kernels/scan.cuh")}) {
    EXPECT_TRUE(found.contains(expected)) << expected;
  }
}

TEST_F(Gate, SaysOfASlowdownWhatItIsAndWhere) {
  ASSERT_EQ(gate(SLOWER_SUITE, "baselines", "--filter ^transpose/").status, 1);
  const std::string summary = results::read_file(folder_ / "out" / "summary.md");
  const Finished terminal =
      warpgauge("report '" + (folder_ / "out" / "verdict.json").string() + "'");
  for (const std::string& text : {terminal.output, summary}) {
    for (const std::string& expected :
         {std::string("transpose/padded/256x192"), std::string("shared_load_wavefronts"),
          std::string("1 → 32"), place_of("= tile[threadIdx.x][j]", "kernels/transpose.cuh")}) {
      EXPECT_NE(text.find(expected), std::string::npos) << expected << " is not in\n" << text;
    }
  }
}

TEST_F(Gate, AnApprovedChangePasses) {
  const std::string of_them = "--filter ^transpose/";
  const fs::path baselines = folder_ / "baselines";
  fs::copy(fs::path(SOURCE_ROOT) / "baselines", baselines, fs::copy_options::recursive);
  ASSERT_EQ(gate(SLOWER_SUITE, baselines, of_them).status, 1);
  const Finished approved =
      warpgauge("approve '" + (folder_ / "out" / "results.json").string() + "' --baselines '" +
                baselines.string() + "' --reason 'no padding'");
  ASSERT_EQ(approved.status, 0) << approved.output;
  EXPECT_EQ(gate(SLOWER_SUITE, baselines, of_them).status, 0);

  const Finished better = gate(SUITE, baselines, of_them);
  EXPECT_EQ(better.status, 0) << better.output;
  EXPECT_NE(better.output.find("improved"), std::string::npos) << better.output;
}

// A benchmark that hangs, writes out of bounds, is wrong or throws takes no other with it.
TEST_F(Gate, BenchmarksThatFailLeaveTheOthersMeasured) {
  const Finished finished = gate(FAULTY_SUITE, folder_ / "none", "--timeout 5");
  EXPECT_EQ(finished.status, 4) << finished.output;

  struct Failure {
    results::Status status;
    std::string reason;
  };
  const std::map<std::string, Failure> failures = {
      {"faulty/hangs/4096", {results::Status::hung, "made no progress for 5 s"}},
      {"faulty/out_of_bounds/4096",
       {results::Status::error,
        "kernel faulty_far_beyond, block (0,0,0), thread (0,0,0) faults at 0x"}},
      {"faulty/throws/4096", {results::Status::error, "no launch today"}},
      {"faulty/wrong/4096", {results::Status::wrong_result, "4096 of 4096 elements are wrong"}}};
  std::set<std::string> sound;
  for (const auto& benchmark : results::read_results(folder_ / "out" / "results.json").benchmarks) {
    const auto failure = failures.find(benchmark.id);
    if (failure == failures.end()) {
      sound.insert(benchmark.id);
      EXPECT_EQ(benchmark.outcome.status, results::Status::ok) << benchmark.outcome.message;
      EXPECT_EQ(benchmark.metrics.at("global_load_requests").sessions.at(0).at(0), 128);
      EXPECT_EQ(benchmark.lines.size(), 2U);
      continue;
    }
    const auto& [status, reason] = failure->second;
    EXPECT_EQ(benchmark.outcome.status, status) << benchmark.id;
    EXPECT_NE(benchmark.outcome.message.find(reason), std::string::npos)
        << benchmark.outcome.message;
    EXPECT_EQ(benchmark.outcome.message.find("***WARNING***"), std::string::npos)
        << benchmark.outcome.message;
    EXPECT_TRUE(benchmark.metrics.empty()) << benchmark.id;
    const std::size_t reported = finished.output.find("failed   " + benchmark.id);
    ASSERT_NE(reported, std::string::npos) << finished.output;
    EXPECT_NE(finished.output.find(reason, reported), std::string::npos) << finished.output;
  }
  EXPECT_EQ(sound, (std::set<std::string>{"faulty/sound_after/4096", "faulty/sound_before/4096",
                                          "faulty/sound_between/4096"}));
  EXPECT_NE(finished.output.find("4 failed, 3 new of 7 benchmarks"), std::string::npos)
      << finished.output;
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

// The baseline was made where there is an nvcc, and serves machines without one too.
TEST_F(Gate, PassesWithTheMachineCodeOfUnchangedKernels) {
  const Finished finished = warpgauge(
      std::string("gate --suite '") + SUITE + "' --machine-code '" + SUITE_GPU +
      "' --baselines baselines --policy ci/policy.toml --out '" + (folder_ / "out").string() + "'");
  EXPECT_EQ(finished.status, 0) << finished.output;
  for (const auto& benchmark : results::read_results(folder_ / "out" / "results.json").benchmarks) {
    EXPECT_FALSE(benchmark.machine_code.empty()) << benchmark.id;
    EXPECT_TRUE(benchmark.metrics.contains("spill_store_bytes")) << benchmark.id;
  }
}

class Static : public Gate {
 protected:
  [[nodiscard]] Finished read(const std::string& arguments, const std::string& out) const {
    return warpgauge(std::string("static '") + SUITE_GPU + "' " + arguments + " --out '" +
                     (folder_ / out).string() + "'");
  }
  [[nodiscard]] Finished compared(const std::string& fresh) const {
    return warpgauge("compare '" + (folder_ / "baselines").string() + "' '" +
                     (folder_ / fresh).string() + "' --policy ci/policy.toml");
  }
};

TEST_F(Static, HoldsEveryKernelAgainstItsBaseline) {
  const Finished finished = read("", "kernels.json");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(compared("kernels.json").status, 3);  // there is no baseline yet
  const Finished approved =
      warpgauge("approve '" + (folder_ / "kernels.json").string() + "' --baselines '" +
                (folder_ / "baselines").string() + "' --policy ci/policy.toml --reason test");
  ASSERT_EQ(approved.status, 0) << approved.output;
  EXPECT_EQ(compared("kernels.json").status, 0);

  std::string more = results::read_file(folder_ / "kernels.json");
  const std::string padded = "suite_gpu/void transpose_tiled<1>";
  const std::string field = "\"registers\":";
  const std::size_t entry = more.find(padded);
  ASSERT_NE(entry, more.npos);
  more.insert(more.find(field, entry) + field.size(), 1, '1');
  results::write_file_atomically(folder_ / "more.json", more);
  const Finished regressed = compared("more.json");
  EXPECT_EQ(regressed.status, 1) << regressed.output;
  EXPECT_NE(regressed.output.find(padded), std::string::npos) << regressed.output;
}

TEST_F(Static, WithASuiteItsBenchmarksHaveTheirKernels) {
  const Finished finished =
      read("--filter transpose/padded --suite " + quoted(SUITE), "padded.json");
  ASSERT_EQ(finished.status, 0) << finished.output;
  const auto results = results::read_results(folder_ / "padded.json");
  EXPECT_EQ(results.session->device.kind, results::DeviceKind::machine_code);
  EXPECT_TRUE(results.session->device.key.starts_with("sm-")) << results.session->device.key;
  ASSERT_FALSE(results.benchmarks.empty());
  for (const auto& benchmark : results.benchmarks) {
    ASSERT_EQ(benchmark.machine_code.size(), 1U) << benchmark.id;
    EXPECT_TRUE(benchmark.machine_code[0].name.starts_with("void transpose_tiled<1>"));
    // 32 rows of 33 floats.
    EXPECT_EQ(benchmark.metrics.at("static_shared_bytes").sessions.at(0).at(0), 32 * 33 * 4);
    EXPECT_FALSE(benchmark.metrics.contains("barriers"));
  }
}

TEST_F(Static, SaysWhatIsNotThere) {
  const Finished architecture = read("--architecture sm_75", "no.json");
  EXPECT_EQ(architecture.status, 64);
  EXPECT_NE(architecture.output.find("--architecture sm_75: the images are for sm_"),
            std::string::npos)
      << architecture.output;
  EXPECT_EQ(read("--filter nothing", "no.json").status, 64);
  EXPECT_EQ(read(quoted(SUITE_GPU), "no.json").status, 64);
  EXPECT_EQ(warpgauge("static ci/policy.toml").status, 4);
  EXPECT_FALSE(fs::exists(folder_ / "no.json"));
}
#endif

}  // namespace
}  // namespace warpgauge
