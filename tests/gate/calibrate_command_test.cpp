// SPDX-License-Identifier: Apache-2.0
// What warpgauge calibrate measures, prints and refuses; tests/rates has the rates themselves.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using results::Json;
using results::Results;

class CalibrateCommand : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    std::vector<double> times;
    for (int i = 0; i < 6; ++i) times.push_back(100'000 + 90 * (i % 4));
    results::Device device = h200();
    device.uuid = "GPU-" + folder_.filename().string();
    for (const char* name : {"a.json", "b.json"}) {
      write(name, results_text(device, {{"a/one", times}, {"a/two", times}}, name));
    }
    write("plan.json",
          Json{{"passes", {"time"}},
               {"device", to_json(device)},
               {"log", (folder_ / "log").string()},
               {"benchmarks", {{"a/one", {{"time_ns", times}}}, {"a/two", {{"time_ns", times}}}}}}
              .dump());
  }
};

TEST_F(CalibrateCommand, PrintsTheTablesAndCanRepeatThem) {
  const std::string command = "calibrate a.json b.json --trials 20 --seed 7 --json rates.json";
  const Finished finished = warpgauge(command);
  ASSERT_EQ(finished.status, 0) << finished.output;
  const std::string& first = finished.output;
  EXPECT_EQ(first.find("rules"), std::string::npos) << "those of other tools: " << first;
  EXPECT_NE(first.find("0 of 20, at most 13.91 %"), std::string::npos) << first;
  const Json rates = Json::parse(results::read_file(folder_ / "rates.json"));
  EXPECT_EQ(rates["settings"].size(), 2u);
  EXPECT_EQ(rates["settings"][0]["rules"][0]["gates_wrong"]["of"], 20);
  EXPECT_EQ(rates["settings"][0]["rules"].size(), 1u);
  EXPECT_EQ(warpgauge(command).output, first);
}

TEST_F(CalibrateCommand, MeasuresASuiteAndASlowerOneInTurns) {
  std::string slower = results::read_file(folder_ / "plan.json");
  for (std::size_t at = slower.find("100"); at != slower.npos; at = slower.find("100", at)) {
    slower.replace(at, 3, "105");
  }
  write("slower.json", slower);
  write("slower.sh", "#!/bin/sh\nFAKE_SUITE_PLAN=slower.json exec " FAKE_SUITE " \"$@\"\n");
  std::filesystem::permissions(folder_ / "slower.sh", std::filesystem::perms::owner_all);
  const Finished finished =
      shell("cd " + quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json " +
            quoted(WARPGAUGE) + " calibrate --quiet --suite " + quoted(FAKE_SUITE) +
            " --slowed slower.sh --processes 6 --trials 20 --hot --out recorded");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("20 of 20, at most 100.00 %"), std::string::npos)
      << finished.output;
  for (const char* name : {"recorded.json", "slowed.json"}) {
    const Results recorded = results::read_results(folder_ / "recorded" / name);
    EXPECT_EQ(recorded.benchmarks.at(0).metrics.at("time").sessions.at(0).size(), 6u) << name;
    EXPECT_TRUE(recorded.session->hot) << name;
  }
}

TEST_F(CalibrateCommand, WrongUsageIsSaid) {
  EXPECT_EQ(warpgauge("calibrate").status, 64);
  EXPECT_EQ(warpgauge("calibrate a.json --suite x").status, 64);
  EXPECT_EQ(warpgauge("calibrate a.json --processes 5").status, 64);
  EXPECT_EQ(warpgauge("calibrate a.json --hot").status, 64);
  EXPECT_EQ(warpgauge("calibrate missing.json").status, 4);
  write("policy.toml",
        "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n"
        "[[override]]\nbenchmarks = \"nothing/*\"\nrelative_floor = 0.1\n");
  EXPECT_EQ(warpgauge("calibrate a.json --trials 10 --policy policy.toml").status, 4);
}

using ci::built_in_policy_text;

using FloorsCommand = InFolder;

