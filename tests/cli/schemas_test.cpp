// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas of baselines and policies accept what there is, and refuse what is not as they
// say.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <toml++/toml.h>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/schema.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using Document = nlohmann::json;

constexpr const char* kBaselineSchema = "ci/baselines/baseline.schema.json";
constexpr const char* kPolicySchema = "ci/policy/policy.schema.json";

using BaselineSchema = InFolder;

TEST(BaselinesOfTheProject, AreAsTheirSchemaSays) {
  const fs::path root = SOURCE_ROOT;
  int files = 0;
  for (const fs::path& folder : {root / "baselines", root / "docs/examples/kernels/baselines"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".json") continue;
      ++files;
      EXPECT_EQ(why_invalid(results::read_file(entry.path()), kBaselineSchema), "") << entry.path();
    }
  }
  EXPECT_GE(files, 10);
}

TEST_F(BaselineSchema, AcceptsWhatIsApprovedAndRefusesWhatIsNot) {
  write("results.json",
        results_text(h200(), {{.id = "a/b/1",
                               .times_ns = {100, 101},
                               .counters = {{"barriers", 2}},
                               .lines = {source_line(3, results::Access::shared_load, 1, 32, "x")},
                               .machine_code = {kernel_code("kernel()", 'a')}}}));
  ASSERT_EQ(warpgauge("approve results.json --reason why").status, 0);
  const fs::path place = folder_ / "baselines" / "nvidia-h200";
  const Document device = Document::parse(results::read_file(place / "device.json"));
  const Document family = Document::parse(results::read_file(place / "a.json"));
  EXPECT_EQ(why_invalid(device.dump(), kBaselineSchema), "");
  EXPECT_EQ(why_invalid(family.dump(), kBaselineSchema), "");

  const auto session = device["sessions"].items().begin().key();
  const std::pair<const char*, std::function<void(Document&)>> kDeviceFaults[] = {
      {"schema", [](Document& d) { d["schema"] = 1; }},
      {"no device", [](Document& d) { d.erase("device"); }},
      {"key", [](Document& d) { d["device"]["key"] = "A B"; }},
      {"no session", [](Document& d) { d["sessions"].clear(); }},
      {"no reason", [&](Document& d) { d["sessions"][session].erase("reason"); }},
      {"approved", [&](Document& d) { d["sessions"][session]["approved"] = "today"; }},
      {"processes", [&](Document& d) { d["sessions"][session]["processes"] = 0; }},
      {"more", [](Document& d) { d["more"] = 1; }}};
  for (const auto& [what, plant] : kDeviceFaults) {
    Document document = device;
    plant(document);
    EXPECT_NE(why_invalid(document.dump(), kBaselineSchema), "") << what;
  }
  const std::pair<const char*, std::function<void(Document&)>> kFamilyFaults[] = {
      {"no benchmark", [](Document& d) { d["benchmarks"].clear(); }},
      {"no counted", [](Document& d) { d["benchmarks"]["a/b/1"].erase("counted"); }},
      {"no lines", [](Document& d) { d["benchmarks"]["a/b/1"].erase("lines"); }},
      {"misspelt", [](Document& d) { d["benchmarks"]["a/b/1"]["exakt"] = 1; }},
      {"counter", [](Document& d) { d["benchmarks"]["a/b/1"]["exact"]["barriers"] = -1; }},
      {"line", [](Document& d) { d["benchmarks"]["a/b/1"]["lines"][0].erase("requests"); }},
      {"code", [](Document& d) { d["benchmarks"]["a/b/1"]["machine_code"][0].erase("name"); }},
      {"time 0",
       [](Document& d) { d["benchmarks"]["a/b/1"]["statistical"]["time"][0]["processes"][0] = 0; }},
      {"no process", [](Document& d) {
         d["benchmarks"]["a/b/1"]["statistical"]["time"][0]["processes"].clear();
       }}};
  for (const auto& [what, plant] : kFamilyFaults) {
    Document document = family;
    plant(document);
    EXPECT_NE(why_invalid(document.dump(), kBaselineSchema), "") << what;
  }
}

