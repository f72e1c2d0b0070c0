// SPDX-License-Identifier: Apache-2.0
// A baseline is carried over to another toolkit by what both builds take in turns.
#include "ci/baselines/approve/carry_over.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ci/baselines/baseline_check.hpp"
#include "ci/baselines/baseline_diff.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/policy/approved_changes.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/baselines/baseline_folder.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr const char* kPadded = "transpose/padded/8x8";
constexpr const char* kScan = "scan/x/1";

// Both benchmarks, of this toolkit and code, at these multiples of what they took at first.
struct Suite {
  std::string cuda = "12.8";
  char code = 'a';
  double padded = 1;
  double scan = 1;
  std::string driver = "580.1";
  double scatter = 0;  // of the first one's processes
};

Results measured(int number, const Suite& suite) {
  results::Device device = h200();
  device.uuid = "GPU-" + std::to_string(number % 4);
  device.driver = suite.driver;
  // Longer kernels: a step of the clock is no part of the ratio that matters.
  Measured transpose = padded(steady(10 * suite.padded, number));
  for (std::size_t i = 0; i < transpose.times_ns.size(); ++i) {
    transpose.times_ns[i] *= 1 + suite.scatter * (static_cast<double>(i % 3) - 1);
  }
  transpose.machine_code = {kernel_code("transpose", suite.code)};
  Measured scan{.id = kScan, .times_ns = steady(10 * suite.scan, number + 1)};
  scan.machine_code = {kernel_code("scan", suite.code)};
  Results results = results_of(device, {transpose, scan}, hour(number));
  results.session->toolchain.cuda = suite.cuda;
  return results;
}

struct Pair {
  Results before;
  Results after;
};

// As gate --against-build leaves them.
Pair in_turns(int number, const Suite& before, const Suite& after) {
  Pair pair{measured(number, before), measured(number, after)};
  pair.before.name = "against.json";
  pair.before.session->turns = "A of ABBAABBABA by seed 3, begun " + hour(number);
  pair.after.session->turns = "B of ABBAABBABA by seed 3, begun " + hour(number);
  return pair;
}

ApprovalRequest carrying(const Pair& pair) {
  ApprovalRequest carrying = request({pair.after});
  carrying.new_environment = true;
  carrying.beside = pair.before;
  carrying.reason = "CUDA 13.0";
  return carrying;
}

const Suite kNew{.cuda = "13.0", .code = 'b', .padded = 1.02, .scan = 0.99};

class CarryOver : public BaselineFolder {
 protected:
  void SetUp() override {
    BaselineFolder::SetUp();
    (void)approve(some(Suite(), 0, 5));
  }

  static std::vector<Results> some(const Suite& suite, int from, int to) {
    std::vector<Results> all;
    for (int i = from; i < to; ++i) all.push_back(measured(i, suite));
    return all;
  }

  [[nodiscard]] Baseline load() const { return *load_baseline(folder_, "nvidia-h200"); }

  [[nodiscard]] std::vector<SessionFigures> times_of(const std::string& id) const {
    return find_approved(load(), id)->statistical.at("time");
  }

  // Of the carried sessions.
  [[nodiscard]] std::vector<SessionFigures> carried(const std::string& id) const {
    std::vector<SessionFigures> sessions = times_of(id);
    std::erase_if(sessions, [](const SessionFigures& each) { return !each.carried; });
    return sessions;
  }

  [[nodiscard]] Verdict gate(const Results& results, const std::string& id) const {
    const auto baseline = read_baseline(folder_, "nvidia-h200");
    const GateVerdict verdict =
        compare(*baseline, results, built_in_policy(), {.treat_as_changed = true});
    for (const BenchmarkVerdict& each : verdict.benchmarks) {
      if (each.id == id) return each.verdict;
    }
    return Verdict::not_measured;
  }

  void expect_whole() const {
    const BaselineCheck check = check_baselines(
        folder_, [] { return std::vector<std::string>{"nvidia-h200"}; }, kNow);
    EXPECT_EQ(check.faults, std::vector<std::string>());
  }
};

