// SPDX-License-Identifier: Apache-2.0
// What subcommands print with --json is as its schema says, and holds what their tables hold.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/schema.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using Document = nlohmann::json;

class JsonOutput : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    const std::map<std::string, double> counters{{"shared_load_requests", 2},
                                                 {"shared_load_wavefronts", 64},
                                                 {"shared_store_requests", 0},
                                                 {"shared_store_wavefronts", 0}};
    write("gpu.json",
          results_text(h200(),
                       {{.id = "a/cub/1", .times_ns = {100, 102}, .counters = counters},
                        {.id = "a/b\xff/1", .times_ns = {200, 204}, .counters = counters},
                        {.id = "a/c/1", .outcome = {results::Status::crashed, "died of SIGSEGV"}},
                        {.id = "b/only/1", .times_ns = {5, 5}}}));
    std::map<std::string, double> conflicting = counters;
    conflicting["shared_load_wavefronts"] = 32;
    write("emulated.json",
          results_text(emulated(),
                       {{.id = "a/cub/1", .counters = counters},
                        {.id = "a/b\xff/1",
                         .counters = conflicting,
                         .lines = {source_line(3, results::Access::shared_load, 2, 32, "x = y;")}},
                        {.id = "a/lost/1", .not_measured = {{"source_lines", "stripped"}}}}));
  }

  // Of a command that ends with 0; checked by the schema's definition.
  Document json_of(const std::string& arguments, const std::string& definition) {
    const Finished finished = warpgauge(arguments);
    EXPECT_EQ(finished.status, 0) << finished.output;
    EXPECT_EQ(why_invalid(finished.output, "ci/cli/output.schema.json", definition), "")
        << finished.output;
    return Document::parse(finished.output);
  }
};

TEST_F(JsonOutput, OfTable) {
  const Document json = json_of("table gpu.json --json", "table");
  EXPECT_EQ(json["device"], "NVIDIA H200");
  ASSERT_EQ(json["benchmarks"].size(), 4u);
  const Document& slower = json["benchmarks"][1];
  EXPECT_EQ(slower["id"], "a/b\xEF\xBF\xBD/1");
  EXPECT_EQ(slower["time_ns"], 202);
  EXPECT_EQ(slower["reference"], "a/cub/1");
  EXPECT_EQ(slower["time_ratio"], 2);
  EXPECT_EQ(slower["shared_load_wavefronts_a_request"], 32);
  EXPECT_FALSE(slower.contains("shared_store_wavefronts_a_request")) << "none was made";
  EXPECT_EQ(json["benchmarks"][2]["message"], "died of SIGSEGV");
  EXPECT_FALSE(json["benchmarks"][3].contains("reference"));
  const Document other = json_of("table gpu.json --json --reference only", "table");
  EXPECT_FALSE(other["benchmarks"][0].contains("reference"));
  EXPECT_EQ(other["benchmarks"][3]["reference"], "b/only/1");
  write("plain.json", plain_text({nanoseconds("10")}));
  EXPECT_FALSE(json_of("table plain.json --json", "table").contains("device"));
}

TEST_F(JsonOutput, OfLines) {
  const Document json = json_of("lines emulated.json --json", "lines");
  EXPECT_EQ(json["benchmarks"][1]["lines"][0]["wavefronts"], 32);
  EXPECT_FALSE(json["benchmarks"][1].contains("no_lines_because"));
  EXPECT_EQ(json["benchmarks"][2]["no_lines_because"], "not measured: stripped");
  EXPECT_EQ(json_of("lines emulated.json --json --filter cub", "lines")["benchmarks"].size(), 1u);
}

