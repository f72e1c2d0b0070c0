// SPDX-License-Identifier: Apache-2.0
// A gate on a machine without GPU and toolkit finds what a change made worse in machine code alone:
// a spill, local memory, an occupancy step and a narrowed load, each by kernel and line.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

const std::string kKernels = "tests/system/gate/code_kernels.cuh";

// "FILE:LINE" of the first line that has this text.
std::string place_of(const std::string& text) {
  std::istringstream lines(results::read_file(fs::path(SOURCE_ROOT) / kKernels));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find(text) != std::string::npos) return kKernels + ":" + std::to_string(number);
  }
  return "no '" + text + "'";
}

class CodeGate : public InFolder {
 protected:
  // This project's rules, without what they say of its own benchmarks.
  void SetUp() override {
    InFolder::SetUp();
    rules_ = results::read_file(fs::path(SOURCE_ROOT) / "ci/policy.toml");
    rules_.resize(rules_.find("[[override]]\nbenchmarks"));
    const std::size_t controls = rules_.find("controls = [");
    rules_.erase(controls, rules_.find('\n', controls) - controls);
    write("policy.toml", rules_);
  }
  // In an environment that knows no toolkit.
  [[nodiscard]] Finished here(const std::string& arguments) const {
    return shell(std::string("cd '") + SOURCE_ROOT + "' && env -i PATH=/usr/bin:/bin " +
                 quoted(WARPGAUGE) + " " + arguments);
  }
  [[nodiscard]] Finished gate(const std::string& machine_code, const std::string& more = "") const {
    return here(std::string("gate --suite '") + CODE_SUITE + "' --machine-code '" + machine_code +
                "' --baselines '" + (folder_ / "baselines").string() + "' --out '" +
                (folder_ / "out").string() + "' --policy '" + (folder_ / "policy.toml").string() +
                "' " + more);
  }
  void approve(const std::string& machine_code) const {
    ASSERT_EQ(gate(machine_code).status, 3);
    const Finished approved =
        here("approve '" + (folder_ / "out/results.json").string() + "' --policy '" +
             (folder_ / "policy.toml").string() + "' --baselines '" +
             (folder_ / "baselines").string() + "' --reason test");
    ASSERT_EQ(approved.status, 0) << approved.output;
  }
  // By "BENCHMARK METRIC", why.
  [[nodiscard]] std::map<std::string, std::string> regressed() const {
    std::map<std::string, std::string> found;
    const Json verdict = Json::parse(results::read_file(folder_ / "out/verdict.json"));
    for (const Json& benchmark : verdict.at("benchmarks")) {
      for (const Json& metric : benchmark.at("metrics")) {
        if (metric.at("verdict") != "regressed") continue;
        found[benchmark.at("id").get<std::string>() + " " +
              metric.at("metric").get<std::string>()] = metric.at("reason");
      }
    }
    return found;
  }
  [[nodiscard]] fs::path baseline() const { return folder_ / "baselines/emulated/code.json"; }

  std::string rules_;
};

TEST_F(CodeGate, FindsWhatGotWorseByKernelArchitectureAndLine) {
  approve(CODE_BEFORE);
  EXPECT_EQ(gate(CODE_BEFORE).status, 0);
  const Finished finished = gate(CODE_AFTER);
  EXPECT_EQ(finished.status, 1) << finished.output;
  const std::map<std::string, std::string> found = regressed();
  struct Planted {
    std::string metric;
    std::string what;
    std::string at;
  };
  const std::string spilled = " at " + kKernels + ":";
  for (const Planted& each :
       {Planted{"code/vectors/1024 narrower_loads",
                "code_vectors for sm_90: load global 128 1 → 0, load global 32 0 → 4",
                place_of("out[i] = CODE_VECTOR(in, i)")},
        Planted{"code/live/1024 spill_store_bytes", "code_live for sm_90: spill_store_bytes 0 → ",
                spilled},
        Planted{"code/live/1024 local_accesses",
                "code_live for sm_90: accesses to local memory 0 → ", spilled},
        Planted{"code/tile/1024 resident_warps",
                "code_tile for sm_90: resident warps 64 → 48 of 64, limited by shared memory",
                ""}}) {
    ASSERT_TRUE(found.contains(each.metric)) << each.metric << "\n" << finished.output;
    EXPECT_NE(found.at(each.metric).find(each.what), std::string::npos) << found.at(each.metric);
    EXPECT_NE(found.at(each.metric).find(each.at), std::string::npos) << found.at(each.metric);
  }
  for (const auto& [metric, why] : found) {
    EXPECT_TRUE(metric.starts_with("code/live/1024 spill_") ||
                metric.starts_with("code/live/1024 stack_bytes") ||
                metric == "code/live/1024 local_accesses" ||
                metric == "code/vectors/1024 narrower_loads" || metric.starts_with("code/tile/"))
        << metric << ": " << why;
  }
}

