// SPDX-License-Identifier: Apache-2.0
// A gate judges by the baselines that were there when it began.
#include "ci/baselines/folder_watch.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using Watch = InFolder;

TEST_F(Watch, SeesWhatComesGoesAndIsWritten) {
  const auto complaint = [&](const FolderWatch& watch) -> std::string {
    try {
      watch.require_unchanged("results/results.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), kExitNotMeasured);
      return error.what();
    }
    return "";
  };
  const FolderWatch none(folder_ / "nowhere");
  EXPECT_EQ(complaint(none), "");
  const auto file = write("h200/scan.json", "{}");
  const FolderWatch watch(folder_);
  EXPECT_EQ(complaint(watch), "");
  write("h200/.lock", "");  // no baseline
  EXPECT_EQ(complaint(watch), "");
  const auto other = write("h100/scan.json", "{}");
  EXPECT_NE(complaint(watch).find(other.string() + " was changed while this was measured"),
            std::string::npos);
  std::filesystem::remove(other);
  EXPECT_EQ(complaint(watch), "");
  write("h200/scan.json", "{ }");
  EXPECT_NE(complaint(watch).find(file.string()), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_NE(complaint(watch).find(file.string()), std::string::npos);
}

// Its counters are worse than those that were approved, and it approves of them itself.
TEST_F(Watch, WhatIsMeasuredCannotMakeItselfGreen) {
  const auto plan = [&](int barriers) {
    results::Json text{
        {"backend", "emulated"}, {"passes", {"counters"}}, {"device", to_json(emulated())}};
    text["benchmarks"]["scan/a/1"]["counters"] = {{"barriers", barriers},
                                                  {"shared_load_requests", 8}};
    write("plan.json", text.dump());
  };
  const std::string edits =
      write("suite.sh",
            "#!/bin/sh\ncase \"$*\" in *warpgauge_pass*)\n"
            "  sed -i 's/\"barriers\": 1/\"barriers\": 9/' baselines/emulated/scan.json ;;\nesac\n"
            "FAKE_SUITE_PLAN=plan.json exec '" FAKE_SUITE "' \"$@\"\n")
          .string();
  std::filesystem::permissions(edits, std::filesystem::perms::owner_all);
  plan(1);
  ASSERT_EQ(warpgauge("run --suite ./suite.sh --out first.json").status, 0);
  ASSERT_EQ(warpgauge("approve first.json --reason first").status, 0);
  plan(9);
  const Finished finished = warpgauge("gate --suite ./suite.sh");
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_NE(
      finished.output.find("baselines/emulated/scan.json was changed while this was measured"),
      std::string::npos)
      << finished.output;
}

}  // namespace
}  // namespace warpgauge::ci
