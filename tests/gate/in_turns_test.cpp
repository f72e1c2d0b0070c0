// SPDX-License-Identifier: Apache-2.0
// What a stored baseline leaves open is measured in turns with a build of what was approved.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/gate.hpp"
#include "ci/support/errors.hpp"
#include "tests/measure/fake_run.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using namespace ci;

results::Results side(const std::vector<double>& times, char code, unsigned blocks = 32) {
  return results_of(h200(), {{.id = "a/b/1",
                              .times_ns = times,
                              .counters = {{"shared_load_requests", 8}},
                              .machine_code = {kernel_code("kernel", code)},
                              .launches = {{.kernel = "kernel", .grid = {blocks, 1, 1}}}}});
}

// A gate against sessions that differ by 2 %, of code 'a', by code 'b'.
class Laboratory {
 public:
  double change = 1;       // what the new code makes of the time
  char built = 'a';        // code of the build that stands for what was approved
  unsigned blocks = 32;    // which it launches
  std::string fails;       // to begin: why
  int fails_after = 1000;  // so many pairs
  bool has_build = true;
  std::chrono::seconds budget{120};
  double scatter = 1;              // of processes in turns
  double built_takes = 1;          // the build of what was approved, on this machine
  double approved_differ = 0.01;   // sessions
  std::set<std::string> in_turns;  // which benchmarks were
  int pairs = 0;

  GateVerdict gate() {
    results::Results baseline = side(steady(1 - approved_differ), 'a');
    baseline.is_baseline = true;
    auto& time = baseline.benchmarks.front().metrics.at("time");
    for (const double session : {1.0, 1 + approved_differ})
      time.sessions.push_back(steady(session));
    time.labels = {"monday", "tuesday", "wednesday"};

    Measuring measuring;
    measuring.has_clock = true;
    measuring.observe_all = [] {};
    measuring.time_again = [](const auto&, int) {};
    measuring.measured = [&] { return Sides{std::nullopt, side(steady(change), 'b')}; };
    measuring.keep = [] {};
    measuring.now = [] { return std::chrono::steady_clock::time_point(); };
    if (has_build) measuring.take_turns = [&] { return turns(); };
    const Policy policy = built_in_policy();
    return measure_and_judge(
        measuring, {.processes = 5, .most_processes = 10, .budget = budget},
        [&](const MeasuredSides& measured) { return judge(measured, &baseline, policy, {}); });
  }

 private:
  TurnTaking turns() {
    if (!fails.empty()) throw Error(kExitNotMeasured, fails);
    TurnTaking taking;
    taking.with = "1b2c3d4e5f60";
    taking.time_again = [&](const std::set<std::string>& ids, int processes) {
      if (pairs >= fails_after) throw Error(kExitNotMeasured, "the device fell off the bus");
      in_turns = ids;
      pairs += processes;
    };
    taking.measured = [&] {
      return Sides{side(steady(built_takes, pairs, scatter), built, blocks),
                   side(steady(change, pairs, scatter), 'b')};
    };
    return taking;
  }
};

const MetricVerdict& time_of(const GateVerdict& verdict) {
  for (const MetricVerdict& each : verdict.benchmarks.at(0).metrics) {
    if (each.metric == "time") return each;
  }
  throw std::logic_error("no time");
}

TEST(InTurns, WithoutABuildItStaysOpen) {
  Laboratory laboratory;
  laboratory.has_build = false;
  const MetricVerdict time = time_of(laboratory.gate());
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
  EXPECT_NE(time.reason.find("--against-prebuilt"), std::string::npos) << time.reason;
}

TEST(InTurns, WhatABaselineLeavesOpenIsDecidedByThem) {
  Laboratory laboratory;
  const MetricVerdict same = time_of(laboratory.gate());
  EXPECT_EQ(same.verdict, Verdict::same) << same.reason;
  EXPECT_EQ(laboratory.in_turns, std::set<std::string>{"a/b/1"});
  EXPECT_EQ(laboratory.pairs, 10);
  EXPECT_TRUE(same.reason.starts_with("in turns with 1b2c3d4e5f60: -0.")) << same.reason;
  EXPECT_NE(same.reason.find("; against the baseline -"), std::string::npos) << same.reason;
  // The figures are those that decided, by the floor of such sides.
  EXPECT_EQ(same.before_sessions.size(), 1U);
  EXPECT_LT(*same.high, 1.005);
  EXPECT_NEAR(same.floor.value_or(0), 0.0022, 0.0001) << "by what their processes differ by";

  laboratory.change = 1.012;
  const MetricVerdict slower = time_of(laboratory.gate());
  EXPECT_EQ(slower.verdict, Verdict::regressed) << slower.reason;
  EXPECT_GT(*slower.low, 1.01);

  laboratory.change = 0.988;
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::improved);
}

