// SPDX-License-Identifier: Apache-2.0
// `warpgauge run` and `gate` with a suite that misbehaves on demand.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Json;
using results::Results;
using results::Status;

class Run : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    // Locks of these tests must not meet those of others.
    results::Device device = h200();
    device.uuid = "GPU-" + folder_.filename().string();
    plan_ = {{"passes", {"time", "counters"}},
             {"device", to_json(device)},
             {"log", (folder_ / "log").string()},
             {"benchmarks", Json::object()}};
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
      plan_["benchmarks"][id] = {
          {"time_ns", 1000.5},
          {"counters", {{"shared_load_requests", 8}, {"shared_load_wavefronts", 8}}}};
    }
  }

  void TearDown() override {
    fs::remove(lock_file());
    InFolder::TearDown();
  }

  [[nodiscard]] fs::path lock_file() const {
    std::string name = "warpgauge-GPU-" + folder_.filename().string() + ".lock";
    std::replace(name.begin(), name.end(), ' ', '_');
    return fs::temp_directory_path() / name;
  }

  void strike(const std::string& id, const std::string& fate, const std::string& pass = "") {
    plan_["benchmarks"][id]["fate"] = fate;
    if (!pass.empty()) plan_["benchmarks"][id]["in"] = pass;
  }

  Finished start(const std::string& command, const std::string& arguments = "") {
    write("plan.json", plan_.dump());
    return shell("cd '" + folder_.string() + "' && FAKE_SUITE_PLAN=plan.json " + quoted(WARPGAUGE) +
                 " " + command + " --suite " + quoted(FAKE_SUITE) + " " + arguments);
  }

  [[nodiscard]] Results read(const std::string& name = "results.json") const {
    return results::read_results(folder_ / name);
  }

  [[nodiscard]] const BenchmarkResult& find(const Results& results, const std::string& id) const {
    for (const BenchmarkResult& each : results.benchmarks) {
      if (each.id == id) return each;
    }
    throw std::logic_error("no " + id);
  }

  // What each process of the suite was asked for: "time a/one/1 a/two/1".
  [[nodiscard]] std::vector<std::string> processes() const {
    std::vector<std::string> lines;
    std::ifstream log(folder_ / "log");
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    return lines;
  }

  // Processes of the fake suite of this test that are still alive.
  [[nodiscard]] int survivors() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream environment(entry.path() / "environ");
      std::stringstream text;
      text << environment.rdbuf();
      std::ifstream command(entry.path() / "cmdline");
      std::string program;
      std::getline(command, program, '\0');
      if (program != FAKE_SUITE) continue;
      std::error_code error;
      if (fs::read_symlink(entry.path() / "cwd", error) == folder_) ++count;
    }
    return count;
  }

  Json plan_;
};

TEST_F(Run, CeilingsAreThoseOfTheSameRun) {
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  EXPECT_NE(read().session->ceilings->not_measured, "");
  for (const auto& [id, time] : {std::pair("bandwidth/copy/9", 48), {"bandwidth/copy/99", 24}}) {
    plan_["benchmarks"][id] = {{"time_ns", time}, {"counters", Json::object()}};
  }
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  const results::Ceilings expected{.size = "99", .bytes_per_second = {{"copy", 96 / 24e-9}}};
  EXPECT_EQ(read().session->ceilings, expected);
  plan_["passes"] = {"counters"};
  ASSERT_EQ(start("run").status, 0);
  EXPECT_FALSE(read().session->ceilings.has_value());
}