TEST_F(CarryOver, SessionsAreKeptAndMultipliedByTheRatioOfTheTurns) {
  const std::vector<SessionFigures> before = times_of(kPadded);
  const Approval approval = approve(carrying(in_turns(7, Suite(), kNew)));
  ASSERT_EQ(approval.carried.size(), 2U);
  EXPECT_EQ(approval.carried_sessions, 5U);
  EXPECT_TRUE(approval.begun_anew.empty());

  const std::vector<SessionFigures> after = times_of(kPadded);
  ASSERT_EQ(after.size(), 6U) << "the new one beside them";
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(after[i].session, before[i].session + " (carried 2026-11-22)");
    ASSERT_TRUE(after[i].carried);
    EXPECT_NEAR(after[i].carried->ratio, 1.02, 1e-4);
    EXPECT_GT(after[i].carried->standard_error, 0);
    EXPECT_LT(after[i].carried->standard_error, 0.001);
    for (std::size_t process = 0; process < 5; ++process) {
      EXPECT_NEAR(after[i].figures[process], before[i].figures[process] * after[i].carried->ratio,
                  0.001);
    }
  }
  EXPECT_FALSE(after[5].carried);
  EXPECT_NEAR(carried(kScan)[0].carried->ratio, 0.99, 1e-4);

  const Baseline baseline = load();
  const ApprovedSession& first = baseline.sessions.at(after[0].session);
  EXPECT_EQ(first.session.toolchain.cuda, "13.0");
  EXPECT_EQ(first.carried, "CUDA '12.8' → '13.0'");
  EXPECT_EQ(first.session.created, hour(0));
  EXPECT_EQ(first.session.device.uuid, "GPU-0");
  EXPECT_EQ(first.approved, kNow);
  EXPECT_EQ(first.reason, "CUDA 13.0");
  EXPECT_TRUE(baseline.sessions.at(after[5].session).session.turns.empty());
  EXPECT_EQ(find_approved(baseline, kPadded)->machine_code.at(0).sass_hash, std::string(32, 'b'));
  expect_whole();
}

TEST_F(CarryOver, TheNextGateJudgesByThem) {
  (void)approve(carrying(in_turns(7, Suite(), kNew)));
  const Suite later{.cuda = "13.0", .code = 'c', .padded = 1.02, .scan = 0.99};
  EXPECT_NE(gate(measured(9, later), kPadded), Verdict::regressed);
  EXPECT_NE(gate(measured(9, later), kPadded), Verdict::inconclusive);
  Suite slower = later;
  slower.padded *= 1.03;
  EXPECT_EQ(gate(measured(9, slower), kPadded), Verdict::regressed);
  EXPECT_NE(gate(measured(9, slower), kScan), Verdict::regressed);
}

TEST_F(CarryOver, WhatIsSaidOfIt) {
  const Baseline before = load();
  const Approval approval = approve(carrying(in_turns(7, Suite(), kNew)));
  EXPECT_NE(approval_text(approval).find(
                "carried over: 2 metrics of 5 sessions, by -1.00 % to +2.00 %\n"),
            std::string::npos)
      << approval_text(approval);
  EXPECT_EQ(approval_json(approval).at("carried").size(), 2U);
  const auto edits = baseline_edits("nvidia-h200", before, load());
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_NE(describe(edits[1]).find("time carried over by +2."), std::string::npos)
      << describe(edits[1]);
  EXPECT_NE(describe(edits[1]).find("reason: CUDA 13.0"), std::string::npos) << describe(edits[1]);
  const Baseline after = load();
  const std::string shown = benchmark_text(after, kPadded, *find_approved(after, kPadded));
  EXPECT_NE(shown.find(", carried over by +2.00 %, known to 0.0"), std::string::npos) << shown;
  EXPECT_NE(shown.find("carried over: CUDA '12.8' → '13.0'"), std::string::npos) << shown;
}

// The old side is on another machine than most sessions: it is not the ratio that this moves.
TEST_F(CarryOver, ASlowerMachineLeavesCarriedSessionsThere) {
  Suite old;
  Suite fresh = kNew;
  for (Suite* suite : {&old, &fresh}) {
    suite->padded *= 1.012;
    suite->scan *= 1.012;
  }
  (void)approve(carrying(in_turns(7, old, fresh)));
  EXPECT_EQ(carried(kPadded).size(), 5U);
  EXPECT_NEAR(carried(kPadded)[0].carried->ratio, 1.02, 1e-4);
}