TEST_F(JsonOutput, OfApproveAndBaseline) {
  const auto session = [&](int day, double time) {
    const std::string name = std::to_string(day) + ".json";
    write(name, results_text(h200(), {{.id = "a/b/1", .times_ns = {time, time, time + 100}}},
                             "2026-11-0" + std::to_string(day) + "T00:00:00Z"));
    return "approve --reason why --json " + name;
  };
  const Document first = json_of(session(1, 100'000), "approve");
  EXPECT_EQ(first["added"], Document({"a/b/1"}));
  EXPECT_EQ(first["written"].size(), 2u);
  for (int day = 2; day <= 6; ++day) {
    EXPECT_EQ(json_of(session(day, 100'000), "approve")["extended"], 1);
  }
  const Document list = json_of("baseline list --json", "baseline_list");
  EXPECT_EQ(list["families"][0], (Document{{"device", "nvidia-h200"},
                                           {"family", "a"},
                                           {"benchmarks", 1},
                                           {"sessions", 6},
                                           {"newest", "2026-11-06T00:00:00Z"}}));
  const Document show = json_of("baseline show a/b/1 --json", "baseline_show");
  const Document& shown = show["benchmarks"][0];
  EXPECT_EQ(shown["id"], "a/b/1");
  EXPECT_EQ(shown["statistical"]["time"].size(), 6u);
  ASSERT_EQ(shown["sessions"].size(), 6u);
  EXPECT_EQ(shown["sessions"].front()["device"]["name"], "NVIDIA H200");
  const Document check = json_of("baseline check --json", "baseline_check");
  EXPECT_EQ(check["benchmarks"], 1);
  EXPECT_TRUE(check["faults"].empty());
  const Document pruned = json_of("baseline prune --keep 5 --json", "baseline_prune");
  ASSERT_EQ(pruned["dropped"].size(), 1u);
  EXPECT_EQ(pruned["dropped"][0]["benchmarks"], 1);
  EXPECT_EQ(json_of("baseline prune --keep 5 --json", "baseline_prune")["dropped"].size(), 0u);

  const Document moved = json_of(session(7, 200'000), "approve");
  EXPECT_EQ(moved["replaced"], 1);
  EXPECT_EQ(moved["moved"][0]["metric"], "time");
  EXPECT_LT(moved["moved"][0]["before"], 101'000);
  EXPECT_GT(moved["moved"][0]["after"], 199'000);
}

TEST_F(JsonOutput, OfDoctorAndMetrics) {
  (void)json_of("doctor --json", "doctor");
  const fs::path program = write("answers", R"(#!/bin/sh
test -n "$1" || { echo '{"chips": ["GX1"]}'; exit; }
echo '{"chip": "GX1", "metrics": [{"name": "a.sum", "type": "counter", "unit": "sm",
  "dimension": "byte", "description": "what", "passes": 2, "recorded_as": "a"}]}'
)");
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_EQ(json_of("metrics --json --program answers", "metrics")["chips"][0], "GX1");
  const Document json = json_of("metrics --chip GX1 --json --program answers", "metrics");
  EXPECT_EQ(json["metrics"][0]["recorded_as"], "a");
}

TEST_F(JsonOutput, OfCalibrate) {
  for (const char* name : {"monday", "tuesday"}) {
    std::vector<double> times;
    for (int i = 0; i < 6; ++i) times.push_back(100'000 + 90 * (i % 4));
    write(std::string(name) + ".json",
          results_text(h200(), {{"a/one", times}, {"a/two", times}}, name));
  }
  const Finished finished =
      warpgauge("calibrate monday.json tuesday.json --trials 10 --json rates.json");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(why_invalid(results::read_file(folder_ / "rates.json"), "ci/cli/output.schema.json",
                        "calibrate"),
            "");
}

TEST_F(JsonOutput, OfHistory) {
  for (int run = 0; run < 8; ++run) {
    const double time = run < 4 ? 1000 : 2000;
    write(std::to_string(run) + ".json",
          results_text(h200(),
                       {{.id = "a/b/1",
                         .times_ns = {time, time + 1, time + 2},
                         .counters = {{"barriers", run < 4 ? 1 : 2}}},
                        {.id = "a/still/1", .times_ns = {5000, 5001}}},
                       "2026-11-0" + std::to_string(run + 1) + "T00:00:00Z"));
  }
  ASSERT_EQ(warpgauge("history record ?.json --verdict verdict.json").status, 0);
  const Document list = json_of("history list --json", "history");
  ASSERT_EQ(list["devices"].size(), 1u);
  EXPECT_EQ(list["devices"][0]["key"], "nvidia-h200");
  EXPECT_EQ(list["devices"][0]["runs"].size(), 8u);
  EXPECT_EQ(list["devices"][0]["runs"][0]["verdict"], "verdict.json");
  EXPECT_TRUE(list["devices"][0]["trends"].empty());
  const Document trend = json_of("history trend a/still/1 --json", "history");
  EXPECT_EQ(trend["devices"][0]["trends"][0]["metrics"][0]["points"].size(), 8u);
  const Document changes = json_of("history changes --json", "history");
  ASSERT_EQ(changes["devices"][0]["trends"].size(), 1u);
  const Document& changed = changes["devices"][0]["trends"][0];
  EXPECT_EQ(changed["id"], "a/b/1");
  ASSERT_EQ(changed["metrics"].size(), 2u);
  EXPECT_EQ(changed["metrics"][0]["changes"][0]["kind"], "exact");
  EXPECT_EQ(changed["metrics"][1]["changes"][0]["first"], 4);
}

TEST_F(JsonOutput, OfStatic) {
  const std::string corpus = std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/";
  const Document table = json_of("static " + corpus + "zstd.fatbin --block 256 --json", "static");
  ASSERT_EQ(table["kernels"].size(), 4u);
  EXPECT_EQ(table["kernels"][0]["name"], "add(float*, float const*, int)");
  EXPECT_EQ(table["kernels"][0]["architecture"], "sm_80");
  EXPECT_EQ(table["kernels"][0]["registers"], 10);
  EXPECT_EQ(table["kernels"][0]["block_from"], "given");
  EXPECT_EQ(table["kernels"][0]["mix"]["load global 32"], 2);
  EXPECT_EQ(table["to_be_compiled"][0], "compute_90");
  ASSERT_EQ(table["entries"].size(), 2u);
  EXPECT_EQ(table["entries"][0]["name"], "add(float*, float const*, int)");
  EXPECT_EQ(table["entries"][0]["architecture"], "compute_90");
  EXPECT_EQ(table["entries"][0]["ptx_hashes"].size(), 1u);
  const std::string against = " --against " + corpus + "lz4.fatbin";
  const Document same = json_of("static " + corpus + "zstd.fatbin --json" + against, "static");
  EXPECT_EQ(same["same"], 4);
  EXPECT_TRUE(same["changes"].empty());
  EXPECT_TRUE(same["entries"].empty());
  EXPECT_TRUE(same["worse"].empty());
}

TEST_F(JsonOutput, OfStaticIsOfAllImages) {
  const std::string corpus = std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/";
  const Document both =
      json_of("static " + corpus + "zstd.fatbin " + corpus + "add.cubin --json", "static");
  EXPECT_EQ(both["kernels"].size(), 5U);
  EXPECT_EQ(both["architectures"], Document({"sm_80", "sm_90", "sm_90a"}));
}

TEST_F(JsonOutput, OfStaticForOtherArchitecturesAloneIsWorse) {
  const std::string corpus = std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/";
  const Finished gone =
      warpgauge("static " + corpus + "add.cubin --against " + corpus + "lz4.fatbin");
  EXPECT_EQ(gone.status, 1) << gone.output;
  EXPECT_NE(gone.output.find("is no longer compiled for sm_80"), std::string::npos) << gone.output;
}

TEST_F(JsonOutput, OfStaticWithoutACommonKernelIsNoVerdict) {
  const std::string tests = std::string(SOURCE_ROOT) + "/tests/";
  const Finished other =
      warpgauge("static " + tests + "fuzz/corpus/machine_code/add.cubin --against " + tests +
                "profiling/machine_code/recorded/triton_addk.cubin");
  EXPECT_EQ(other.status, 4) << other.output;
  EXPECT_NE(other.output.find("no kernel has the same name in both builds"), std::string::npos)
      << other.output;
}

TEST_F(JsonOutput, OfStaticListsTheKernelsOfAFileOfPtx) {
  const std::string text = ".version 9.0\n.target sm_90a\n.visible .entry _Z3mulPf() { ret; }\n";
  write("one.ptx", "// by a compiler\n" + text);
  const Document ptx = json_of("static one.ptx --json", "static");
  ASSERT_EQ(ptx["entries"].size(), 1U);
  EXPECT_EQ(ptx["entries"][0]["name"], "mul(float*)");
  EXPECT_EQ(ptx["entries"][0]["architecture"], "compute_90a");
  EXPECT_EQ(warpgauge("static one.ptx --against one.ptx").status, 0);
  EXPECT_EQ(warpgauge("static one.ptx --out x.json").status, 4);
  write("none.ptx", "text of something else\n" + text);
  EXPECT_EQ(warpgauge("static none.ptx").status, 4);
}

TEST_F(JsonOutput, OfStaticRefusesOptionsThatItWouldNotUse) {
  const std::string image =
      "static " + std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/zstd.fatbin ";
  for (const char* options : {"--filter add", "--architecture sm_80", "--out x.json --block 256"}) {
    EXPECT_EQ(warpgauge(image + options).status, 64) << options;
  }
}

// The schema itself must be able to refuse.
TEST_F(JsonOutput, IsNotJustAnything) {
  for (const char* definition :
       {"table", "lines", "baseline_list", "baseline_show", "baseline_check", "baseline_prune",
        "approve", "doctor", "metrics", "calibrate", "history", "static", "affected"}) {
    EXPECT_NE(why_invalid("{}", "ci/cli/output.schema.json", definition), "") << definition;
    EXPECT_NE(
        why_invalid(R"({"benchmarks": [{}], "families": [{}], "dropped": [{}], "devices": [{}]})",
                    "ci/cli/output.schema.json", definition),
        "")
        << definition;
  }
}

}  // namespace
}  // namespace warpgauge
