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
#include "profiling/results/json/record_json.hpp"
#include "tests/helpers/process.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

class Suite : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "warpgauge-suite-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Finished suite(const std::string& arguments) {
    return shell(quoted(GetParam()) + " " + arguments);
  }

  fs::path folder_;
};

TEST_P(Suite, DescribesItsBenchmarksWithoutADevice) {
  const Finished finished = suite("--warpgauge_describe");
  ASSERT_EQ(finished.status, 0) << finished.output;
  const Json description = Json::parse(finished.output);
  std::set<std::string> families;
  for (const Json& benchmark : description.at("benchmarks")) {
    families.insert(benchmark.at("family").get<std::string>());
    EXPECT_TRUE(benchmark.at("id").get<std::string>().starts_with(
        benchmark.at("family").get<std::string>() + "/" +
        benchmark.at("variant").get<std::string>() + "/"));
  }
  std::set<std::string> expected{"adjacent_sum",      "bandwidth",       "dot_double",
                                 "dot_float",         "dot_int64",       "histogram_single_bin",
                                 "histogram_uniform", "layer_norm",      "matmul",
                                 "reduction_double",  "reduction_float", "reduction_int32",
                                 "reverse",           "row_sums",        "scan_exclusive",
                                 "scan_inclusive",    "softmax",         "stencil",
                                 "struct_access",     "table_lookup",    "transpose"};
  // What takes instructions that the emulator has not.
  if (std::string(GetParam()).ends_with("suite_gpu")) {
    expected.insert({"tensor_matmul", "warpgroup_matmul"});
  }
  EXPECT_EQ(families, expected);
}

TEST_P(Suite, TimesNothingAtTheSizesOfTheEmulator) {
  const Finished finished = suite("--warpgauge_describe --warpgauge_sizes=emulated");
  ASSERT_EQ(finished.status, 0) << finished.output;
  const Json description = Json::parse(finished.output);
  const auto passes = description.at("passes").get<std::set<std::string>>();
  EXPECT_TRUE(passes.contains("counters")) << finished.output;
  EXPECT_FALSE(passes.contains("time")) << finished.output;
  std::set<std::string> ids;
  for (const Json& benchmark : description.at("benchmarks")) ids.insert(benchmark.at("id"));
  EXPECT_TRUE(ids.contains("transpose/padded/256x192")) << finished.output;

  const Finished timed = suite("--warpgauge_sizes=emulated --warpgauge_pass=time");
  EXPECT_EQ(timed.status, 64);
  EXPECT_NE(timed.output.find("has no such pass"), std::string::npos) << timed.output;
}

TEST_P(Suite, ListsItsBenchmarksAsAnyGoogleBenchmarkProgram) {
  const Finished finished = suite("--benchmark_list_tests");
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.output.find("transpose/padded/"), std::string::npos) << finished.output;
}

TEST_P(Suite, RefusesWhatItDoesNotKnow) {
  const fs::path unknown = folder_ / "unknown";
  results::write_file_atomically(unknown, "transpose/none/1x1\n");
  const std::map<std::string, std::string> complaints{
      {"--warpgauge_pas=counters", "unknown argument --warpgauge_pas=counters"},
      {"--warpgauge_counters=", "--warpgauge_counters: names no counter"},
      {"--warpgauge_sizes=huge", "not one of gate, large, emulated"},
      {"--warpgauge_hot --warpgauge_sizes=emulated", " times nothing at these sizes, hot or cold"},
      {"--warpgauge_pass=tiem", "'tiem' is not one of time, sentinel, counters"},
      {"--warpgauge_select=" + unknown.string(), "the suite has no benchmark transpose/none/1x1"},
      {"nonsense", "unknown argument nonsense"}};
  for (const auto& [argument, complaint] : complaints) {
    const Finished finished = suite(argument);
    EXPECT_EQ(finished.status, 64) << argument;
    EXPECT_NE(finished.output.find(complaint), std::string::npos) << finished.output;
  }
}