TEST_F(CarryOver, OtherCountsOfTheNewBuildAreTakenAsTheyAre) {
  Pair pair = in_turns(7, Suite(), kNew);
  for (auto& benchmark : pair.after.benchmarks) {
    if (benchmark.id == kPadded) benchmark.metrics["shared_load_wavefronts"].sessions = {{16}};
  }
  const Approval approval = approve(carrying(pair));
  EXPECT_EQ(carried(kPadded).size(), 5U);
  EXPECT_EQ(find_approved(load(), kPadded)->exact.at("shared_load_wavefronts"), 16);
  ASSERT_EQ(approval.moved.size(), 1U);
  EXPECT_EQ(approval.moved[0].metric, "shared_load_wavefronts");
}

TEST_F(CarryOver, AnOldSideOfOtherCodeBeginsThatBenchmarkAnew) {
  Pair pair = in_turns(7, Suite(), kNew);
  for (auto& benchmark : pair.before.benchmarks) {
    if (benchmark.id == kPadded) benchmark.machine_code = {kernel_code("transpose", 'c')};
  }
  const Approval approval = approve(carrying(pair));
  ASSERT_EQ(approval.begun_anew.size(), 1U);
  EXPECT_EQ(approval.begun_anew[0],
            std::string(kPadded) +
                ": time: against.json is no build of what was approved: other machine code of "
                "transpose");
  EXPECT_EQ(times_of(kPadded).size(), 1U);
  EXPECT_EQ(carried(kScan).size(), 5U);
  EXPECT_NE(approval_text(approval).find("started over: transpose/padded/8x8: time: against.json"),
            std::string::npos)
      << approval_text(approval);
  expect_whole();
}

TEST_F(CarryOver, AnOldSideOfUnknownCodeBeginsThatBenchmarkAnew) {
  Pair pair = in_turns(7, Suite(), kNew);
  for (auto& benchmark : pair.before.benchmarks) {
    if (benchmark.id == kScan) benchmark.machine_code.clear();
  }
  const Approval approval = approve(carrying(pair));
  ASSERT_EQ(approval.begun_anew.size(), 1U);
  EXPECT_NE(approval.begun_anew[0].find("scan/x/1: time: whether against.json is a build of what"),
            std::string::npos)
      << approval.begun_anew[0];
  EXPECT_EQ(times_of(kScan).size(), 1U);
  EXPECT_EQ(carried(kPadded).size(), 5U);
}

TEST_F(CarryOver, ARatioThatIsNotKnownWellBeginsAnew) {
  Suite wide;
  wide.scatter = 0.01;
  const Approval approval = approve(carrying(in_turns(7, wide, kNew)));
  ASSERT_EQ(approval.begun_anew.size(), 1U);
  EXPECT_NE(approval.begun_anew[0].find("transpose/padded/8x8: time: its ratio is known to 0."),
            std::string::npos)
      << approval.begun_anew[0];
  EXPECT_NE(approval.begun_anew[0].find("more --processes"), std::string::npos);
  EXPECT_EQ(times_of(kPadded).size(), 1U);
  EXPECT_EQ(carried(kScan).size(), 5U);
}

// By their standard error alone these are within the quarter of the floor, and as Student's t has
// it they are not.
TEST_F(CarryOver, HowWellARatioIsKnownIsThatOfItsInterval) {
  Suite wide;
  wide.scatter = 0.004;
  const Approval approval = approve(carrying(in_turns(7, wide, kNew)));
  ASSERT_EQ(approval.begun_anew.size(), 1U);
  EXPECT_NE(approval.begun_anew[0].find("transpose/padded/8x8: time: its ratio is known to 0.3"),
            std::string::npos)
      << approval.begun_anew[0];
  EXPECT_NE(approval.begun_anew[0].find("and a quarter of the floor is 0.18 %"), std::string::npos)
      << approval.begun_anew[0];
}

