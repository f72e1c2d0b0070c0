// SPDX-License-Identifier: Apache-2.0
// `warpgauge run` with benchmarks that fail, and a suite or a run that ends early.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/measure/fake_run.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Json;
using results::Results;
using results::Status;

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

// It makes no progress by writing: a hang is one, however busy.
TEST_F(Run, ASuiteThatGoesOnWritingIsEnded) {
  strike("a/two/1", "babble");
  const Finished babbling = start("run", "--quiet --timeout 600");
  EXPECT_EQ(babbling.status, 4);
  EXPECT_NE(babbling.output.find("has more than two lines for each of 3 benchmarks"),
            std::string::npos)
      << babbling.output;
  strike("a/two/1", "dribble");
  EXPECT_EQ(start("run", "--processes 1 --timeout 1").status, 4);
  EXPECT_EQ(find(read(), "a/two/1").outcome.status, Status::hung);
}

TEST_F(Run, ASuiteWhoseRecordIsNoFileIsEndedAtOnce) {
  for (const char* fate : {"pipe", "link"}) {
    strike("a/two/1", fate);
    const Finished finished = start("run", "--quiet --timeout 600");
    EXPECT_EQ(finished.status, 4);
    EXPECT_NE(finished.output.find("the suite's record is no regular file"), std::string::npos)
        << finished.output;
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

}  // namespace
}  // namespace warpgauge
