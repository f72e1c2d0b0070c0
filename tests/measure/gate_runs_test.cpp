// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate` with a suite that misbehaves on demand.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/measure/fake_run.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Results;

TEST_F(Run, AGateThatIsHotHasNoVerdictOnTimeAgainstColdBaselines) {
  for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
    plan_["benchmarks"][id]["time_ns"] = {1000'000, 1000'100, 1000'200, 1000'300, 1000'400};
  }
  ASSERT_EQ(start("run", "--out first.json").status, 0);
  ASSERT_EQ(warpgauge("approve first.json --reason first --baselines baselines").status, 0);
  EXPECT_EQ(start("gate", "--processes 5").status, 0);
  const Finished hot = start("gate", "--hot --processes 5");
  EXPECT_EQ(hot.status, 3) << hot.output;
  EXPECT_NE(hot.output.find("measured with another state of the caches 'cold' → 'hot'"),
            std::string::npos)
      << hot.output;
}

TEST_F(Run, GateEndsWithTheVerdict) {
  const Finished without = start("gate", "--processes 2 --quiet");
  EXPECT_EQ(without.status, 3);
  EXPECT_NE(without.output.find(" approve results/results.json --baselines baselines --reason '…'"),
            std::string::npos)
      << without.output;
  ASSERT_EQ(warpgauge("approve results/results.json --baselines baselines --reason first").status,
            0);
  EXPECT_EQ(start("gate", "--processes 2 --quiet").status, 0);

  plan_["benchmarks"]["a/one/1"]["counters"]["shared_load_wavefronts"] = 256;
  const Finished worse = start("gate", "--processes 2 --quiet");
  EXPECT_EQ(worse.status, 1) << worse.output;
  EXPECT_NE(worse.output.find("1 → 32 a request"), std::string::npos) << worse.output;
  EXPECT_NE(results::read_file(folder_ / "results" / "summary.md").find("1 → 32 a request"),
            std::string::npos);

  strike("b/three/1", "crash");
  EXPECT_EQ(start("gate", "--processes 2 --quiet").status, 4) << "failed is graver than regressed";
  EXPECT_EQ(start("gate", "--processes 2 --quiet --filter a/two").status, 0)
      << "what the filter leaves out is not missing";
}

TEST_F(Run, OutOfAGateIsAFolder) {
  for (const char* command : {"gate", "bisect --good HEAD", "calibrate"}) {
    SCOPED_TRACE(command);
    const Finished refused = start(command, "--out x.json --quiet");
    EXPECT_EQ(refused.status, 64) << refused.output;
    EXPECT_NE(refused.output.find("--out x.json: must be a folder, for "), std::string::npos)
        << refused.output;
    EXPECT_FALSE(fs::exists(folder_ / "x.json"));
  }
  EXPECT_EQ(start("gate", "--out plan.json --quiet").status, 64) << "it is a file";
  EXPECT_EQ(start("gate", "--out plan --processes 2 --quiet").status, 3);
  fs::rename(folder_ / "plan", folder_ / "plan.d.json");
  EXPECT_EQ(start("gate", "--out plan.d.json --processes 2 --quiet").status, 3)
      << "whoever has such a folder may keep it";
}