TEST_F(CarryOver, AFewProcessesThatAgreeByChanceKnowNoRatio) {
  Pair pair = in_turns(7, Suite(), kNew);
  for (Results* results : {&pair.before, &pair.after}) {
    for (auto& benchmark : results->benchmarks) {
      if (benchmark.id == kPadded) benchmark.metrics["time"].sessions.at(0) = {100'000, 100'001};
    }
  }
  const Approval approval = approve(carrying(pair));
  EXPECT_EQ(approval.begun_anew,
            (std::vector<std::string>{std::string(kPadded) +
                                      ": time: its ratio is of too few processes: measure both "
                                      "with five or more --processes"}));
  EXPECT_TRUE(carried(kPadded).empty());
  EXPECT_EQ(carried(kScan).size(), 5U);
}

TEST_F(CarryOver, AProgramThatComputedMeanwhileBeginsAnew) {
  Pair pair = in_turns(7, Suite(), kNew);
  for (auto& benchmark : pair.after.benchmarks) {
    if (benchmark.id == kPadded) benchmark.other_processes = {"blender (4711)"};
  }
  const Approval approval = approve(carrying(pair));
  ASSERT_EQ(approval.begun_anew.size(), 1U);
  EXPECT_NE(approval.begun_anew[0].find("blender (4711) computed on the GPU"), std::string::npos)
      << approval.begun_anew[0];
}

// Of the same machine code, and yet not what was approved.
TEST_F(CarryOver, WhatIsShownToBeAnotherBeginsAnew) {
  Suite other;
  other.padded = 1.4;
  Suite fresh = kNew;
  fresh.padded *= 1.4;
  const Approval approval = approve(carrying(in_turns(7, other, fresh)));
  ASSERT_EQ(approval.begun_anew.size(), 1U);
  EXPECT_NE(approval.begun_anew[0].find("is shown to be another than what was carried over"),
            std::string::npos)
      << approval.begun_anew[0];
  ASSERT_EQ(approval.carried.size(), 1U);
  EXPECT_EQ(approval.carried[0].id, kScan);
  EXPECT_EQ(times_of(kPadded).size(), 1U);
}

TEST_F(CarryOver, SessionsOfWhichNothingIsLeftAreNotCounted) {
  ApprovalRequest one = request({measured(5, Suite())});
  one.filter = "^transpose";
  (void)approve(one);
  Suite other;
  other.padded = 1.4;
  Suite fresh = kNew;
  fresh.padded *= 1.4;
  const Approval approval = approve(carrying(in_turns(7, other, fresh)));
  ASSERT_EQ(approval.carried.size(), 1U);
  EXPECT_EQ(approval.carried_sessions, 5U) << "the sixth is of the one that begins anew";
  expect_whole();
}

TEST_F(CarryOver, OfTheMostSessionsThatAreKeptOneGivesWayAndIsNotCounted) {
  (void)approve(some(Suite(), 5, 12));
  const Approval approval = approve(carrying(in_turns(13, Suite(), kNew)));
  EXPECT_EQ(carried(kPadded).size(), kMostSessions - 1);
  EXPECT_EQ(approval.carried_sessions, kMostSessions - 1);
}

TEST_F(CarryOver, RefusalsLeaveTheFilesAlone) {
  const auto refused = [&](const ApprovalRequest& request, int status, const std::string& text) {
    const std::string message = error_of(request);
    EXPECT_NE(message.find(text), std::string::npos) << message;
    EXPECT_EQ(status_, status) << message;
  };
  const Pair pair = in_turns(7, Suite(), kNew);
  Pair other = pair;
  other.before.session->turns = "A of ABBAABBABA by seed 4, begun " + hour(7);
  const std::string not_in_turns =
      "--beside against.json: against.json and results.json were not measured in turns; measure "
      "both with gate --against-build";
  refused(carrying(other), kExitUsage, not_in_turns);
  other.before.session->turns.clear();
  refused(carrying(other), kExitUsage, not_in_turns);
  other.after.session->turns.clear();
  refused(carrying(other), kExitUsage, not_in_turns);
  refused(carrying({pair.after, pair.after}), kExitUsage, "were not measured in turns");

  Pair exchanged{pair.after, pair.before};
  refused(
      carrying(exchanged), kExitUsage,
      "--beside results.json: against.json is the build before, and results.json the one after; "
      "exchange them");

  Suite driver = kNew;
  driver.driver = "590.1";
  refused(
      carrying(in_turns(7, Suite(), driver)), kExitNoVerdict,
      "--beside against.json: measured with another driver '580.1' → '590.1'; only what a build "
      "was made with can be carried over");

  Suite alike = kNew;
  alike.cuda = "12.8";
  refused(carrying(in_turns(7, Suite(), alike)), kExitUsage,
          "against.json and results.json are of one environment");

  Suite unknown;
  unknown.code = 'd';
  refused(carrying(in_turns(7, unknown, kNew)), kExitNoVerdict,
          "--beside against.json: nothing can be carried over: scan/x/1: time: against.json is no "
          "build of what was approved");
  Suite older;
  older.cuda = "12.6";
  refused(carrying(in_turns(7, older, kNew)), kExitNoVerdict,
          "time: none of its sessions is of the environment of against.json");
  ApprovalRequest two = carrying(pair);
  two.sessions.push_back(measured(8, kNew));
  refused(two, kExitUsage, "it was measured in turns with one RESULTS, and 2 are given");
}