TEST(InTurns, AsManyPairsAreTakenAsTheirSpreadAsksFor) {
  Laboratory laboratory;
  laboratory.scatter = 4;  // so that ten pairs leave it open
  const MetricVerdict same = time_of(laboratory.gate());
  EXPECT_EQ(same.verdict, Verdict::same) << same.reason;
  EXPECT_GT(laboratory.pairs, 20);
  EXPECT_LT(laboratory.pairs, 40);
  const int pairs = laboratory.pairs;

  // Whatever the means say: it is one look.
  laboratory.pairs = 0;
  laboratory.change = 1.012;
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::regressed);
  EXPECT_NEAR(laboratory.pairs, pairs, 5);

  laboratory.pairs = 0;
  laboratory.scatter = 40;
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::inconclusive);
  EXPECT_EQ(laboratory.pairs, 40) << "four times as many as most_processes, at most";
}

// Slower than all approved sessions, as is the build of what was approved.
TEST(InTurns, WhatIsSlowerByNoMoreThanMachinesDifferIsDecidedByThemToo) {
  Laboratory laboratory;
  laboratory.approved_differ = 0.0002;
  laboratory.change = 1.06;
  laboratory.built_takes = 1.06;
  laboratory.has_build = false;
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::regressed);
  laboratory.has_build = true;
  const MetricVerdict time = time_of(laboratory.gate());
  EXPECT_EQ(time.verdict, Verdict::same) << time.reason;
  EXPECT_EQ(laboratory.pairs, 10);

  // Turns that say little take nothing back.
  laboratory.scatter = 100;
  const MetricVerdict unclear = time_of(laboratory.gate());
  EXPECT_EQ(unclear.verdict, Verdict::regressed) << unclear.reason;
  EXPECT_NE(unclear.reason.find("; turns with 1b2c3d4e5f60 leave that open"), std::string::npos)
      << unclear.reason;
  laboratory.scatter = 1;

  // A build of something else excuses nothing, and neither does one that fails.
  laboratory.built = 'c';
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::regressed);
  laboratory.fails = "cannot open libcupti.so";
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::regressed);
}

TEST(InTurns, ThoseThatWereTakenCountWhereFurtherOnesFail) {
  Laboratory laboratory;
  laboratory.scatter = 4;
  laboratory.change = 1.03;
  laboratory.fails_after = 10;
  const GateVerdict verdict = laboratory.gate();
  EXPECT_EQ(time_of(verdict).verdict, Verdict::regressed) << time_of(verdict).reason;
  ASSERT_FALSE(verdict.notes.empty());
  EXPECT_EQ(verdict.notes.back(),
            "fewer turns were taken than their spread asks for: the device fell off the bus");
}

TEST(InTurns, WhatIsSlowerByMoreIsSlowerWithoutThem) {
  Laboratory laboratory;
  laboratory.change = 1.3;
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::regressed);
  EXPECT_EQ(laboratory.pairs, 0);
}

TEST(InTurns, NothingIsMeasuredSoThatTheBaselineDecides) {
  Laboratory laboratory;
  laboratory.change = 0.8;
  EXPECT_EQ(time_of(laboratory.gate()).verdict, Verdict::improved);
  EXPECT_EQ(laboratory.pairs, 0);
}

TEST(InTurns, ABuildOfOtherCodeIsRefused) {
  Laboratory laboratory;
  laboratory.built = 'c';
  const MetricVerdict time = time_of(laboratory.gate());
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
  EXPECT_NE(time.reason.find("; 1b2c3d4e5f60 is no build of what was approved: other machine code "
                             "of kernel"),
            std::string::npos)
      << time.reason;
  EXPECT_EQ(time.before_sessions.size(), 3U) << "the baseline's figures are what there is";
  EXPECT_EQ(laboratory.pairs, 10) << "more of it would say as little";

  laboratory.built = 'a';
  laboratory.blocks = 64;
  const MetricVerdict launched = time_of(laboratory.gate());
  EXPECT_EQ(launched.verdict, Verdict::inconclusive);
  EXPECT_NE(launched.reason.find("launched differently: kernel: grid 32 → 64"), std::string::npos)
      << launched.reason;
}