TEST_F(CodeGate, AnnotatesTheLine) {
  approve(CODE_BEFORE);
  ASSERT_EQ(gate(CODE_AFTER, "--filter vectors").status, 1);
  const Finished sarif =
      here("report '" + (folder_ / "out/verdict.json").string() + "' --format sarif");
  ASSERT_EQ(sarif.status, 0) << sarif.output;
  const Json place =
      Json::parse(sarif.output).at("/runs/0/results/0/locations/0/physicalLocation"_json_pointer);
  EXPECT_EQ(place.at("/artifactLocation/uri"_json_pointer), kKernels);
  EXPECT_EQ(kKernels + ":" + std::to_string(place.at("/region/startLine"_json_pointer).get<int>()),
            place_of("out[i] = CODE_VECTOR(in, i)"));
}

// Without a suite, as of any binary.
TEST_F(CodeGate, NamesTheLineOfMachineCodeAlone) {
  const fs::path before = folder_ / "before/code.cubin";
  const fs::path after = folder_ / "after/code.cubin";
  results::write_file_atomically(before, results::read_file(CODE_BEFORE));
  results::write_file_atomically(after, results::read_file(CODE_AFTER));
  for (const fs::path& each : {before, after}) {
    const Finished read = here("static '" + each.string() + "' --out '" +
                               fs::path(each).replace_extension("json").string() + "'");
    ASSERT_EQ(read.status, 0) << read.output;
  }
  const Finished compared = here("compare '" + (folder_ / "before/code.json").string() + "' '" +
                                 (folder_ / "after/code.json").string() + "' --verbose --policy '" +
                                 (folder_ / "policy.toml").string() + "'");
  EXPECT_EQ(compared.status, 1) << compared.output;
  EXPECT_NE(compared.output.find("load global 128 1 → 0, load global 32 0 → 4 at " +
                                 place_of("out[i] = CODE_VECTOR(in, i)")),
            std::string::npos)
      << compared.output;
}

// What the baseline did not know yet is judged from the next approval on.
TEST_F(CodeGate, AnOlderBaselineRaisesNoAlarm) {
  approve(CODE_BEFORE);
  Json older = Json::parse(results::read_file(baseline()));
  for (Json& benchmark : older.at("benchmarks")) {
    for (Json& code : benchmark.at("machine_code")) code.erase("accesses");
  }
  results::write_file_atomically(baseline(), older.dump(1));
  ASSERT_EQ(gate(CODE_AFTER).status, 1);
  EXPECT_FALSE(regressed().contains("code/vectors/1024 narrower_loads"));
  EXPECT_FALSE(regressed().contains("code/live/1024 local_accesses"));
  EXPECT_TRUE(regressed().contains("code/live/1024 spill_store_bytes")) << "that it knew";
  EXPECT_EQ(gate(CODE_BEFORE).status, 0) << "the same code";
}

TEST_F(CodeGate, ATeamsPolicyCanSwitchTheRulesOff) {
  approve(CODE_BEFORE);
  write("policy.toml", rules_ +
                           "[[override]]\nbenchmarks = \"code/vectors/*\"\n"
                           "metrics = [\"narrower_loads\"]\ngate = false\nreason = \"on trial\"\n");
  const Finished finished = gate(CODE_AFTER, "--filter vectors");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const std::string verdict = results::read_file(folder_ / "out/verdict.json");
  EXPECT_NE(verdict.find("narrower_loads"), std::string::npos) << "it is shown";
}

}  // namespace
}  // namespace warpgauge
