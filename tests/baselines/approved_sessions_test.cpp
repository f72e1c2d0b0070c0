// SPDX-License-Identifier: Apache-2.0
// Which sessions a baseline has after an approval, and of which environment they are.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/approve/session_retention.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/support/errors.hpp"
#include "tests/baselines/baseline_folder.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Results;

TEST_F(BaselineFolder, AnotherSessionOfTheSameTimeIsAddedAndChangesALineAMetric) {
  (void)approve(sessions(0, 5));
  fs::copy(folder_ / "nvidia-h200", folder_ / "before");
  const Approval approval = approve({session(5)});
  EXPECT_EQ(approval.extended, 2u);
  EXPECT_EQ(approval.replaced, 0u);
  EXPECT_TRUE(approval.moved.empty());
  EXPECT_EQ(times(padded().id).size(), 6u);
  const Finished diff =
      shell("cd '" + folder_.string() + "' && diff before nvidia-h200 | grep -c '^[<>]'");
  // A line for each of the two benchmarks and one in device.json, with the line above it, which
  // gets a comma.
  EXPECT_EQ(diff.output, "9\n") << shell("diff '" + folder_.string() + "/before' '" +
                                         folder_.string() + "/nvidia-h200'")
                                       .output;
}

TEST_F(BaselineFolder, SessionsOfAnotherTimeTakeThePlaceOfTheOldOnes) {
  (void)approve(sessions(0, 5));
  for (const double factor : {1.3, 0.7}) {
    const Approval approval = approve({session(5, factor), session(6, factor)});
    EXPECT_EQ(times(padded().id),
              (std::vector<std::vector<double>>{steady(factor, 5), steady(factor, 6)}));
    EXPECT_EQ(times("scan/x/1").size(), 7u) << "its time is the same";
    EXPECT_EQ(approval.replaced, 1u);
    ASSERT_EQ(approval.moved.size(), 1u);
    EXPECT_EQ(approval.moved[0].id, padded().id);
    EXPECT_EQ(approval.moved[0].metric, "time");
    EXPECT_NEAR(*approval.moved[0].after / 10'000, factor, 0.01);
  }
}

TEST_F(BaselineFolder, TheNewestTwelveSessionsAreKept) {
  (void)approve(sessions(3, 13));
  EXPECT_EQ(times(padded().id).size(), 10u);
  (void)approve(sessions(13, 18));
  ASSERT_EQ(times(padded().id).size(), kMostSessions);
  EXPECT_EQ(times(padded().id).front(), steady(1, 6));
  EXPECT_EQ(times(padded().id).back(), steady(1, 17));
  // An older one is taken in where it belongs, and is the first to go.
  EXPECT_TRUE(approve({session(1)}).changed.empty());
}

TEST_F(BaselineFolder, ASessionThatIsThereAlreadyIsNotAddedAgain) {
  (void)approve(sessions(0, 5));
  const auto before = all_files();
  ApprovalRequest again = request({session(2), session(4)});
  again.by = "Bob";
  again.reason = "again";
  EXPECT_TRUE(approve(again).written.empty());
  EXPECT_EQ(all_files(), before);
}

TEST_F(BaselineFolder, WhatIsInconclusiveIsRefusedByNameAndWhatTheFilterTakesIsNot) {
  (void)approve(sessions(0, 5));
  Results doubtful = session(5);
  doubtful.benchmarks[1].metrics.at("time").sessions = {{9'000, 10'900, 10'000, 11'500, 9'400}};
  ASSERT_EQ(doubtful.benchmarks[1].id, "scan/x/1");
  const std::string error = error_of({doubtful});
  EXPECT_EQ(status_, kExitNoVerdict);
  EXPECT_NE(error.find("inconclusive against"), std::string::npos) << error;
  EXPECT_NE(error.find("scan/x/1: time: "), std::string::npos) << error;
  EXPECT_NE(error.find("may be worse than"), std::string::npos) << error;
  EXPECT_EQ(error.find(padded().id), std::string::npos) << error;
  EXPECT_NE(error.find("Measure again with more processes"), std::string::npos) << error;
  doubtful.session->imported = results::Imported{};
  const std::string of_imported = error_of({doubtful});
  EXPECT_NE(of_imported.find("Measure again while the machine is quiet"), std::string::npos)
      << of_imported;
  doubtful.session->imported.reset();

  ApprovalRequest only = request({doubtful});
  only.filter = "padded";
  EXPECT_EQ(approve(only).changed, (std::vector<std::string>{padded().id}));
  EXPECT_EQ(times("scan/x/1").size(), 5u);
  only.filter = "nothing";
  EXPECT_EQ(error_of(only), "--filter 'nothing' matches no benchmark of results.json");
  EXPECT_EQ(status_, kExitUsage);
}

TEST_F(BaselineFolder, WhatTheFilterLeavesOutMayHaveFailed) {
  Measured failed{.id = "scan/x/1", .outcome = {results::Status::wrong_result, "3 of 9 are wrong"}};
  ApprovalRequest only = request({results_of(emulated(), {padded(), failed})});
  EXPECT_NE(error_of(only), "accepted");
  only.filter = "^transpose/";
  EXPECT_EQ(approve(only).added, (std::vector<std::string>{padded().id}));
}

// A session of twelve benchmarks, of which the first has this machine code.
results::Results on_machine(int number, double factor, char first_code = 'a') {
  std::vector<Measured> benchmarks;
  for (int i = 0; i < 12; ++i) {
    benchmarks.push_back({.id = "scan/x/" + std::to_string(i),
                          .times_ns = steady(factor * (1 + i), number),
                          .counters = {{"shared_load_requests", 8}},
                          .machine_code = {kernel_code("kernel", i == 0 ? first_code : 'a')}});
  }
  return results_of(h200(), benchmarks, hour(number));
}

// Unchanged code that is 12 % off in all is no session more, nor is changed code a first one.
TEST_F(BaselineFolder, ASessionOfABadMachineIsRefused) {
  (void)approve({on_machine(0, 1), on_machine(1, 1), on_machine(2, 1)});
  for (const char code : {'a', 'b'}) {
    for (const double factor : {1.12, 0.88}) {
      const std::string error = error_of({on_machine(5, factor, code)});
      EXPECT_EQ(status_, kExitNoVerdict);
      EXPECT_NE(error.find(factor > 1 ? "this machine is 1" : "% faster than the other side's"),
                std::string::npos)
          << error;
      EXPECT_NE(error.find("measure again once that is settled"), std::string::npos) << error;
    }
  }
  // Nor beside good ones, which would make up for it.
  EXPECT_NE(error_of({on_machine(5, 1.2), on_machine(6, 1), on_machine(7, 1), on_machine(8, 1)}),
            "accepted");
  EXPECT_EQ(status_, kExitNoVerdict);
  EXPECT_EQ(times("scan/x/3").size(), 3U);
  ApprovalRequest code_only = request({on_machine(5, 1.12)});
  code_only.code_only = true;
  EXPECT_EQ(error_of(code_only), "accepted") << "it keeps the times";
  EXPECT_EQ(times("scan/x/3").size(), 3U);
  EXPECT_EQ(error_of({on_machine(6, 1.01)}), "accepted");
  EXPECT_EQ(times("scan/x/3").size(), 4U);
}

TEST_F(BaselineFolder, OneFigureInTheBaselineDoesNotBarBetterOnes) {
  (void)approve({results_of(h200(), {padded({6'560})}, hour(1))});
  (void)approve({results_of(h200(), {padded({7'560, 7'561})}, hour(2))});
  EXPECT_EQ(times(padded().id), (std::vector<std::vector<double>>{{7'560, 7'561}}));
}

TEST_F(BaselineFolder, HotTimesAreRefusedWhereThereAreColdOnesUnlessTheyTakeThePlaceOfAll) {
  (void)approve(sessions(0, 5));
  const auto hot = [](int number) {
    Results results = session(number, 0.5);
    results.session->hot = true;
    return results;
  };
  ApprovalRequest hotter = request({hot(5), hot(6)});
  const std::string refused = error_of(hotter);
  EXPECT_EQ(status_, kExitNoVerdict);
  EXPECT_NE(refused.find("has cold times and these are hot"), refused.npos) << refused;
  EXPECT_NE(refused.find("--new-environment"), refused.npos) << refused;
  EXPECT_NE(error_of({hot(5), session(6)}).find("timed cold, but results.json hot"),
            std::string::npos);

  // Not of a part, and not of what is new either: both would stand in one baseline.
  hotter.new_environment = true;
  hotter.filter = "padded";
  const std::string partly = error_of(hotter);
  EXPECT_EQ(status_, kExitUsage);
  EXPECT_NE(partly.find("would keep the cold ones of scan/x/1;"), partly.npos) << partly;
  Results added = results_of(h200(), {{.id = "new/x/1", .times_ns = {5, 6}}});
  added.session->hot = true;
  EXPECT_NE(error_of({added}).find("has cold times"), std::string::npos);

  hotter.filter = "";
  (void)approve(hotter);
  EXPECT_EQ(times(padded().id).size(), 2u);
  EXPECT_EQ(times("scan/x/1").size(), 2u);
  EXPECT_TRUE(read_baseline(folder_, "nvidia-h200")->session->hot);
  (void)approve({hot(9)});
  EXPECT_EQ(times(padded().id).size(), 3u);
  EXPECT_NE(error_of({session(8)}).find("has hot times and these are cold"), std::string::npos);
}

TEST_F(BaselineFolder, HotAndColdTimesThatAMergeLeftBesideEachOtherAreNotRead) {
  (void)approve(sessions(0, 5));
  const auto device = folder_ / "nvidia-h200" / "device.json";
  std::string text = results::read_file(device);
  text.insert(text.rfind("\"processes\""), "\"hot\":true,");
  results::write_file_atomically(device, text);
  try {
    (void)read_baseline(folder_, "nvidia-h200");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    EXPECT_NE(std::string(error.what()).find("has hot and cold times"), std::string::npos);
  }
  // Which makes one of it again.
  ApprovalRequest start_over = request({session(5), session(6)});
  start_over.new_environment = true;
  (void)approve(start_over);
  EXPECT_EQ(times(padded().id).size(), 6u);
}

TEST_F(BaselineFolder, ANewEnvironmentBeginsTheSessionsOfTheApprovedBenchmarksAnew) {
  (void)approve(sessions(0, 5));
  ApprovalRequest newer = request({session(5, 1, "590.2"), session(6, 1, "590.2")});
  newer.new_environment = true;
  newer.filter = "padded";
  const Approval approval = approve(newer);
  EXPECT_EQ(times(padded().id).size(), 2u);
  EXPECT_EQ(times("scan/x/1").size(), 5u);
  EXPECT_EQ(approval.replaced, 1u);
  ASSERT_EQ(approval.moved.size(), 1u);

  // From now on it is the environment that there was.
  newer.sessions = {session(9, 1, "590.2")};
  EXPECT_NE(error_of(newer).find("--new-environment: "), std::string::npos);
  EXPECT_EQ(status_, kExitUsage);
  newer.new_environment = false;
  (void)approve(newer);
  EXPECT_EQ(times(padded().id).size(), 3u);
}

TEST_F(BaselineFolder, ANewEnvironmentTakesWhatWasInconclusiveInTheOldOne) {
  (void)approve(sessions(0, 5));
  Results doubtful = session(5, 1, "590.2");
  for (auto& benchmark : doubtful.benchmarks) {
    benchmark.metrics.at("time").sessions = {{9'000, 10'900, 10'000, 11'500, 9'400}};
  }
  ApprovalRequest newer = request({doubtful});
  EXPECT_NE(error_of(newer), "accepted");
  newer.new_environment = true;
  EXPECT_EQ(approve(newer).replaced, 2u);
}

TEST_F(BaselineFolder, ASubsetLeavesTheEnvironmentOfTheOthersAlone) {
  (void)approve(sessions(0, 5));
  ApprovalRequest other = request({session(5, 1.4, "590.2")});
  other.filter = "padded";
  other.by = "Bob";
  other.reason = "the new driver";
  other.new_environment = true;
  (void)approve(other);
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  ASSERT_TRUE(baseline);
  const auto& scan = baseline->families.at("scan").at("scan/x/1");
  const ApprovedSession& first = baseline->sessions.at(scan.statistical.at("time")[0].session);
  EXPECT_EQ(first.session.device.driver, "580.1");
  EXPECT_EQ(first.session.device.uuid, "GPU-0");
  EXPECT_EQ(first.session.device.name, "NVIDIA H200");
  EXPECT_EQ(first.by, "Ada <ada@example.org>");
  const auto& transpose = baseline->families.at("transpose").at(padded().id);
  const ApprovedSession& last =
      baseline->sessions.at(transpose.statistical.at("time").at(0).session);
  EXPECT_EQ(last.session, other.sessions[0].session);
  EXPECT_EQ(last.by, "Bob");
  EXPECT_EQ(last.reason, "the new driver");
}

TEST_F(BaselineFolder, OneSessionApprovedForTwoReasonsHasBoth) {
  ApprovalRequest part = request({session(1)});
  part.filter = "padded";
  (void)approve(part);
  part.filter = "scan";
  part.reason = "another";
  (void)approve(part);
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  const auto reason_of = [&](const std::string& family, const std::string& id) {
    return baseline->sessions.at(baseline->families.at(family).at(id).counted).reason;
  };
  EXPECT_EQ(reason_of("transpose", padded().id), "faster");
  EXPECT_EQ(reason_of("scan", "scan/x/1"), "another");
}

TEST_F(BaselineFolder, SessionsThatNoBenchmarkRefersToAreForgotten) {
  (void)approve(sessions(0, 5));
  Results replacing = session(5, 1.5);
  replacing.benchmarks[1].metrics.at("time").sessions = {steady(1.5, 5)};
  (void)approve({replacing});
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  // What was counted before was counted alike, and stays as it was approved.
  EXPECT_EQ(baseline->sessions.size(), 2u);
}

TEST_F(BaselineFolder, PruningKeepsTheNewestAndSaysWhatWent) {
  (void)approve(sessions(0, 8));
  const auto dropped = prune_baselines(folder_, {"nvidia-h200"}, 6);
  EXPECT_EQ(times(padded().id).size(), 6u);
  EXPECT_EQ(times(padded().id).front(), steady(1, 2));
  EXPECT_EQ(pruned_text(dropped),
            "dropped  nvidia-h200  2026-11-21T00:00:00Z GPU-0  of 2 benchmarks\n"
            "dropped  nvidia-h200  2026-11-21T01:00:00Z GPU-1  of 2 benchmarks\n");
  const auto before = all_files();
  EXPECT_EQ(pruned_text(prune_baselines(folder_, {"nvidia-h200"}, 6)), "nothing to drop\n");
  EXPECT_EQ(all_files(), before);
}

}  // namespace
}  // namespace warpgauge::ci