TEST_P(Suite, AFileThatCannotBeReadOrWrittenIsNamed) {
  for (const char* option : {"--warpgauge_select=", "--warpgauge_record="}) {
    const Finished finished = suite(option + (folder_ / "absent" / "file").string());
    EXPECT_EQ(finished.status, 4);
    EXPECT_NE(finished.output.find("absent/file"), std::string::npos) << finished.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Emulated, Suite, testing::Values(SUITE_EMULATED));
#ifdef SUITE_GPU
INSTANTIATE_TEST_SUITE_P(Gpu, Suite, testing::Values(SUITE_GPU));

TEST(GpuSuite, RefusesToTellLaunchesAlone) {
  const Finished finished = shell(quoted(SUITE_GPU) + " --warpgauge_launches");
  EXPECT_EQ(finished.status, 64);
  EXPECT_NE(finished.output.find("use the emulator's suite"), std::string::npos) << finished.output;
}
#endif

using EmulatedSuite = Suite;

TEST_P(EmulatedSuite, IsNeitherHotNorCold) {
  for (const char* also : {"", " --warpgauge_device"}) {
    const Finished finished = suite(std::string("--warpgauge_hot") + also);
    EXPECT_EQ(finished.status, 64);
    EXPECT_NE(finished.output.find("the emulated device times nothing, hot or cold; leave it out"),
              std::string::npos)
        << finished.output;
  }
}

TEST_P(EmulatedSuite, MeasuresWhatIsSelectedAndRecordsIt) {
  const fs::path selected = folder_ / "selected";
  const fs::path record = folder_ / "record.jsonl";
  results::write_file_atomically(selected,
                                 "transpose/shared/256x192\nreduction_float/sequential/4096\n");
  const Finished finished =
      suite("--warpgauge_select=" + selected.string() + " --warpgauge_record=" + record.string());
  ASSERT_EQ(finished.status, 0) << finished.output;

  std::map<std::string, results::Record> records;
  std::istringstream lines(results::read_file(record));
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    if (!json.contains("finished")) continue;
    const auto one = results::record_from(json.at("finished"));
    records[one.id] = one;
  }
  ASSERT_EQ(records.size(), 2U);

  // 48 tiles of 32 rows; a column of an unpadded tile lies in one bank.
  const results::Record& transpose = records.at("transpose/shared/256x192");
  EXPECT_EQ(transpose.outcome, results::Outcome{});
  EXPECT_EQ(transpose.counters.at("shared_load_requests"), 48 * 32);
  EXPECT_EQ(transpose.counters.at("shared_load_wavefronts"), 48 * 32 * 32);
  EXPECT_EQ(transpose.counters.at("shared_store_wavefronts"), 48 * 32);
  EXPECT_FALSE(transpose.time_ns.has_value());
  EXPECT_TRUE(transpose.not_measured.contains("time"));

  // 16 blocks; 25 loads and 20 stores a block, as measured on an H200.
  const results::Record& reduction = records.at("reduction_float/sequential/4096");
  EXPECT_EQ(reduction.counters.at("shared_load_requests"), 16 * 25);
  EXPECT_EQ(reduction.counters.at("shared_store_wavefronts"), 16 * 20);
  EXPECT_EQ(reduction.counters.at("barriers"), 16 * 9);
}

TEST_P(EmulatedSuite, HasNoProfilers) {
  const Finished finished = suite("--warpgauge_profile --benchmark_filter=none");
  EXPECT_EQ(finished.status, 64);
  EXPECT_NE(finished.output.find("no profilers for the emulator"), std::string::npos)
      << finished.output;
}

TEST_P(EmulatedSuite, HasNoFurtherCounters) {
  for (const char* what : {"--warpgauge_device", "--benchmark_filter=none"}) {
    const Finished finished = suite(std::string(what) + " --warpgauge_counters=dram__bytes.sum");
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_NE(finished.output.find("no counter dram__bytes.sum"), std::string::npos)
        << finished.output;
  }
}

TEST_P(EmulatedSuite, TimesNothingAndSoTakesNoSamples) {
  EXPECT_FALSE(Json::parse(suite("--warpgauge_describe").output).at("takes_more_samples"));
  const Finished finished = suite("--warpgauge_more_samples");
  EXPECT_EQ(finished.status, 64) << finished.output;
  EXPECT_NE(finished.output.find("pass takes none"), std::string::npos) << finished.output;
}

// `warpgauge affected` asks for nothing else, and need wait neither for the checks nor for lines.
// By counters and input it sees what the same launches do on other data.
TEST_P(EmulatedSuite, TellsLaunchesAlone) {
  EXPECT_TRUE(Json::parse(suite("--warpgauge_describe").output).at("tells_launches_alone"));
  const fs::path selected = folder_ / "selected";
  results::write_file_atomically(selected, "transpose/shared/256x192\n");
  const auto recorded = [&](const std::string& more) {
    const fs::path record = folder_ / "record.jsonl";
    const Finished finished = suite("--warpgauge_select=" + selected.string() +
                                    " --warpgauge_record=" + record.string() + more);
    EXPECT_EQ(finished.status, 0) << finished.output;
    std::istringstream lines(results::read_file(record));
    std::string line;
    while (std::getline(lines, line) && !Json::parse(line).contains("finished")) {
    }
    fs::remove(record);
    return results::record_from(Json::parse(line).at("finished"));
  };
  const results::Record whole = recorded("");
  const results::Record alone = recorded(" --warpgauge_launches");
  EXPECT_FALSE(alone.launches.empty());
  EXPECT_EQ(alone.launches, whole.launches);
  EXPECT_GT(alone.counters.at("shared_load_wavefronts"), 0);
  EXPECT_EQ(alone.counters, whole.counters) << "so that it can be held against whole results";
  EXPECT_EQ(alone.input_digest.size(), 16U);
  EXPECT_EQ(alone.input_digest, recorded(" --warpgauge_launches").input_digest);
  EXPECT_TRUE(alone.lines.empty());
  EXPECT_FALSE(whole.lines.empty());
}

INSTANTIATE_TEST_SUITE_P(Emulated, EmulatedSuite, testing::Values(SUITE_EMULATED));

}  // namespace
}  // namespace warpgauge