TEST_F(Run, WhatAGateThatEndsEarlyFindsIsNotTakenForItsOwn) {
  const std::string gate =
      "--processes 2 --quiet --report junit=results/junit.xml --report gitlab=";
  ASSERT_EQ(start("gate", gate + "elsewhere.json").status, 3);
  const auto left = [&] {
    std::map<std::string, std::string> files;
    for (const auto& each : fs::directory_iterator(folder_ / "results")) {
      if (each.is_regular_file())
        files[each.path().filename().string()] = results::read_file(each.path());
    }
    return files;
  };
  const auto before = left();
  ASSERT_TRUE(before.contains("results.json") && before.contains("verdict.json") &&
              before.contains("summary.md") && before.contains("junit.xml"));
  plan_["device"] = nullptr;
  write("plan.json", plan_.dump());
  write("results/mine.txt", "no report");
  const Finished ended = start("gate", gate + "elsewhere.json");
  EXPECT_EQ(ended.status, 4);
  EXPECT_NE(ended.output.find(
                "this gate has no results; those of an earlier one are in results/earlier\n"),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(left().size(), 1U) << "what is nobody's result stays";
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere.json"));
  EXPECT_EQ(warpgauge("approve results/results.json --baselines baselines --reason test").status, 4)
      << "another gate's results are not approved in place of those that are missing";
  EXPECT_EQ(warpgauge("gate --suite nope --quiet").status, 4);
  EXPECT_EQ(warpgauge("gate --suite nope --quiet --merge-base nowhere").status, 64);
  fs::remove(folder_ / "results" / "mine.txt");
  EXPECT_TRUE(left().empty());
  for (const auto& [name, text] : before) {
    EXPECT_EQ(results::read_file(folder_ / "results" / "earlier" / name), text)
        << "and is not lost either, however many end early: " << name;
  }
}

TEST_F(Run, WhatAnEarlierGateFoundIsNotLostToWhatOthersWriteThere) {
  ASSERT_EQ(start("gate", "--processes 2 --quiet").status, 3);
  const std::string results = results::read_file(folder_ / "results" / "results.json");
  ASSERT_EQ(warpgauge("gate --suite nope --quiet").status, 4);
  write("results/verdict.json", "of a comparison");
  write("results/report.html", "not of this gate");
  ASSERT_EQ(warpgauge("gate --suite nope --quiet --report html=results/report.html").status, 4);
  const fs::path earlier = folder_ / "results" / "earlier";
  EXPECT_EQ(results::read_file(earlier / "results.json"), results);
  EXPECT_EQ(results::read_file(earlier / "report.html"), "not of this gate");
  // A link may lead to anything.
  fs::remove_all(earlier);
  write("elsewhere/results.json", "precious");
  fs::create_directory_symlink(folder_ / "elsewhere", earlier);
  write("results/results.json", "of an earlier gate");
  const Finished refused = warpgauge("gate --suite nope --quiet");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("cannot replace results/earlier"), std::string::npos)
      << refused.output;
  EXPECT_EQ(results::read_file(folder_ / "elsewhere" / "results.json"), "precious");
}

TEST_F(Run, NothingThatWasSaidOfEarlierResultsIsLeftBesideNewOnes) {
  const std::string report = "--report junit=results/junit.xml --report gitlab=";
  ASSERT_EQ(start("gate", "--processes 2 --quiet " + report + "elsewhere.json").status, 3);
  write("results/against.json", "of an earlier gate");
  write("results/mine.txt", "no report");
  ASSERT_EQ(start("gate", "--processes 2 --quiet --report sarif=results/new.sarif").status, 3);
  for (const char* gone : {"junit.xml", "against.json"}) {
    EXPECT_FALSE(fs::exists(folder_ / "results" / gone)) << gone;
  }
  for (const char* there : {"results/verdict.json", "results/summary.md", "results/new.sarif",
                            "results/mine.txt", "elsewhere.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / there)) << there;
  }
  // Whoever names another folder there has nothing removed.
  write("results/.reports", "../elsewhere.json\n/etc/hostname\n..\nnew.sarif\n");
  ASSERT_EQ(start("gate", "--processes 2 --quiet").status, 3);
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere.json"));
  EXPECT_FALSE(fs::exists(folder_ / "results" / "new.sarif"));
}

TEST_F(Run, WhatWasSaidOfEarlierResultsIsKeptUntilNewOnesAreThere) {
  const std::string gate = "--processes 2 --quiet --report junit=results/junit.xml";
  ASSERT_EQ(start("gate", gate).status, 3);
  // What is in their place by the end of the run lets no results be written.
  write("in_the_way.sh",
        "#!/bin/sh\nrm -f results/results.json; mkdir -p results/results.json\n"
        "exec " +
            quoted(FAKE_SUITE) + " \"$@\"\n");
  fs::permissions(folder_ / "in_the_way.sh", fs::perms::owner_all);
  const Finished finished =
      shell("cd " + quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json " +
            quoted(WARPGAUGE) + " gate --suite in_the_way.sh " + gate);
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_NE(finished.output.find("results/results.json"), std::string::npos) << finished.output;
  for (const char* there : {"verdict.json", "summary.md", "junit.xml"}) {
    EXPECT_TRUE(fs::exists(folder_ / "results" / "earlier" / there)) << there;
  }
  fs::remove_all(folder_ / "results" / "results.json");
  ASSERT_EQ(start("gate", gate).status, 3);
  EXPECT_FALSE(fs::exists(folder_ / "results" / "earlier")) << "there are newer ones";
}

class GateAgain : public Run {
 protected:
  static std::vector<double> joined(std::vector<double> figures, const std::vector<double>& more) {
    figures.insert(figures.end(), more.begin(), more.end());
    return figures;
  }

  void SetUp() override {
    Run::SetUp();
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
      plan_["benchmarks"][id]["time_ns"] = steady(1);
    }
    ASSERT_EQ(start("gate", "--quiet").status, 3);
    ASSERT_EQ(warpgauge("approve results/results.json --baselines baselines --reason test").status,
              0);
    fs::remove(folder_ / "log");
  }

  // A gate with these times of a/two.
  Finished gate(const std::vector<double>& times, const std::string& arguments = "") {
    plan_["benchmarks"]["a/two/1"]["time_ns"] = times;
    return start("gate", "--quiet " + arguments);
  }
};