TEST_F(FloorsCommand, CalibrateWritesAPolicyAndNeverOverOne) {
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) times.push_back(100'000 + 2'000 * (i % 4));
  for (const char* name : {"a.json", "b.json"}) {
    write(name, results_text(h200(), {{"a/one", times}, {"a/two", times}},
                             std::string(name) == "a.json" ? "2026-11-01T04:00:00Z"
                                                           : "2026-11-02T04:00:00Z"));
  }
  const std::string command = "calibrate a.json b.json --trials 20 --policy-out new.toml";
  const Finished finished = warpgauge(command);
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(finished.output.substr(0, 62),
            "new.toml: the policy with the floor of gpu clock on nvidia-h20");
  const Finished compared = warpgauge("compare a.json b.json --policy new.toml");
  EXPECT_EQ(compared.status, 0) << compared.output;
  const std::string policy = results::read_file(folder_ / "new.toml");
  const std::string before = built_in_policy_text();
  EXPECT_TRUE(policy.starts_with(before.substr(0, before.find("[[floor]]")))) << "all else stays";
  const std::string of_the_device = "clock = \"gpu\"\ndevices = [\"nvidia-h200\"]\n";
  const std::size_t found = policy.find(of_the_device);
  ASSERT_NE(found, std::string::npos);
  EXPECT_EQ(policy.find(of_the_device, found + 1), std::string::npos) << "in place of the old one";
  EXPECT_NE(policy.find("measured = \"2 sessions of at least 6 processes on 1 device"),
            std::string::npos)
      << policy;
  expect_one_line(warpgauge(command), 64, "--policy-out new.toml: exists already");
  EXPECT_EQ(results::read_file(folder_ / "new.toml"), policy);
  EXPECT_EQ(
      warpgauge("calibrate a.json b.json --trials 20 --policy new.toml --policy-out newer.toml")
          .status,
      0);
  const std::string newer = results::read_file(folder_ / "newer.toml");
  const std::size_t again = newer.find(of_the_device);
  ASSERT_NE(again, std::string::npos);
  EXPECT_EQ(newer.find(of_the_device, again + 1), std::string::npos) << "in place of the old one";
  EXPECT_EQ(newer.substr(0, again), policy.substr(0, found)) << "all else stays";
}

// Writes sessions in which the first `noisy` of six benchmarks differ by more than half.
class NoisyFloors : public InFolder {
 protected:
  Finished calibrate(int noisy) {
    int session = 0;
    for (const char* name : {"a.json", "b.json"}) {
      const double slower = session++ == 0 ? 1 : 2.5;
      std::vector<Measured> benchmarks;
      for (int i = 0; i < 6; ++i) {
        std::vector<double> times;
        for (int k = 0; k < 6; ++k) {
          times.push_back(i < noisy ? slower * (100'000 + 40'000 * (k % 3))
                                    : 100'000 + 90 * (k % 4));
        }
        benchmarks.push_back({"a/" + std::to_string(i), times});
      }
      write(name, results_text(h200(), benchmarks,
                               session == 1 ? "2026-11-01T04:00:00Z" : "2026-11-02T04:00:00Z"));
    }
    return warpgauge("calibrate a.json b.json --trials 20 --policy-out new.toml");
  }
};

TEST_F(NoisyFloors, APolicyThatFindsNothingIsNotWritten) {
  const Finished finished = calibrate(6);
  EXPECT_EQ(finished.status, 3) << finished.output;
  for (const char* said : {"new.toml is not written: these sessions differ so much",
                           "Unchanged code: 0.00 % of all verdicts are \"slower\", ",
                           "\n  not even 30 %: a/0, a/1, a/2, a/3, a/4 and 1 more\n"}) {
    EXPECT_NE(finished.output.find(said), std::string::npos) << said << '\n' << finished.output;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.toml"));
}

TEST_F(NoisyFloors, OneBenchmarkThatDiffersTooMuchIsNamed) {
  const Finished finished = calibrate(1);
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("No slowdown below 30 % is found in a/0: they differ too much."),
            std::string::npos)
      << finished.output;
}

}  // namespace
}  // namespace warpgauge