TEST_F(CarryOver, TwiceMultipliesRatiosAndAddsErrors) {
  (void)approve(carrying(in_turns(7, Suite(), kNew)));
  const Carried once = *carried(kPadded)[0].carried;
  Suite newest{.cuda = "13.1", .code = 'c', .padded = 1.02 * 0.97, .scan = 0.99};
  const Approval approval = approve(carrying(in_turns(8, kNew, newest)));
  const std::vector<SessionFigures> all = carried(kPadded);
  ASSERT_EQ(all.size(), 6U) << "the one that was new then is carried over, too";
  EXPECT_NEAR(all[0].carried->ratio, 1.02 * 0.97, 1e-4);
  const double error = approval.carried[1].by.standard_error;
  EXPECT_NEAR(all[0].carried->standard_error, std::hypot(once.standard_error, error), 1e-5);
  EXPECT_NEAR(all[5].carried->ratio, 0.97, 1e-4);
  const Baseline baseline = load();
  EXPECT_EQ(baseline.sessions.at(all[0].session).carried,
            "CUDA '12.8' → '13.0', CUDA '13.0' → '13.1'");
  EXPECT_EQ(baseline.sessions.at(all[5].session).carried, "CUDA '13.0' → '13.1'");
  expect_whole();
}

TEST_F(CarryOver, TheErrorOfManyIsTestedAsAWhole) {
  Suite wide;
  wide.scatter = 0.002;
  Suite next = kNew;
  next.scatter = 0.001;
  (void)approve(carrying(in_turns(7, wide, next)));
  ASSERT_EQ(carried(kPadded).size(), 5U);
  Suite newest{.cuda = "13.1", .code = 'c', .padded = 1.02, .scan = 0.99};
  newest.scatter = 0.002;
  (void)approve(carrying(in_turns(8, next, newest)));
  const std::vector<SessionFigures> all = carried(kPadded);
  ASSERT_EQ(all.size(), 1U) << "but for the one that was measured since";
  EXPECT_EQ(all[0].session.substr(0, 20), hour(7));
}

TEST_F(CarryOver, OfSeveralEnvironmentsOneIsCarriedOver) {
  // As a merge of two branches leaves it.
  Baseline mixed = load();
  const std::string label = "2026-11-21T06:00:00Z GPU-2";
  mixed.sessions[label] = mixed.sessions.begin()->second;
  mixed.sessions[label].session.created = hour(6);
  mixed.sessions[label].session.device.driver = "570.1";
  find_approved(mixed, kPadded)->statistical["time"].push_back({label, steady(10, 0)});
  (void)save_baseline(mixed);
  ASSERT_EQ(times_of(kPadded).size(), 6U);

  const Approval approval = approve(carrying(in_turns(7, Suite(), kNew)));
  EXPECT_EQ(approval.carried_sessions, 5U);
  EXPECT_EQ(carried(kPadded).size(), 5U);
  EXPECT_EQ(times_of(kPadded).size(), 6U);
  EXPECT_FALSE(load().sessions.contains(label));
  expect_whole();
}