TEST_F(BaselineSchema, KnowsWhatWasCarriedOver) {
  const auto measured = [&](const char* cuda, char code, const char* name, const char* turns) {
    Document document = Document::parse(
        results_text(h200(), {{.id = "a/b/1",
                               .times_ns = {100'000, 100'010, 100'005, 100'000, 100'010},
                               .machine_code = {kernel_code("kernel()", code)}}}));
    document["context"]["warpgauge"]["toolchain"]["cuda"] = cuda;
    document["context"]["warpgauge"]["turns"] = turns;
    write(name, document.dump());
  };
  measured("12.8", 'a', "against.json", "A of ABAB by seed 3, begun now");
  measured("13.0", 'b', "results.json", "B of ABAB by seed 3, begun now");
  ASSERT_EQ(warpgauge("approve against.json --reason why").status, 0);
  const Finished approved =
      warpgauge("approve results.json --new-environment --beside against.json --reason why --json");
  ASSERT_EQ(approved.status, 0) << approved.output;
  EXPECT_EQ(Document::parse(approved.output)["carried"].size(), 1U);
  const fs::path place = folder_ / "baselines" / "nvidia-h200";
  const std::string device = results::read_file(place / "device.json");
  EXPECT_NE(device.find("\"carried\""), std::string::npos) << device;
  EXPECT_EQ(why_invalid(device, kBaselineSchema), "");
  Document family = Document::parse(results::read_file(place / "a.json"));
  Document& carried = family["benchmarks"]["a/b/1"]["statistical"]["time"][0]["carried"];
  EXPECT_EQ(carried.size(), 2U) << family.dump();
  EXPECT_EQ(why_invalid(family.dump(), kBaselineSchema), "");
  carried["ratio"] = 0;
  EXPECT_NE(why_invalid(family.dump(), kBaselineSchema), "");
}

std::string as_json(const std::string& policy) {
  std::ostringstream text;
  text << toml::json_formatter{toml::parse(policy)};
  return text.str();
}

TEST(PolicySchema, AcceptsTheProjectsOwn) {
  const std::string policy = results::read_file(fs::path(SOURCE_ROOT) / "ci" / "policy.toml");
  EXPECT_EQ(why_invalid(as_json(policy), kPolicySchema), "");
  EXPECT_EQ(why_invalid(as_json(policy + "critical = true\nexpires = 2026-12-31\n"), kPolicySchema),
            "");
}

TEST(PolicySchema, RefusesWhatTheReaderRefuses) {
  const std::string metric = "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n";
  EXPECT_EQ(why_invalid(as_json(metric), kPolicySchema), "");
  for (const std::string& wrong :
       {std::string(), "alpha = 0.6\n" + metric, "processes = 0\n" + metric, metric + "floor = 1\n",
        metric + "relative_floor = -1\n",
        std::string("[[metric]]\nnames = [\"time\"]\nclass = \"noisy\"\n"),
        metric + "[[override]]\ngate = true\n", metric + "[[override]]\nbenchmarks = 5\n"}) {
    EXPECT_NE(why_invalid(as_json(wrong), kPolicySchema), "") << wrong;
  }
}

using PolicyKeys = InFolder;

// The reader names the keys that it knows when it meets another one.
TEST_F(PolicyKeys, AreThoseOfTheSchema) {
  const Document schema =
      Document::parse(results::read_file(fs::path(SOURCE_ROOT) / kPolicySchema));
  const std::string metric = "[[metric]]\nnames = [\"time\"]\nclass = \"exact\"\n";
  write("results.json", results_text(h200(), {{.id = "a/b/1", .times_ns = {100, 101}}}));
  const std::pair<std::string, std::string> kPlaces[] = {
      {"/properties", "zzz = 1\n" + metric},
      {"/definitions/metric/properties", metric + "zzz = 1\n"},
      {"/definitions/override/properties", metric + "[[override]]\nbenchmarks = \"*\"\nzzz = 1\n"}};
  for (const auto& [place, policy] : kPlaces) {
    write("policy.toml", policy);
    const std::string said =
        warpgauge("compare results.json results.json --policy policy.toml").output;
    const std::string before = "known here: ";
    ASSERT_NE(said.find(before), said.npos) << said;
    std::set<std::string> known;
    std::istringstream keys(said.substr(said.find(before) + before.size()));
    for (std::string key; keys >> key;) known.insert(key.substr(0, key.find(',')));
    std::set<std::string> described;
    for (const auto& [key, value] : schema.at(Document::json_pointer(place)).items()) {
      described.insert(key);
    }
    EXPECT_EQ(known, described) << place;
  }
}

}  // namespace
}  // namespace warpgauge