TEST_F(Run, ProcessesBecomeRepetitionsAndCountersJoinTheFirst) {
  const Finished finished = start("run", "--processes 3");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(processes(),
            (std::vector<std::string>{
                "time a/one/1 a/two/1 b/three/1", "time a/one/1 a/two/1 b/three/1",
                "time a/one/1 a/two/1 b/three/1", "counters a/one/1 a/two/1 b/three/1"}));
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_EQ(json["context"]["host_name"], "fake");
  ASSERT_EQ(json["benchmarks"].size(), 9u);
  const Json& first = json["benchmarks"][0];
  EXPECT_EQ(first["name"], "a/one/1/iterations:1/manual_time");
  EXPECT_EQ(first["warpgauge"]["id"], "a/one/1");
  EXPECT_EQ(first["repetitions"], 3);
  EXPECT_EQ(first["repetition_index"], 0);
  EXPECT_EQ(first["shared_load_wavefronts"], 8);
  EXPECT_EQ(first["real_time"], 1.0005);
  const Json& missing = first["warpgauge"]["not_measured"];
  EXPECT_EQ(missing.size(), 1U) << first;
  EXPECT_NE(missing.value("machine_code", "").find("holds no machine code"), std::string::npos);
  EXPECT_EQ(json["benchmarks"][2]["repetition_index"], 2);
  EXPECT_FALSE(json["benchmarks"][1].contains("shared_load_wavefronts"));

  const Results results = read();
  EXPECT_EQ(find(results, "b/three/1").metrics.at("time").sessions,
            (std::vector<std::vector<double>>{{1000.5, 1000.5, 1000.5}}));
  EXPECT_EQ(results.session->processes, 3);
  EXPECT_EQ(results.session->toolchain.cuda, "13.0");
}

TEST_F(Run, WhatIsOnlyCountedSaysWhyItHasNoTime) {
  plan_["passes"] = {"counters"};
  ASSERT_EQ(start("run", "--sizes emulated").status, 0);
  EXPECT_EQ(find(read(), "a/one/1").not_measured.at("time"), "at these sizes it is only counted");
}

TEST_F(Run, CountersAskedForReachTheCountersPassOnly) {
  plan_["counter_passes"] = 4;
  const Finished finished = start("run", "--processes 1 --counters a__b.sum,c__d.pct");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(processes(),
            (std::vector<std::string>{"time a/one/1 a/two/1 b/three/1",
                                      "counters [a__b.sum,c__d.pct] a/one/1 a/two/1 b/three/1"}));
  EXPECT_NE(finished.output.find("process 2 of 2 (counters, each kernel in 4 passes)"),
            std::string::npos)
      << finished.output;
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_EQ(json["benchmarks"][0]["warpgauge"]["counter_passes"], 4);
}

// What a log says of each process, but for how long it took and others will.
std::vector<std::string> lines_of_progress(const std::string& output) {
  static const std::regex kTook("took [0-9.]+ m?s");
  static const std::regex kLeft(", about .* left$");
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("process ")) {
      lines.push_back(std::regex_replace(std::regex_replace(line, kTook, "took …"), kLeft, ""));
    }
  }
  return lines;
}

TEST_F(Run, ALogSaysWhenEachProcessBeginsAndOnceHowItWent) {
  plan_["benchmarks"]["a/two/1"]["fate"] = "crash";
  const Finished finished = start("run", "--processes 2");
  EXPECT_EQ(lines_of_progress(finished.output),
            (std::vector<std::string>{
                "process 1 of 3 (time): 3 benchmarks", "process 1 of 3 (time): took …, 1 failed",
                "process 2 of 3 (time): 3 benchmarks", "process 2 of 3 (time): took …",
                "process 3 of 3 (counters): 3 benchmarks", "process 3 of 3 (counters): took …"}))
      << finished.output;
}

TEST_F(Run, HotReachesThePassThatTimesAndTheResults) {
  plan_["benchmarks"]["bandwidth/copy/9"] = {{"time_ns", 48}, {"counters", Json::object()}};
  ASSERT_EQ(start("run", "--processes 1 --hot --filter 'a/|bandwidth'").status, 0);
  EXPECT_EQ(processes(), (std::vector<std::string>{"time [hot] a/one/1 a/two/1 bandwidth/copy/9",
                                                   "counters a/one/1 a/two/1 bandwidth/copy/9"}));
  const Results hot = read();
  EXPECT_TRUE(hot.session->hot);
  EXPECT_EQ(hot.session->ceilings->not_measured.substr(0, 10), "timed hot:");

  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_FALSE(read().session->hot);
  EXPECT_EQ(results::read_file(folder_ / "results.json").find("\"hot\""), std::string::npos);
  EXPECT_EQ(read().session->ceilings->not_measured, "");
}