TEST_F(CarryOver, OfAFilterTheOthersKeepTheirs) {
  ApprovalRequest some = carrying(in_turns(7, Suite(), kNew));
  some.filter = "^transpose";
  (void)approve(some);
  EXPECT_EQ(carried(kPadded).size(), 5U);
  EXPECT_EQ(times_of(kScan).size(), 5U);
  EXPECT_TRUE(carried(kScan).empty());
  expect_whole();
  some = carrying(in_turns(7, Suite(), kNew));
  some.filter = "^scan";
  (void)approve(some);
  EXPECT_EQ(carried(kScan).size(), 5U);
  expect_whole();
}

TEST_F(CarryOver, AnchorsKeepTheirRevisionAndAreMultiplied) {
  Results started = measured(5, Suite());
  started.session->source.revision = std::string(40, '1');
  ApprovalRequest anchoring = request({started});
  anchoring.anchor = true;
  (void)approve(anchoring);
  const Baseline started_at = load();
  const Anchored before = *find_approved(started_at, kPadded)->anchored;
  (void)approve(carrying(in_turns(7, Suite(), kNew)));
  const Anchored after = *find_approved(load(), kPadded)->anchored;
  EXPECT_EQ(after.anchor, before.anchor);
  EXPECT_EQ(load().anchors.at(after.anchor).revision, std::string(40, '1'));
  ASSERT_TRUE(after.carried);
  EXPECT_NEAR(*after.carried, 1.02, 1e-4);
  EXPECT_NEAR(after.times.at(0), before.times.at(0) * *after.carried, 0.01);
  const auto edits = baseline_edits("nvidia-h200", started_at, load());
  ASSERT_EQ(edits.size(), 4U);
  EXPECT_NE(describe(edits[2]).find("times carried over by +2.00 %, reason: CUDA 13.0"),
            std::string::npos)
      << describe(edits[2]);
  expect_whole();
}

TEST_F(CarryOver, TheFileSaysTheSameAgain) {
  (void)approve(carrying(in_turns(7, Suite(), kNew)));
  const auto path = folder_ / "nvidia-h200" / "transpose.json";
  const std::string text = results::read_file(path);
  EXPECT_NE(text.find("], \"carried\": {\"ratio\": 1.019999, \"standard_error\": 3.23e-05}}"),
            std::string::npos)
      << text;
  const auto files = all_files();
  (void)save_baseline(load());
  EXPECT_EQ(all_files(), files);

  // Figures that say so of a session that does not, or the reverse, are no approval's.
  std::string damaged = text;
  const std::size_t begin = damaged.find(", \"carried\": {");
  damaged.erase(begin, damaged.find('}', begin) + 1 - begin);
  results::write_file_atomically(path, damaged);
  const BaselineCheck check = check_baselines(
      folder_, [] { return std::vector<std::string>{"nvidia-h200"}; }, kNow);
  ASSERT_EQ(check.faults.size(), 1U);
  EXPECT_NE(check.faults[0].find("the session is carried over, and the other is not"),
            std::string::npos)
      << check.faults[0];
}

// What the toolkit costs is known in turns; how far the machine is off is no cost of it.
TEST_F(CarryOver, ASessionOfABadMachineIsRefusedBesideTheOtherBuildToo) {
  const auto suite_of = [](int number, const Suite& suite) {
    Results results = measured(number, suite);
    for (int i = 0; i < 10; ++i) {
      results::BenchmarkResult more = results.benchmarks.back();
      more.id = "more/x/" + std::to_string(i);
      more.metrics["shared_load_requests"].sessions = {{8}};
      results.benchmarks.push_back(std::move(more));
    }
    return results;
  };
  (void)approve({suite_of(5, Suite()), suite_of(6, Suite()), suite_of(7, Suite())});
  const auto at = [&](double machine) {
    Pair pair = in_turns(8, Suite(), kNew);
    const std::string before = pair.before.session->turns;
    const std::string after = pair.after.session->turns;
    pair.before = suite_of(8, {.padded = machine, .scan = machine});
    pair.after = suite_of(8, {.cuda = "13.0", .code = 'b', .padded = machine, .scan = machine});
    pair.before.session->turns = before;
    pair.after.session->turns = after;
    return carrying(pair);
  };
  EXPECT_NE(error_of(at(1.2)).find("this machine is 19."), std::string::npos) << error_of(at(1.2));
  EXPECT_EQ(status_, kExitNoVerdict);
  EXPECT_EQ(error_of(at(1)), "accepted");
}

}  // namespace
}  // namespace warpgauge::ci
