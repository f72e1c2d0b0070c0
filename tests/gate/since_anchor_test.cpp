// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate --since-anchor`.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/helpers/small_repository.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

class SinceAnchor : public SmallRepository {
 protected:
  void SetUp() override {
    SmallRepository::SetUp();
    write(".gitignore", "/bin/\n/order\n/results/\n/baselines/\n/build/\n");
    first_ = commit("ignores");
  }

  // What is in the folder, as the baseline of all or of what the filter matches.
  void approve(const std::string& arguments) {
    build();
    (void)warpgauge("gate --quiet --all --suite bin/suite");
    const Finished finished = warpgauge("approve results/results.json " + arguments);
    ASSERT_EQ(finished.status, 0) << finished.output;
  }

  Finished gate(const std::string& arguments = "") {
    build();
    return warpgauge("gate --suite bin/suite --since-anchor --build 'sh build.sh' " + arguments);
  }

  [[nodiscard]] fs::path out() const { return folder_ / "results" / "since-anchor"; }

  [[nodiscard]] Json verdict() const {
    return Json::parse(results::read_file(out() / "verdict.json"));
  }

  [[nodiscard]] std::vector<std::string> verdicts() const {
    std::vector<std::string> all;
    const Json said = verdict();
    for (const Json& each : said.at("benchmarks")) {
      all.push_back(each.at("id").get<std::string>() + " " + each.at("verdict").get<std::string>());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  static void expect_says(const Finished& finished, int status, const std::string& what) {
    EXPECT_EQ(finished.status, status) << finished.output;
    EXPECT_NE(finished.output.find(what), std::string::npos) << finished.output;
  }
};

TEST_F(SinceAnchor, WhatWasLostSinceIsRegressedThoughItWasApproved) {
  approve("--anchor --reason 'version 1'");
  set_times("a/two/1", steady(1.5));
  commit("slower");
  approve("--filter a/two --reason 'worth it'");
  set_times("a/one/1", steady(1.015));
  commit("creeps");
  const Finished finished = gate();
  expect_says(finished, 1, "regressed since the anchor " + first_.substr(0, 12) + " of 20");
  expect_says(finished, 1, " (version 1): +50.0 %; approved since: 20");
  EXPECT_NE(finished.output.find(": worth it"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("approve the results with --anchor"), std::string::npos);
  EXPECT_EQ(verdicts(),
            (std::vector<std::string>{"a/one/1 same", "a/two/1 regressed", "b/three/1 same"}));
  EXPECT_TRUE(verdict().at("before").at("name").get<std::string>().starts_with(
      "anchor " + first_.substr(0, 12) + " of 20"));
}

TEST_F(SinceAnchor, TheLimitIsThePolicys) {
  approve("--anchor --reason 'version 1'");
  set_times("a/one/1", steady(1.015));
  commit("creeps");
  write("policy.toml",
        "creep_limit = 0.01\n[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n");
  expect_says(gate("--policy policy.toml"), 1, "floor 1.0 %");
  write("policy.toml",
        "creep_limit = 0.01\n[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
        "[[override]]\nbenchmarks = \"a/one/*\"\nrelative_floor = 0.02\n");
  EXPECT_EQ(gate("--policy policy.toml").status, 0);
}

TEST_F(SinceAnchor, CountersAreShownAndDecideNothing) {
  approve("--anchor --reason 'version 1'");
  plan_["benchmarks"]["a/one/1"]["counters"] = {{"shared_load_requests", 16}};
  commit("counts");
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 0) << finished.output;
  const Json said = verdict();
  for (const Json& metric : said.at("benchmarks").at(0).at("metrics")) {
    if (metric.at("metric") != "shared_load_requests") continue;
    EXPECT_EQ(metric.at("class"), "shown");
    EXPECT_EQ(metric.at("before"), 8);
    EXPECT_EQ(metric.at("after"), 16);
  }
}

TEST_F(SinceAnchor, EachAnchorIsMeasuredWithItsOwnBenchmarks) {
  approve("--anchor --filter a/one --reason 'version 1'");
  set_times("a/two/1", steady(1.5));
  const std::string second = commit("slower");
  approve("--anchor --filter a/two --reason 'version 2'");
  fs::remove(folder_ / "order");
  const Finished finished = gate();
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(verdicts(), (std::vector<std::string>{"a/one/1 same", "a/two/1 same"}));
  EXPECT_EQ(results::read_file(folder_ / "order").size(), 20u);
  EXPECT_EQ(verdict().at("after").at("name"), "results/since-anchor");
  for (const std::string& sha : {first_, second}) {
    const std::string name = sha.substr(0, 12) + ".json";
    EXPECT_EQ(results::read_results(out() / ("anchor-" + name)).session->source.revision, sha);
    EXPECT_TRUE(fs::exists(out() / ("since-" + name)));
  }

  set_times("a/one/1", steady(1.03));
  commit("creeps");
  expect_says(gate("--filter a/one"), 1, "(version 1): +3.00 %");
  EXPECT_FALSE(fs::exists(out() / ("anchor-" + second.substr(0, 12) + ".json")))
      << "of an earlier gate";
}

TEST_F(SinceAnchor, ResultsThatAreNotApprovedYetStay) {
  approve("--anchor --reason 'version 1'");
  const fs::path kept[] = {folder_ / "results" / "results.json",
                           folder_ / "results" / "verdict.json"};
  const std::string results = results::read_file(kept[0]);
  const std::string verdict = results::read_file(kept[1]);
  set_times("a/one/1", steady(1.001));
  commit("changes");
  EXPECT_EQ(gate().status, 0);
  EXPECT_EQ(results::read_file(kept[0]), results);
  EXPECT_EQ(results::read_file(kept[1]), verdict);
  EXPECT_EQ(gate("--out elsewhere").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere" / "verdict.json"));
}

TEST_F(SinceAnchor, BenchmarksWithoutOneAreNamed) {
  approve("--anchor --filter a/one --reason 'version 1'");
  approve("--filter 'a/two|b/' --reason 'the others'");
  expect_says(gate(), 0, "2 benchmarks without an anchor: a/two/1, b/three/1");
}

TEST_F(SinceAnchor, ThePolicyMaySpeakOfWhatHasNoAnchor) {
  plan_["benchmarks"]["b/three/1"]["counters"] = {{"widgets", 1}};
  commit("counts");
  write("policy.toml",
        "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
        "[[metric]]\nnames = [\"widgets\"]\nclass = \"exact\"\noptional = true\n");
  approve("--policy policy.toml --anchor --filter a/one --reason 'version 1'");
  approve("--policy policy.toml --filter b/ --reason 'the other'");
  expect_says(gate("--policy policy.toml"), 0, "1 benchmark without an anchor: b/three/1");
}

TEST_F(SinceAnchor, WithoutAnyThereIsNoVerdict) {
  approve("--reason 'no anchor'");
  expect_says(gate(), 3, "has an anchor; measure a clean commit with --all");
  fs::remove_all(folder_ / "baselines");
  expect_says(gate(), 3, "has an anchor");
}

TEST_F(SinceAnchor, WhatCannotBeBuiltIsNotMeasuredAndTheRestIs) {
  approve("--anchor --filter a/one --reason 'version 1'");
  write("broken", "");
  const std::string second = commit("breaks");
  approve("--anchor --filter a/two --reason 'version 2'");
  fs::remove(folder_ / "broken");
  commit("repairs");
  build();
  const std::string command =
      "gate --quiet --suite bin/suite --since-anchor --build 'test ! -e broken || "
      "{ echo no such header >&2; exit 1; }; sh build.sh'";
  const Finished finished = warpgauge(command);
  expect_says(finished, 4, "the anchor " + second.substr(0, 12) + " of 20");
  EXPECT_NE(finished.output.find("move the anchor to a commit that builds here"), std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("no such header"), std::string::npos) << finished.output;
  EXPECT_EQ(verdicts(), (std::vector<std::string>{"a/one/1 same"}));
  expect_says(warpgauge(command + " --filter a/two"), 4,
              "of 1 benchmark was not measured: the build");
}

TEST_F(SinceAnchor, WhatBuildsAndDoesNotRunAsksForNoOtherCommit) {
  approve("--anchor --reason 'version 1'");
  set_times("a/one/1", steady(1.001));
  commit("changes");
  build();
  const Finished finished = warpgauge(
      "gate --quiet --suite bin/suite --since-anchor --build 'mkdir -p bin; cp /bin/false "
      "bin/suite'");
  expect_says(finished, 4, "of 3 benchmarks was not measured: ");
  EXPECT_EQ(finished.output.find("move the anchor"), std::string::npos) << finished.output;
}

TEST_F(SinceAnchor, WhatIsNoLongerInTheSuiteIsMissing) {
  approve("--anchor --reason 'version 1'");
  plan_["benchmarks"].erase("a/two/1");
  commit("removes");
  EXPECT_EQ(gate().status, 4);
  EXPECT_EQ(verdicts(),
            (std::vector<std::string>{"a/one/1 same", "a/two/1 missing", "b/three/1 same"}));
}

TEST_F(SinceAnchor, WrongUsageIsSaid) {
  approve("--anchor --reason 'version 1'");
  expect_says(gate("--against main"), 64, "--against");
  expect_says(warpgauge("gate --suite bin/suite --build true"), 64,
              "give --against or --since-anchor");
  expect_says(warpgauge("gate --suite bin/suite --seed 1"), 64,
              "give --against, --against-build, --since-anchor");
  expect_says(warpgauge("approve results/results.json --anchor --code-only --reason x"), 64,
              "--code-only");
}

}  // namespace
}  // namespace warpgauge
