// SPDX-License-Identifier: Apache-2.0
// What does not belong into a folder of baselines is refused wherever it is read, and named by
// `baseline check`.
#include "ci/baselines/baseline_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>

#include "ci/baselines/baseline.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

class BaselineCheckTest : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("results.json",
          results_text(
              h200(),
              {{.id = "scan/x/1", .times_ns = {100, 101}, .counters = {{"barriers", 2}}},
               {.id = "transpose/y/1", .times_ns = {100, 101}, .counters = {{"barriers", 3}}}}));
    ASSERT_EQ(warpgauge("approve results.json --reason test").status, 0);
  }

  [[nodiscard]] std::string text_of(const std::string& file) const {
    return results::read_file(folder_ / "baselines/nvidia-h200" / file);
  }

  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = text_of(file);
    ASSERT_NE(text.find(from), std::string::npos) << text;
    write("baselines/nvidia-h200/" + file, text.replace(text.find(from), from.size(), to));
  }

  [[nodiscard]] BaselineCheck check(const std::string& now) const {
    const fs::path folder = folder_ / "baselines";
    return check_baselines(
        folder, [&] { return devices_with_baseline(folder); }, now);
  }

  // Of the gate, of an approval and of the check.
  void expect_refused(const std::string& message) const {
    expect_one_line(warpgauge("compare baselines results.json"), 4, message);
    expect_one_line(warpgauge("approve results.json --reason test"), 4, message);
    const Finished check = warpgauge("baseline check");
    EXPECT_EQ(check.status, 4) << check.output;
    EXPECT_NE(check.output.find(message), std::string::npos) << check.output;
  }
};

TEST_F(BaselineCheckTest, AWholeFolderIsWhole) {
  const Finished check = warpgauge("baseline check");
  EXPECT_EQ(check.status, 0) << check.output;
  EXPECT_EQ(check.output, "whole: 1 device, 2 files, 2 benchmarks\n");
}

TEST_F(BaselineCheckTest, TheProjectsOwnIsWhole) {
  const Finished check =
      warpgauge("baseline check --baselines " + quoted(SOURCE_ROOT "/baselines"));
  EXPECT_EQ(check.status, 0) << check.output;
}

TEST_F(BaselineCheckTest, AnEntryInTheFileOfAnotherFamilyIsRefused) {
  const std::string scan = text_of("scan.json");
  write("baselines/nvidia-h200/zz.json", scan);
  expect_refused("zz.json: benchmarks.scan/x/1: belongs in scan.json");
}

TEST_F(BaselineCheckTest, AFamilyWhoseFileIsGoneIsRefused) {
  fs::remove(folder_ / "baselines/nvidia-h200/scan.json");
  expect_refused("device.json names the family 'scan', and there is no scan.json");
}

TEST_F(BaselineCheckTest, AFamilyThatAnApprovalDoesNotNameIsAFault) {
  edit("device.json", "\"scan\",\n    ", "");
  const Finished check = warpgauge("baseline check");
  EXPECT_EQ(check.status, 4) << check.output;
  EXPECT_NE(check.output.find("device.json is not as an approval writes it"), std::string::npos)
      << check.output;
  EXPECT_EQ(warpgauge("compare baselines results.json").status, 0);
  EXPECT_EQ(warpgauge("approve results.json --reason test").status, 0);
  EXPECT_EQ(warpgauge("baseline check").status, 0) << "completed by the approval";
}

TEST_F(BaselineCheckTest, BaselinesOfTheDaysBeforeFamiliesWereNamedAreWhole) {
  edit("device.json", "  \"families\": [\n    \"scan\",\n    \"transpose\"\n  ],\n", "");
  EXPECT_EQ(warpgauge("baseline check").status, 0);
}

TEST_F(BaselineCheckTest, AKeyThatStandsTwiceIsRefused) {
  edit("scan.json", "\"barriers\": 2", "\"barriers\": 9,\n        \"barriers\": 2");
  expect_refused("scan.json: 'barriers' stands twice in one object");
}