TEST_F(Run, WhatCannotBeTimedHotIsWrongUsageBeforeAnythingRuns) {
  plan_["old"] = true;
  for (const char* command : {"run", "gate"}) {
    const Finished old = start(command, "--hot");
    EXPECT_EQ(old.status, 64);
    EXPECT_EQ(old.output, "warpgauge: unknown argument --warpgauge_hot\n");
  }
  plan_["passes"] = {"counters"};
  const Finished counted = start("run", "--hot");
  EXPECT_EQ(counted.status, 64);
  EXPECT_NE(counted.output.find("times nothing, hot or cold; leave it out"), std::string::npos)
      << counted.output;
  EXPECT_TRUE(processes().empty());
}

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

TEST_F(Run, TheStateOfTheDeviceAndItsSettingsReachTheResults) {
  plan_["device"]["settings"] = {{"power_limit_w", 650.5}, {"ecc", true}};
  plan_["benchmarks"]["a/one/1"]["device_state"] = {
      {"before", {{"temperature_c", 40}}}, {"after", Json::object()}, {"discarded_samples", 3}};
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  for (const int process : {0, 1}) {
    const Json& state = json["benchmarks"][process]["warpgauge"]["device_state"];
    EXPECT_EQ(state["before"]["temperature_c"], 40);
    EXPECT_EQ(state["discarded_samples"], 3);
  }
  const Results results = read();
  ASSERT_TRUE(results.session->settings.has_value());
  EXPECT_EQ(results.session->settings->power_limit_w, 650.5);
  EXPECT_EQ(results.session->settings->ecc, true);
  EXPECT_EQ(results.session->settings->mig, std::nullopt);
}

TEST_F(Run, WithoutSettingsThereAreNone) {
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_FALSE(read().session->settings.has_value());
}

TEST_F(Run, AnUnknownCounterIsWrongUsageBeforeAnythingRuns) {
  for (const char* command : {"run", "gate"}) {
    const Finished finished = start(command, "--counters unknown__bytes.sum");
    EXPECT_EQ(finished.status, 64);
    EXPECT_EQ(finished.output, "warpgauge: the chip has no metric unknown__bytes.sum\n");
    EXPECT_TRUE(processes().empty());
  }
}

TEST_F(Run, MachineCodeThatCannotBeReadIsAnErrorBeforeAnythingRuns) {
  write("no.cubin", "nothing");
  const Finished finished = start("run", "--machine-code no.cubin");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("no.cubin: is not an ELF file; give a cubin"), std::string::npos)
      << finished.output;
  EXPECT_TRUE(processes().empty());
}

TEST_F(Run, WithoutAClockThereIsOneEntryABenchmark) {
  plan_["passes"] = {"counters"};
  plan_["device"] = to_json(emulated());
  ASSERT_EQ(start("run", "--processes 3").status, 0);
  EXPECT_EQ(processes().size(), 1u);
  const Results results = read();
  EXPECT_FALSE(find(results, "a/one/1").metrics.contains("time"));
  EXPECT_EQ(find(results, "a/one/1").metrics.at("shared_load_requests").sessions.at(0).size(), 1u);
}

struct Fate {
  const char* name;
  Status status;
  const char* message;
};

void PrintTo(const Fate& fate, std::ostream* out) { *out << fate.name; }

class RunWithFate : public Run, public testing::WithParamInterface<Fate> {};