TEST_F(GateAgain, WhatIsSlowerIsSaidOnlyOnceItWasMeasuredAgain) {
  const Finished finished = gate(steady(1.2));
  EXPECT_EQ(finished.status, 1) << finished.output;
  const auto all = processes();
  ASSERT_EQ(all.size(), 11u) << "five, the counters, five again";
  for (std::size_t i = 6; i < all.size(); ++i) EXPECT_EQ(all[i], "time a/two/1");
  const Results results = read("results/results.json");
  EXPECT_EQ(find(results, "a/two/1").metrics.at("time").sessions.at(0).size(), 10u);
  EXPECT_EQ(find(results, "a/one/1").metrics.at("time").sessions.at(0).size(), 5u);
}

TEST_F(GateAgain, WhatIsSlowerOnlyOnceIsNoAlarm) {
  const Finished finished = gate(joined(steady(1.2), steady(1)));
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(
      finished.output.find("5 fresh processes do not confirm it (+0.00 %, p 1 is not below 0.01)"),
      std::string::npos)
      << finished.output;
  EXPECT_EQ(finished.output.find("regressed"), std::string::npos) << finished.output;
}

TEST_F(GateAgain, WhatIsUnclearIsMeasuredMoreOften) {
  const std::vector<double> wild{99'490,  100'510, 99'745,  100'255, 99'640,
                                 100'360, 99'895,  100'200, 99'800,  100'105};
  const Finished finished = gate(wild);
  const auto all = processes();
  ASSERT_EQ(all.size(), 11u);
  EXPECT_EQ(all.back(), "time a/two/1");
  EXPECT_EQ(finished.status, 0) << "what five leave open ten settle\n" << finished.output;
}

TEST_F(GateAgain, AsManyProcessesAsTheCallerSaysAreEnough) {
  EXPECT_EQ(gate({90'000, 110'000, 100'000}, "--processes 3").status, 3);
  EXPECT_EQ(processes().size(), 4u);
}

TEST_F(GateAgain, WhatIsClearIsNotMeasuredAgain) {
  EXPECT_EQ(gate(steady(1)).status, 0);
  EXPECT_EQ(processes().size(), 6u);
}

TEST_F(Run, WhatIsNotComparedForLackOfMachineCodeIsSaidOnce) {
  for (auto& [id, benchmark] : plan_["benchmarks"].items()) {
    benchmark["machine_code"] = {to_json(kernel_code("kernel", 'a'))};
  }
  ASSERT_EQ(start("gate", "--processes 2").status, 3);
  ASSERT_EQ(warpgauge("approve results/results.json --reason test").status, 0);
  const std::string note = "the machine code of 3 benchmarks was not read: registers, spills and";
  EXPECT_EQ(start("gate", "--processes 2").output.find(note), std::string::npos);
  plan_["benchmarks"].back().erase("machine_code");
  strike("a/one/1", "crash");
  EXPECT_NE(start("gate", "--processes 2").output.find("of 1 benchmark was not read"),
            std::string::npos);
  for (auto& [id, benchmark] : plan_["benchmarks"].items()) {
    benchmark.erase("machine_code");
    benchmark.erase("fate");
  }
  const std::string output = start("gate", "--processes 2").output;
  const std::size_t at = output.find(note);
  ASSERT_NE(at, std::string::npos) << output;
  EXPECT_EQ(output.rfind("machine code of"), output.find("machine code of")) << output;
  EXPECT_NE(output.find("give --machine-code", at), std::string::npos) << output;
}

TEST_F(Run, GateNamesItsPolicyInTheCommandThatApproves) {
  write("own policy.toml", "[[metric]]\nnames = [\"shared_load_requests\"]\nclass = \"exact\"\n");
  EXPECT_NE(start("gate", "--quiet --processes 1 --policy 'own policy.toml'")
                .output.find("--baselines baselines --policy 'own policy.toml'"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgauge
