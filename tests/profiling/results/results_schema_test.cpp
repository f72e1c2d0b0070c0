// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of results.json accepts what is written and refuses what is not.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/schema.hpp"

namespace warpgauge {
namespace {

using Document = nlohmann::json;

std::string why_invalid(const Document& document) {
  return warpgauge::why_invalid(document.dump(), "profiling/results/results.schema.json");
}

results::SourceLine tagged(results::SourceLine line) {
  line.compiled = results::Compiled::confirmed;
  line.instructions = "1 × STG.32";
  return line;
}

Document good() {
  return Document::parse(results_text(
      h200(), {{.id = "a/b/1",
                .times_ns = {100, 101},
                .counters = {{"barriers", 2}},
                .lines = {source_line(3, results::Access::shared_load, 1, 32, "x = y;"),
                          tagged(source_line(4, results::Access::global_store, 1, 0, ""))},
                .not_measured = {{"source_lines", "one function a process"}},
                .machine_code = {kernel_code("kernel()", 'a')}},
               {.id = "a/c/1", .outcome = {results::Status::crashed, "died of SIGSEGV"}}}));
}

TEST(Schema, AcceptsWhatIsWritten) { EXPECT_EQ(why_invalid(good()), ""); }

TEST(Schema, KnowsTheAccessesOfMachineCodeAndTheirPlaces) {
  Document document = good();
  Document& code = document["benchmarks"][0]["warpgauge"]["machine_code"][0];
  code["accesses"] = {{"load global 128", 4}};
  code["places"] = {{{"kind", "load global 128"}, {"file", "kernels/a.cuh"}, {"line", 3}}};
  EXPECT_EQ(why_invalid(document), "");
  code["accesses"]["load global 128"] = -1;
  EXPECT_NE(why_invalid(document), "");
  code["accesses"]["load global 128"] = 1;
  code["places"][0].erase("line");
  EXPECT_NE(why_invalid(document), "");
}

TEST(Schema, KnowsMachineCodeForOneKindOfGpuAlone) {
  Document document = good();
  Document& code = document["benchmarks"][0]["warpgauge"]["machine_code"][0];
  for (const char* const known : {"sm_90", "sm_90a", "sm_100f"}) {
    code["architecture"] = known;
    EXPECT_EQ(why_invalid(document), "") << known;
  }
  for (const char* const wrong : {"sm_90b", "sm_90aa", "compute_90"}) {
    code["architecture"] = wrong;
    EXPECT_NE(why_invalid(document), "") << wrong;
  }
}

TEST(Schema, KnowsRemarks) {
  Document document = good();
  Document& record = document["benchmarks"][0]["warpgauge"];
  record["remarks"] = {"exit before a barrier: kernel k"};
  EXPECT_EQ(why_invalid(document), "");
  record["remarks"] = {5};
  EXPECT_NE(why_invalid(document), "");
}

TEST(Schema, KnowsThePassesOfTheCounters) {
  Document document = good();
  Document& record = document["benchmarks"][0]["warpgauge"];
  record["counter_passes"] = 3;
  EXPECT_EQ(why_invalid(document), "");
  record["counter_passes"] = 0;
  EXPECT_NE(why_invalid(document), "");
}

TEST(Schema, KnowsTheStateOfTheDeviceAndItsSettings) {
  Document document = good();
  Document& record = document["benchmarks"][0]["warpgauge"];
  results::Record observed;
  observed.device_state.emplace();
  observed.device_state->before.slowed_by = {"idle"};
  observed.device_state->after.power_w = 3.5;
  observed.device_state->slowed_throughout = true;
  record["device_state"] = Document::parse(to_json(observed).dump())["device_state"];
  results::DeviceSettings settings;
  settings.ecc = true;
  settings.power_limit_w = 700;
  settings.not_measured = "why";
  document["context"]["warpgauge"]["settings"] = Document::parse(to_json(settings).dump());
  EXPECT_EQ(why_invalid(document), "");

  for (const char* field : {"/before/clock", "/after/power_w", "/discarded_samples", "/more"}) {
    Document wrong = document;
    wrong["benchmarks"][0]["warpgauge"]["device_state"][Document::json_pointer(field)] = "x";
    EXPECT_NE(why_invalid(wrong), "") << field;
  }
  document["context"]["warpgauge"]["settings"]["ecc"] = 1;
  EXPECT_NE(why_invalid(document), "");
}

TEST(Schema, KnowsHowSamplesCameAboutAndTheCeilings) {
  Document document = good();
  Document& sampling = document["benchmarks"][0]["warpgauge"]["sampling"];
  sampling = {{"ended_by", "budget"}, {"standard_error_ns", 2.5}, {"placements", 4}};
  Document& ceilings = document["context"]["warpgauge"]["ceilings"];
  ceilings = {{"size", "9"}, {"bytes_per_second", {{"read", 4e12}}}};
  EXPECT_EQ(why_invalid(document), "");
  sampling["ended_by"] = "boredom";
  EXPECT_NE(why_invalid(document), "");
  sampling["ended_by"] = "precision";
  ceilings["bytes_per_second"]["read"] = 0;
  EXPECT_NE(why_invalid(document), "");
  ceilings = {{"not_measured", "left out"}};
  EXPECT_EQ(why_invalid(document), "");
  ceilings["size"] = "9";
  EXPECT_NE(why_invalid(document), "");
}

TEST(Schema, KnowsTheFilter) {
  Document document = good();
  Document& filter = document["context"]["warpgauge"]["filter"];
  filter = "^a/";
  EXPECT_EQ(why_invalid(document), "");
  filter = "";
  EXPECT_NE(why_invalid(document), "") << "without a filter there is no field";
}

TEST(Schema, KnowsTheTurnsOfTwoSides) {
  Document document = good();
  Document& turns = document["context"]["warpgauge"]["turns"];
  for (const char* text :
       {"A of ABBA by seed 3, begun 2026-11-21T04:00:00Z", "B of BA by seed 0, begun now"}) {
    turns = text;
    EXPECT_EQ(why_invalid(document), "");
    EXPECT_EQ(results::parse_results(document.dump(), "results.json").session->turns, text);
  }
  turns = "C of ABBA by seed 3, begun now";
  EXPECT_NE(why_invalid(document), "");
}

TEST(Schema, AcceptsWhatARunWrites) {
  std::string folder = std::filesystem::temp_directory_path() / "warpgauge schema XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  Document plan{{"passes", {"time", "counters"}},
                {"device", Document::parse(to_json(emulated()).dump())},
                {"benchmarks",
                 {{"a/one/1", {{"time_ns", 5.5}, {"counters", {{"barriers", 1}}}}},
                  {"a/two/1", {{"time_ns", 5.5}, {"counters", {}}, {"fate", "crash"}}}}}};
  results::write_file_atomically(std::filesystem::path(folder) / "plan.json", plan.dump());
  const Finished finished =
      shell("cd '" + folder + "' && FAKE_SUITE_PLAN=plan.json " + quoted(WARPGAUGE) +
            " run --processes 2 --suite " + quoted(FAKE_SUITE));
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_EQ(why_invalid(Document::parse(
                results::read_file(std::filesystem::path(folder) / "results.json"))),
            "");
  std::filesystem::remove_all(folder);
}

// Takes one thing away or breaks it; the schema must notice.
TEST(Schema, RefusesWhatIsNotAsDescribed) {
  const std::pair<const char*, std::function<void(Document&)>> kFaults[] = {
      {"no context", [](Document& d) { d.erase("context"); }},
      {"no benchmarks", [](Document& d) { d.erase("benchmarks"); }},
      {"benchmarks empty", [](Document& d) { d["benchmarks"].clear(); }},
      {"schema 2", [](Document& d) { d["context"]["warpgauge"]["schema"] = 2; }},
      {"no device", [](Document& d) { d["context"]["warpgauge"].erase("device"); }},
      {"kind", [](Document& d) { d["context"]["warpgauge"]["device"]["kind"] = "tpu"; }},
      {"key", [](Document& d) { d["context"]["warpgauge"]["device"]["key"] = "A/B"; }},
      {"created", [](Document& d) { d["context"]["warpgauge"]["created"] = "yesterday"; }},
      {"processes", [](Document& d) { d["context"]["warpgauge"]["processes"] = 0; }},
      {"no name", [](Document& d) { d["benchmarks"][0].erase("name"); }},
      {"unit", [](Document& d) { d["benchmarks"][0]["time_unit"] = "min"; }},
      {"no object", [](Document& d) { d["benchmarks"][0].erase("warpgauge"); }},
      {"no id", [](Document& d) { d["benchmarks"][0]["warpgauge"].erase("id"); }},
      {"pass", [](Document& d) { d["benchmarks"][0]["warpgauge"]["pass"] = "both"; }},
      {"status", [](Document& d) { d["benchmarks"][0]["warpgauge"]["outcome"]["status"] = 1; }},
      {"time 0", [](Document& d) { d["benchmarks"][0]["warpgauge"]["time_ns"] = 0; }},
      {"sample", [](Document& d) { d["benchmarks"][0]["warpgauge"]["samples_ns"] = {"1"}; }},
      {"access", [](Document& d) { d["benchmarks"][0]["warpgauge"]["lines"][0]["access"] = "x"; }},
      {"line 0", [](Document& d) { d["benchmarks"][0]["warpgauge"]["lines"][0]["line"] = 0; }},
      {"requests",
       [](Document& d) { d["benchmarks"][0]["warpgauge"]["lines"][0]["requests"] = -1; }},
      {"no wavefronts",
       [](Document& d) { d["benchmarks"][0]["warpgauge"]["lines"][0].erase("wavefronts"); }},
      {"no sectors",
       [](Document& d) { d["benchmarks"][0]["warpgauge"]["lines"][1].erase("sectors"); }},
      {"reason", [](Document& d) { d["benchmarks"][0]["warpgauge"]["not_measured"]["x"] = 3; }},
      {"misspelt", [](Document& d) { d["benchmarks"][0]["warpgauge"]["sample_ns"] = 3; }},
  };
  for (const auto& [what, plant] : kFaults) {
    Document document = good();
    plant(document);
    EXPECT_NE(why_invalid(document), "") << what;
  }
}

}  // namespace
}  // namespace warpgauge