TEST_F(BaselineCheckTest, AFamilyWithoutBenchmarksIsRefused) {
  write("baselines/nvidia-h200/zz.json", "{\"schema\": 2, \"benchmarks\": {}}");
  expect_refused("zz.json: benchmarks: holds no benchmark");
}

TEST_F(BaselineCheckTest, AFileThatIsNotReadIsRefused) {
  write("baselines/nvidia-h200/scan.json.orig", "left by a merge");
  expect_refused("scan.json.orig: a baseline is device.json and a .json file a family");
  fs::remove(folder_ / "baselines/nvidia-h200/scan.json.orig");
  fs::create_directory(folder_ / "baselines/nvidia-h200/more");
  expect_refused("nvidia-h200/more: a baseline is");
  fs::remove(folder_ / "baselines/nvidia-h200/more");
  write("baselines/nvidia-h200/.notes", "");
  write("baselines/README.md", "");
  EXPECT_EQ(warpgauge("baseline check").status, 0);
  write("baselines/scan.json", text_of("scan.json"));
  expect_one_line(warpgauge("compare baselines results.json"), 4,
                  "baselines/scan.json: no baseline is read from there");
}

TEST_F(BaselineCheckTest, ATimeThatIsNoneIsRefused) {
  edit("device.json", "\"created\":\"2026-11-21T04:00:00Z\"",
       "\"created\":\"9999-12-31T00:00:00Z\"");
  expect_refused("created: '9999-12-31T00:00:00Z' is no time in UTC of this century");
}

TEST_F(BaselineCheckTest, ResultsOfNoTimeAreNotApproved) {
  for (const char* created : {"yesterday", "2099-01-01T00:00:00Z", "\x1b[31m"}) {
    write("odd.json", results_text(h200(), {{.id = "scan/x/1", .times_ns = {100, 101}}}, created));
    expect_one_line(warpgauge("approve odd.json --reason test"), 4,
                    "odd.json: context.warpgauge.created: ");
  }
}

TEST_F(BaselineCheckTest, WhatAnApprovalWouldNotWriteIsNamed) {
  edit("scan.json", "\"barriers\": 2", "\"barriers\":  2");
  const Finished check = warpgauge("baseline check");
  EXPECT_EQ(check.status, 4);
  EXPECT_NE(check.output.find("scan.json is not as an approval writes it"), std::string::npos)
      << check.output;
  EXPECT_NE(check.output.find("not whole: 1 device"), std::string::npos) << check.output;
}

TEST_F(BaselineCheckTest, ASessionAheadOfTheClockIsNamed) {
  const BaselineCheck checked = check("2020-01-01T00:00:00Z");
  ASSERT_FALSE(checked.faults.empty());
  EXPECT_NE(checked.faults.front().find("is yet to come"), std::string::npos)
      << checked.faults.front();
}

TEST_F(BaselineCheckTest, WhatIsApprovedMeanwhileIsNoFault) {
  const fs::path folder = folder_ / "baselines";
  const std::string before = text_of("scan.json");
  edit("scan.json", "\"barriers\": 2", "\"barriers\": 9");
  const std::string after = text_of("scan.json");
  const std::jthread approvals([&](const std::stop_token& end) {
    for (bool again = true; !end.stop_requested(); again = !again) {
      const FolderLock lock(folder, FolderLock::Kind::exclusive);
      fs::rename(folder / "nvidia-h200", folder_ / "away");
      results::write_file_atomically(folder_ / "away" / "scan.json", again ? before : after);
      fs::rename(folder_ / "away", folder / "nvidia-h200");
    }
  });
  for (int i = 0; i < 200; ++i) {
    const BaselineCheck checked = check("2027-01-01T00:00:00Z");
    ASSERT_TRUE(checked.faults.empty()) << checked.faults.front();
    ASSERT_EQ(checked.devices, 1U);
  }
}

}  // namespace
}  // namespace warpgauge::ci