TEST_P(RunWithFate, OneBadBenchmarkTakesNothingAlong) {
  const Fate fate = GetParam();
  strike("a/two/1", fate.name);
  const Finished finished = start("run", "--processes 2 --timeout 5");
  EXPECT_EQ(finished.status, 4) << finished.output;
  const Results results = read();
  const BenchmarkResult& bad = find(results, "a/two/1");
  EXPECT_EQ(bad.outcome.status, fate.status);
  EXPECT_NE(bad.outcome.message.find(fate.message), std::string::npos) << bad.outcome.message;
  for (const char* id : {"a/one/1", "b/three/1"}) {
    const BenchmarkResult& good = find(results, id);
    EXPECT_EQ(good.outcome.status, Status::ok);
    EXPECT_EQ(good.metrics.at("time").sessions.at(0).size(), 2u);
    EXPECT_EQ(good.metrics.at("shared_load_wavefronts").sessions.at(0).at(0), 8);
  }
  // Google Benchmark's own entry of what was finished before the end is kept as well.
  const Json first = Json::parse(results::read_file(folder_ / "results.json"))["benchmarks"][0];
  EXPECT_EQ(first["name"], "a/one/1/iterations:1/manual_time");
  EXPECT_EQ(processes().back(), "counters a/one/1 b/three/1") << "the bad one was started again";
  EXPECT_EQ(survivors(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    , RunWithFate,
    testing::Values(Fate{"crash", Status::crashed, "died of SIGSEGV in the time pass"},
                    Fate{"hang", Status::hung, "made no progress for 5 s in the time pass"},
                    Fate{"error", Status::error, "an illegal address"},
                    Fate{"wrong_result", Status::wrong_result, "3 of 9 are wrong"},
                    Fate{"leave", Status::crashed, "ended with exit status 0"},
                    Fate{"late_crash", Status::crashed,
                         "died of SIGSEGV in the time pass, after this was measured"},
                    Fate{"late_hang", Status::hung,
                         "made no progress for 5 s in the time pass, after this was measured"},
                    Fate{"torn", Status::crashed, "died of SIGKILL in the time pass"}),
    [](const auto& fate) { return std::string(fate.param.name); });

TEST_F(Run, EveryBenchmarkMayFail) {
  strike("a/one/1", "crash");
  strike("a/two/1", "error");
  strike("b/three/1", "hang");
  EXPECT_EQ(start("run", "--processes 2 --timeout 5").status, 4);
  for (const BenchmarkResult& each : read().benchmarks) {
    EXPECT_NE(each.outcome.status, Status::ok) << each.id;
  }
  EXPECT_EQ(read().benchmarks.size(), 3u);
}

TEST_F(Run, AFailureInTheCountersPassIsAFailure) {
  strike("a/two/1", "crash", "counters");
  EXPECT_EQ(start("run", "--processes 2").status, 4);
  const Results results = read();
  const BenchmarkResult& bad = find(results, "a/two/1");
  EXPECT_EQ(bad.outcome.status, Status::crashed);
  EXPECT_NE(bad.outcome.message.find("in the counters pass"), std::string::npos);
}

// A suite that counts lines in a pass of its own, as that for GPUs does.
class RunWithLines : public Run {
 protected:
  void SetUp() override {
    Run::SetUp();
    plan_["passes"] = {"time", "counters", "lines"};
    for (const char* id : {"a/one/1", "a/two/1"}) {
      plan_["benchmarks"][id]["lines"] = {
          to_json(source_line(3, results::Access::shared_load, 8, 8, "z = x;"))};
    }
    plan_["benchmarks"]["b/three/1"]["no_lines"] = "it was compiled without lines";
  }
};

TEST_F(RunWithLines, TheyJoinTheFirstProcessAndAreNoRepetition) {
  const Finished finished = start("run", "--processes 2");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(processes().size(), 4U);
  EXPECT_EQ(processes().back(), "lines a/one/1 a/two/1 b/three/1");
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_EQ(json["benchmarks"].size(), 6U);
  const Results results = read();
  const BenchmarkResult& one = find(results, "a/one/1");
  ASSERT_EQ(one.lines.size(), 1U);
  EXPECT_EQ(one.lines[0].wavefronts, 8U);
  EXPECT_FALSE(one.not_measured.contains("source_lines"));
  EXPECT_EQ(one.metrics.at("time").sessions.at(0).size(), 2U);
  EXPECT_EQ(one.metrics.at("shared_load_wavefronts").sessions.at(0).at(0), 8);
  const BenchmarkResult& three = find(results, "b/three/1");
  EXPECT_TRUE(three.lines.empty());
  EXPECT_EQ(three.not_measured.at("source_lines"), "it was compiled without lines");
  EXPECT_EQ(results.session->processes, 2);
}

TEST_F(RunWithLines, WithoutAClockTheyJoinTheCounters) {
  plan_["passes"] = {"counters", "lines"};
  ASSERT_EQ(start("run", "").status, 0);
  const Results results = read();
  const BenchmarkResult& one = find(results, "a/one/1");
  EXPECT_EQ(one.lines.size(), 1U);
  EXPECT_EQ(one.metrics.at("shared_load_wavefronts").sessions.at(0).size(), 1U);
}

// The fake suite holds no machine code in which to look them up.
TEST_F(RunWithLines, InstructionsWithoutMachineCodeSayWhyTheyAreNoLines) {
  plan_["benchmarks"]["a/one/1"].erase("lines");
  plan_["benchmarks"]["a/one/1"]["instructions"] = {
      {{"kernel", "k()"}, {"offset_bytes", 16}, {"requests", 8}, {"wavefronts", 8}}};
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  const Results results = read();
  EXPECT_NE(find(results, "a/one/1").not_measured.at("source_lines").find("holds no machine code"),
            std::string::npos);
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_FALSE(json["benchmarks"][0]["warpgauge"].contains("instructions"));
}

class LinesPassWithFate : public RunWithLines, public testing::WithParamInterface<Fate> {};

TEST_P(LinesPassWithFate, FailsNothingButItsOwnLines) {
  strike("a/two/1", GetParam().name, "lines");
  plan_["benchmarks"]["b/three/1"].erase("no_lines");
  plan_["benchmarks"]["b/three/1"]["lines"] = plan_["benchmarks"]["a/one/1"]["lines"];
  const Finished finished = start("run", "--processes 2 --timeout 5");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const Results results = read();
  const BenchmarkResult& two = find(results, "a/two/1");
  EXPECT_EQ(two.outcome.status, Status::ok);
  EXPECT_EQ(two.metrics.at("time").sessions.at(0).size(), 2U);
  EXPECT_EQ(two.metrics.at("shared_load_wavefronts").sessions.at(0).at(0), 8);
  EXPECT_TRUE(two.lines.empty());
  const std::string& reason = two.not_measured.at("source_lines");
  EXPECT_NE(reason.find(GetParam().message), reason.npos) << reason;
  EXPECT_NE(finished.output.find("a/two/1: source lines are not measured: "), std::string::npos)
      << finished.output;
  for (const char* id : {"a/one/1", "b/three/1"}) {
    EXPECT_EQ(find(results, id).lines.size(), 1U) << id;
  }
  EXPECT_EQ(survivors(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    , LinesPassWithFate,
    testing::Values(Fate{"crash", Status::ok, "died of SIGSEGV in the lines pass"},
                    Fate{"hang", Status::ok, "made no progress for 5 s in the lines pass"},
                    Fate{"error", Status::ok, "an illegal address"},
                    Fate{"wrong_result", Status::ok, "3 of 9 are wrong"},
                    Fate{"leave", Status::ok, "ended with exit status 0"}),
    [](const auto& fate) { return std::string(fate.param.name); });

TEST_F(RunWithLines, WhatFailedBeforeIsNotStartedAgain) {
  strike("a/two/1", "crash", "counters");
  EXPECT_EQ(start("run", "--processes 1").status, 4);
  EXPECT_EQ(processes().back(), "lines a/one/1 b/three/1");
}

TEST_F(RunWithLines, APassThatCannotBeginFailsNothing) {
  plan_["fate"] = "leave";
  plan_["in"] = "lines";
  const Finished finished = start("run", "--processes 1");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const Results results = read();
  for (const BenchmarkResult& each : results.benchmarks) {
    EXPECT_EQ(each.metrics.at("time").sessions.at(0).size(), 1U);
    EXPECT_NE(each.not_measured.at("source_lines").find("before its first benchmark"),
              std::string::npos);
  }
}

// The kernel's line is named on a GPU as it is on the emulator.
TEST_F(RunWithLines, NameTheCauseOfAVerdict) {
  const auto approve_and_gate = [&] {
    return start("gate", "--processes 1 --baselines baselines");
  };
  plan_["passes"] = {"counters", "lines"};
  ASSERT_EQ(start("run", "").status, 0);
  ASSERT_EQ(warpgauge("approve results.json --baselines baselines --reason first").status, 0);
  Json& one = plan_["benchmarks"]["a/one/1"];
  one["counters"]["shared_load_wavefronts"] = 256;
  one["lines"] = {to_json(source_line(3, results::Access::shared_load, 8, 256, "z = x;", "only"))};
  const Finished finished = approve_and_gate();
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_NE(finished.output.find("1 → 32 a request at kernels/transpose.cuh:3: z = x;"),
            std::string::npos)
      << finished.output;
}

TEST_F(Run, LastWordsOfACrashAreKept) {
  strike("a/two/1", "crash");
  EXPECT_NE(start("run", "--processes 1").output.find("its last words: about to crash"),
            std::string::npos);
}

TEST_F(Run, ASuiteThatDiesBeforeItsFirstBenchmarkIsAnError) {
  for (const char* fate : {"crash", "leave", "none"}) {
    plan_["fate"] = fate;
    const Finished finished = start("run", "--quiet");
    EXPECT_EQ(finished.status, 4);
    EXPECT_NE(finished.output.find("before its first benchmark; its last words: the plan said so"),
              std::string::npos)
        << finished.output;
    EXPECT_FALSE(fs::exists(folder_ / "results.json"));
  }
}

TEST_F(Run, ASuiteThatListsNoPassIsAnError) {
  plan_["passes"] = Json::array();
  const Finished finished = start("run", "--quiet");
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_NE(finished.output.find("lists no pass"), std::string::npos) << finished.output;
  EXPECT_FALSE(fs::exists(folder_ / "results.json"));
}

TEST_F(Run, WithoutADeviceTheReasonIsGiven) {
  plan_["device"] = nullptr;
  const Finished finished = start("run", "--quiet");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("no GPU was found; is the driver loaded?"), std::string::npos)
      << finished.output;
}

TEST_F(Run, FilterSelects) {
  ASSERT_EQ(start("run", "--filter '^a/' --processes 1").status, 0);
  EXPECT_EQ(processes().front(), "time a/one/1 a/two/1");
  EXPECT_EQ(start("run", "--filter nothing").status, 64);
}

TEST_F(Run, WhatTheFilterLeftOutStaysInTheBaselineAndIsNotMissed) {
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  EXPECT_EQ(read().session->filter, "");
  ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  ASSERT_EQ(start("run", "--filter '^a/' --processes 2").status, 0);
  EXPECT_EQ(read().session->filter, "^a/");
  const Finished compared = warpgauge("compare baselines results.json");
  EXPECT_EQ(compared.status, 0) << compared.output;
  EXPECT_EQ(compared.output.find("missing"), std::string::npos) << compared.output;
  EXPECT_EQ(compared.output.find("--remove"), std::string::npos) << compared.output;
  EXPECT_NE(compared.output.find("results.json was measured with --filter '^a/': 1 benchmark of "
                                 "baselines/"),
            std::string::npos)
      << compared.output;
  ASSERT_EQ(warpgauge("approve results.json --reason 'a part'").status, 0);
  EXPECT_EQ(warpgauge("baseline show b/three/1").status, 0);
  for (const auto& [path, content] : all_files()) {
    if (path.find("/baselines/") == path.npos) continue;
    EXPECT_EQ(content.find("\"filter\""), content.npos) << path << ": it is of the run alone";
  }
}

TEST_F(Run, ASuiteThatIsNotThereOrIsNone) {
  EXPECT_EQ(warpgauge("run --suite none").status, 4);
  EXPECT_EQ(warpgauge("run --suite /etc/passwd").status, 4);
  EXPECT_EQ(warpgauge("run --suite /bin/true").status, 4);
}

TEST_F(Run, NeedsNoLocaleAndNoHome) {
  write("plan.json", plan_.dump());
  const Finished finished =
      shell("cd '" + folder_.string() + "' && env -u HOME LC_ALL=xx_YY.UTF-8 " +
            "FAKE_SUITE_PLAN=plan.json " + quoted(WARPGAUGE) + " run --quiet --suite " +
            quoted(FAKE_SUITE));
  EXPECT_EQ(finished.status, 0) << finished.output;
}

TEST_F(Run, AnUnwritableOutIsSaid) {
  write("file", "");
  const Finished finished = start("run", "--quiet --processes 1 --out file/results.json");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("file"), std::string::npos) << finished.output;
}

TEST_F(Run, SourceTextIsReadBelowTheSourceRoot) {
  write("root/kernels/transpose.cuh", "first\n  out = tile[x];  \n");
  Json line = to_json(source_line(2, results::Access::shared_load, 8, 8, ""));
  plan_["benchmarks"]["a/one/1"]["lines"] = {line};
  ASSERT_EQ(start("run", "--processes 1 --source-root root").status, 0);
  EXPECT_EQ(find(read(), "a/one/1").lines.at(0).text, "out = tile[x];");
}

TEST_F(Run, RevisionIsThatOfTheSuiteAndAnotherOneHereIsSaid) {
  constexpr const char* kOther =
      "the suite was built of aaaaaaaaaaaa with changes, and the checkout";
  plan_["source"] = {{"revision", std::string(40, 'a')}, {"modified", true}};
  const Finished elsewhere = start("run", "--processes 1");
  EXPECT_EQ(elsewhere.output.find(kOther), std::string::npos) << elsewhere.output;
  EXPECT_EQ(read().session->source, (results::Source{std::string(40, 'a'), true}));

  shell("cd '" + folder_.string() +
        "' && git init -q && git add log && git -c user.name=n -c user.email=e commit -qm m && "
        "git rev-parse HEAD | tr -d '\n' > revision");
  const Finished stale = start("run", "--processes 1");
  EXPECT_NE(stale.output.find(kOther), std::string::npos) << stale.output;
  EXPECT_EQ(read().session->source.revision, std::string(40, 'a'));
  EXPECT_NE(start("gate", "--processes 2 --quiet").output.find(kOther), std::string::npos);
  EXPECT_NE(results::read_file(folder_ / "results" / "summary.md").find(kOther), std::string::npos);

  plan_["source"]["revision"] = results::read_file(folder_ / "revision");
  const Finished fresh = start("run", "--processes 1");
  EXPECT_EQ(fresh.output.find("the suite was built of"), std::string::npos) << fresh.output;
}

TEST_F(Run, RevisionIsGitsOrEmpty) {
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_EQ(read().session->source.revision, "");
  shell("cd '" + folder_.string() +
        "' && git init -q && git add log && git -c user.name=n -c user.email=e commit -qm m && "
        "git rev-parse HEAD > revision");
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  results::Source source = read().session->source;
  EXPECT_EQ(source.revision + "\n", results::read_file(folder_ / "revision"));
  EXPECT_FALSE(source.modified);
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_TRUE(read().session->source.modified) << "the first run has written to the log";
}

class RunInterrupted : public Run, public testing::WithParamInterface<int> {};

TEST_P(RunInterrupted, LeavesNoChildAndNoHalfFile) {
  strike("a/two/1", "hang");
  write("plan.json", plan_.dump());
  write("results.json", "what was there before");
  const int signal = GetParam();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    fs::current_path(folder_);
    ::setenv("FAKE_SUITE_PLAN", "plan.json", 1);
    ::signal(signal, SIG_DFL);  // a shell ignores it for what it runs in the background
    ::execl(WARPGAUGE, "warpgauge", "run", "--quiet", "--suite", FAKE_SUITE, nullptr);
    ::_exit(99);
  }
  // The suite in its pass, no longer the one that listed the benchmarks, and the child it made.
  for (int i = 0; i < 12'000 && (processes().empty() || survivors() < 2); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(survivors(), 2);
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
  EXPECT_EQ(survivors(), 0);
  EXPECT_EQ(results::read_file(folder_ / "results.json"), "what was there before");
}

INSTANTIATE_TEST_SUITE_P(, RunInterrupted, testing::Values(SIGINT, SIGTERM),
                         [](const auto& signal) {
                           return std::string(signal.param == SIGINT ? "SIGINT" : "SIGTERM");
                         });

TEST_F(Run, TwoRunsDoNotShareADevice) {
  const std::string uuid = plan_["device"]["uuid"];
  const int held = ::open(lock_file().c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(held, 0);
  ASSERT_EQ(::flock(held, LOCK_SH), 0);  // which only an exclusive lock has to wait for
  const Finished finished = start("run", "--lock-wait 0.2");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("waiting for another run on " + uuid), std::string::npos);
  EXPECT_NE(finished.output.find("another run holds the device"), std::string::npos)
      << finished.output;
  EXPECT_TRUE(processes().empty());
  ::close(held);
  EXPECT_EQ(start("run", "--processes 1").status, 0);
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
    EXPECT_NE(refused.output.find("--out x.json: is to be a folder, for "), std::string::npos)
        << refused.output;
    EXPECT_FALSE(fs::exists(folder_ / "x.json"));
  }
  EXPECT_EQ(start("gate", "--out plan.json --quiet").status, 64) << "it is a file";
  EXPECT_EQ(start("gate", "--out plan --processes 2 --quiet").status, 3);
  fs::rename(folder_ / "plan", folder_ / "plan.d.json");
  EXPECT_EQ(start("gate", "--out plan.d.json --processes 2 --quiet").status, 3)
      << "whoever has such a folder may keep it";
}

TEST_F(Run, AGateThatEndsEarlyLeavesNoEarlierVerdict) {
  ASSERT_EQ(start("gate", "--processes 2 --quiet").status, 3);
  ASSERT_TRUE(fs::exists(folder_ / "results" / "summary.md"));
  ASSERT_TRUE(fs::exists(folder_ / "results" / "verdict.json"));
  plan_["device"] = nullptr;
  EXPECT_EQ(start("gate", "--processes 2 --quiet").status, 4);
  EXPECT_FALSE(fs::exists(folder_ / "results" / "summary.md"));
  EXPECT_FALSE(fs::exists(folder_ / "results" / "results.json"));
  EXPECT_FALSE(fs::exists(folder_ / "results" / "verdict.json"));
}

class GateAgain : public Run {
 protected:
  // Figures of 100 µs, which processes scatter by 0.1 %.
  static std::vector<double> steady(double factor, int count = 5) {
    std::vector<double> figures;
    for (int i = 0; i < count; ++i) figures.push_back(100'000 * factor + 100 * (i % 3 - 1));
    return figures;
  }

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
  EXPECT_NE(finished.output.find("5 fresh processes do not confirm it (+0.00 %)"),
            std::string::npos)
      << finished.output;
  EXPECT_EQ(finished.output.find("regressed"), std::string::npos) << finished.output;
}

TEST_F(GateAgain, WhatIsUnclearIsMeasuredMoreOften) {
  const std::vector<double> wild{98'300,  101'700, 99'150,  100'850, 98'810,
                                 101'190, 99'660,  100'680, 99'320,  100'340};
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

TEST_F(Run, GateNamesItsPolicyInTheCommandThatApproves) {
  write("own policy.toml", "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n");
  EXPECT_NE(start("gate", "--quiet --processes 1 --policy 'own policy.toml'")
                .output.find("--baselines baselines --policy 'own policy.toml'"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgauge
