// SPDX-License-Identifier: Apache-2.0
// `warpgauge metrics` and `warpgauge doctor` with the programs that really answer them. They need
// no GPU.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

using Metrics = InFolder;
using Doctor = InFolder;

TEST_F(Metrics, OfARealChip) {
  EXPECT_NE(warpgauge("metrics").output.find("GH100\n"), std::string::npos);
  const Finished found = warpgauge("metrics --chip GH100 smsp__inst_executed.sum");
  EXPECT_EQ(found.status, 0);
  EXPECT_NE(found.output.find("  smsp__inst_executed.sum  "), std::string::npos) << found.output;
  EXPECT_NE(found.output.find("  instructions  "), std::string::npos) << found.output;
  EXPECT_EQ(fs::path(METRICS).parent_path(), fs::path(WARPGAUGE).parent_path());

  const Finished misspelt = warpgauge("metrics --chip gh100");
  EXPECT_EQ(misspelt.status, 64);
  EXPECT_NE(misspelt.output.find("did you mean GH100?"), std::string::npos) << misspelt.output;
}

TEST_F(Doctor, TheRealProgramAnswersOnAnyMachine) {
  const Finished finished = warpgauge("doctor --json --program " + quoted(DOCTOR));
  EXPECT_EQ(finished.status, 0) << finished.output;
  const Json json = Json::parse(finished.output);
  bool found = false;
  for (const Json& check : json.at("checks")) {
    EXPECT_EQ(check.value("found", "").find("not asked"), std::string::npos) << check;
    found = found || check.at("what") == "CUPTI";
  }
  EXPECT_TRUE(found) << finished.output;
}

TEST_F(Doctor, TheRealProgramAsksTheDriversLibrary) {
  fs::create_symlink(FAKE_NVML, folder_ / "libnvidia-ml.so.1");
  const Finished finished = shell("LD_LIBRARY_PATH='" + folder_.string() + "' " + quoted(DOCTOR));
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(Json::parse(finished.output).at("driver"), "580.1.2");
}

}  // namespace
}  // namespace warpgauge
