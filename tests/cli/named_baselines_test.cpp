// SPDX-License-Identifier: Apache-2.0
// `warpgauge init` gives each kind of benchmark a folder of its own in baselines/: what compares
// with the wrong one of them is refused, and the right one is named.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

class NamedBaselines : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("results.json",
          results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  }
  void approve_into(const std::string& folder) const {
    const Finished approved =
        warpgauge("approve results.json --reason first --baselines " + folder);
    ASSERT_EQ(approved.status, 0) << approved.output;
  }
};

TEST_F(NamedBaselines, ACompareWithTheFolderAroundThemNamesThem) {
  approve_into("baselines/bench");
  for (const char* base : {"baselines", "baselines/", "./baselines"}) {
    const std::string named = fs::path(base) / "bench";
    expect_one_line(warpgauge(std::string("compare ") + base + " results.json"), 64,
                    "the baselines here belong into " + named + ", not into " + base +
                        " itself: name the folder that is meant, as " + named + "\n");
  }
  EXPECT_EQ(warpgauge("compare baselines/bench results.json").status, 0);
  approve_into("baselines/nvbench");
  expect_one_line(warpgauge("compare baselines results.json"), 64,
                  "belong into baselines/bench, baselines/nvbench, not into baselines itself");
}

TEST_F(NamedBaselines, AFolderThatHasSomeItselfIsTheOneThatIsMeant) {
  approve_into("baselines/bench");
  approve_into("baselines");
  EXPECT_EQ(warpgauge("compare baselines results.json").status, 0);
  write("h200.json", results_text(h200(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  const Finished other = warpgauge("compare baselines h200.json");
  EXPECT_EQ(other.status, 3) << other.output;
  EXPECT_NE(other.output.find("has no baseline for NVIDIA H200 (only for emulated)"),
            std::string::npos)
      << other.output;
}

// The first time there is no such folder yet.
TEST_F(NamedBaselines, ACompareBelievesTheScriptOfInitAboutFoldersBelow) {
  write("ci/warpgauge.sh", "baselines=baselines/my-bench2\n");
  expect_one_line(warpgauge("compare baselines results.json"), 64, "as baselines/my-bench2\n");
  for (const char* other : {"baselines/my-bench2", "elsewhere"}) {
    const Finished first = warpgauge(std::string("compare ") + other + " results.json");
    EXPECT_EQ(first.status, 3) << first.output;
  }
  write("ci/warpgauge.sh", "baselines=\"baselines/my bench\"\n");
  expect_one_line(warpgauge("compare baselines results.json"), 64, "as 'baselines/my bench'\n");
  write("ci/warpgauge.sh", "baselines=baselines/\n");
  EXPECT_EQ(warpgauge("compare baselines results.json").status, 3);
}

TEST_F(NamedBaselines, AGateIsRefusedBeforeItMeasures) {
  approve_into("baselines/bench");
  const auto before = all_files();
  for (const char* what : {"--suite ./none", "-- touch measured"}) {
    expect_one_line(warpgauge(std::string("gate ") + what), 64,
                    "the baselines here belong into baselines/bench, not into baselines itself: "
                    "name the folder that is meant, as --baselines baselines/bench\n");
    EXPECT_EQ(all_files(), before);
  }
  for (const char* what : {"--baselines baselines", "--against HEAD"}) {
    const Finished other = warpgauge(std::string("gate --suite ./none ") + what);
    EXPECT_EQ(other.output.find("belong into"), std::string::npos) << other.output;
  }
}

}  // namespace
}  // namespace warpgauge
