// SPDX-License-Identifier: Apache-2.0
// `warpgauge metrics`, with a program that answers as the test wants.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

class Metrics : public InFolder {
 protected:
  // The answer of a program that writes its arguments to the file "asked" and then does this.
  Finished with(const std::string& script, const std::string& arguments) {
    const fs::path program =
        write("answers", "#!/bin/sh\nprintf '[%s]' \"$@\" > '" + (folder_ / "asked").string() +
                             "'\n" + script + "\n");
    fs::permissions(program, fs::perms::owner_all);
    return warpgauge("metrics --program answers " + arguments);
  }

  [[nodiscard]] std::string asked() const { return results::read_file(folder_ / "asked"); }
};

constexpr const char* kAnswer = R"(cat << 'END'
{"chip": "GX1", "metrics": [
  {"name": "dram__bytes.sum", "type": "counter", "unit": "dram", "dimension": "byte",
   "description": "bytes that\u001b[2J move", "passes": 2, "recorded_as": "dram_bytes"},
  {"name": "sm__rate.ratio", "type": "ratio", "unit": "sm", "dimension": "", "description": "a rate",
   "passes": 0}]}
END)";

TEST_F(Metrics, PrintsATable) {
  const Finished finished = with(kAnswer, "--chip GX1 'a b'");
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.output,
            "  metric           of    in    passes  always counted in  what\n"
            "  dram__bytes.sum  dram  byte       2  dram_bytes         bytes that [2J move\n"
            "  sm__rate.ratio   sm               –                     a rate\n");
  EXPECT_EQ(asked(), "[GX1][a b]");
}

TEST_F(Metrics, PrintsJson) {
  const Finished finished = with(kAnswer, "--chip GX1 --json");
  EXPECT_EQ(finished.status, 0);
  const auto json = results::Json::parse(finished.output);
  EXPECT_EQ(json.at("metrics").at(1).at("name"), "sm__rate.ratio");
}

TEST_F(Metrics, ListsTheChipsWithoutOne) {
  const Finished finished = with(R"(echo '{"chips": ["GX1", "GX2"]}')", "");
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.output, "GX1\nGX2\n");
  EXPECT_EQ(asked(), "[]");
}

TEST_F(Metrics, ATextWithoutAChipIsWrongUsage) {
  const Finished finished = warpgauge("metrics dram");
  EXPECT_EQ(finished.status, 64);
  EXPECT_NE(finished.output.find("--chip"), std::string::npos) << finished.output;
}

TEST_F(Metrics, WhatTheProgramRefusesIsWrongUsageInItsWords) {
  const Finished finished = with("echo 'knows no chip GX3' >&2; exit 64", "--chip GX3");
  EXPECT_EQ(finished.status, 64);
  EXPECT_EQ(finished.output, "warpgauge: knows no chip GX3\n");
}

TEST_F(Metrics, AnythingElseIsNotMeasured) {
  const std::pair<const char*, const char*> kFaults[] = {
      {"kill -SEGV $$", "died of SIGSEGV: no message"},
      {"echo cannot >&2; exit 4", "ended with exit status 4: cannot"},
      {"exit 64", "ended with exit status 64: no message"},
      {"echo no", "the answer is not JSON; is it warpgauge_metrics?"},
      {"echo '{}'", "is it of the same version?"},
      {R"(echo '{"metrics": [{"name": 3}]}')", "is it of the same version?"}};
  for (const auto& [script, message] : kFaults) {
    const Finished finished = with(script, "--chip GX1");
    EXPECT_EQ(finished.status, 4) << script;
    EXPECT_NE(finished.output.find(message), std::string::npos) << finished.output;
  }
}

TEST_F(Metrics, ATextThatNoMetricHasIsWrongUsage) {
  const Finished finished = with(R"(echo '{"chip": "GX1", "metrics": []}')", "--chip GX1 nothing");
  EXPECT_EQ(finished.status, 64);
  EXPECT_NE(finished.output.find("no metric of GX1 has 'nothing'"), std::string::npos)
      << finished.output;
}

TEST_F(Metrics, WithoutTheProgramItSaysWhatToBuild) {
  for (const char* arguments : {"--program absent", "--program ."}) {
    const Finished finished = warpgauge(std::string("metrics ") + arguments);
    EXPECT_EQ(finished.status, 4);
    EXPECT_NE(finished.output.find("build the target warpgauge_metrics where there is nvcc: "),
              std::string::npos)
        << finished.output;
  }
  // Looked for beside the program, wherever that was copied to.
  fs::copy_file(WARPGAUGE, folder_ / "copy");
  const Finished finished = shell(quoted((folder_ / "copy").string()) + " metrics");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("there is no " + (folder_ / "warpgauge_metrics").string()),
            std::string::npos)
      << finished.output;
}

}  // namespace
}  // namespace warpgauge