TEST(InTurns, WhatGoesWrongThereLeavesTheRestAsItIs) {
  Laboratory laboratory;
  laboratory.fails = "cannot open libcupti.so";
  const MetricVerdict time = time_of(laboratory.gate());
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
  EXPECT_NE(time.reason.find("could not be measured in turns: cannot open libcupti.so"),
            std::string::npos)
      << time.reason;
}

TEST(InTurns, TheBudgetLimitsThemToo) {
  Laboratory laboratory;
  laboratory.budget = std::chrono::seconds(0);
  const MetricVerdict time = time_of(laboratory.gate());
  EXPECT_EQ(time.verdict, Verdict::inconclusive);
  EXPECT_EQ(laboratory.pairs, 0);
  EXPECT_NE(time.reason.find("the budget of 0 s ended"), std::string::npos) << time.reason;
}

// By the command line, with suites of which one is in a folder of its own.
class AgainstPrebuilt : public Run {
 protected:
  void SetUp() override {
    Run::SetUp();
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
      plan_["benchmarks"][id]["time_ns"] = steady(1);
      plan_["benchmarks"][id]["machine_code"] = {to_json(kernel_code("kernel", 'a'))};
    }
    ASSERT_EQ(start("gate", "--quiet").status, 3);
    ASSERT_EQ(warpgauge("approve results/results.json --baselines baselines --reason test").status,
              0);
    build("old");
    plan_["benchmarks"]["a/two/1"]["machine_code"] = {to_json(kernel_code("kernel", 'b'))};
    // Near the floor while it is held against the baseline, and as fast in turns.
    std::vector<double> times = steady(1.0055, 10);
    const std::vector<double> in_turns = steady(1, 10);
    times.insert(times.end(), in_turns.begin(), in_turns.end());
    plan_["benchmarks"]["a/two/1"]["time_ns"] = times;
    fs::remove(folder_ / "log");
  }
};

TEST_F(AgainstPrebuilt, WhatIsOpenIsMeasuredInTurnsWithIt) {
  const Finished open = start("gate", "--quiet");
  ASSERT_EQ(open.status, 3) << open.output;
  fs::remove(folder_ / "log");
  const Finished finished = start("gate", "--quiet --against-prebuilt old --seed 3");
  EXPECT_EQ(finished.status, 0) << finished.output;
  const auto verdict =
      results::Json::parse(results::read_file(folder_ / "results" / "verdict.json")).dump();
  EXPECT_NE(verdict.find("in turns with 777777777777: "), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("(A: 777777777777, B: this; seed 3)"), std::string::npos) << verdict;
  for (const char* name : {"results/against.json", "results/in_turns.json"}) {
    const results::Results in_turns = read(name);
    ASSERT_EQ(in_turns.benchmarks.size(), 1U) << name;
    EXPECT_EQ(find(in_turns, "a/two/1").metrics.at("time").sessions.at(0).size(), 10U);
  }
  EXPECT_EQ(read("results/against.json").session->source.revision, std::string(40, '7'));

  fs::remove(folder_ / "log");
  EXPECT_EQ(start("gate", "--quiet").status, 3);
  EXPECT_FALSE(fs::exists(folder_ / "results" / "in_turns.json")) << "of an earlier gate";
}

TEST_F(AgainstPrebuilt, OneOfOtherCodeIsRefusedInPlainWords) {
  plan_["benchmarks"]["a/two/1"]["machine_code"] = {to_json(kernel_code("kernel", 'c'))};
  build("other");
  const Finished finished = start("gate", "--quiet --against-prebuilt other");
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("777777777777 is no build of what was approved: other machine "
                                 "code of kernel"),
            std::string::npos)
      << finished.output;
}

TEST_F(AgainstPrebuilt, WrongUsageIsSaidBeforeAnythingIsMeasured) {
  const auto says = [&](const std::string& arguments, const std::string& text) {
    const Finished finished = start("gate", "--quiet " + arguments);
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_NE(finished.output.find(text), std::string::npos) << finished.output;
  };
  says("--against-prebuilt nowhere", "name the folder of a build, an unpacked bundle or a suite");
  says("--against-prebuilt old --against HEAD", "--against");
  says("--seed 3", "give --against, --against-build, --since-anchor or --against-prebuilt");
  EXPECT_TRUE(processes().empty());
}

}  // namespace
}  // namespace warpgauge
