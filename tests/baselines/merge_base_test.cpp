// SPDX-License-Identifier: Apache-2.0
// Edits of baselines and policy since a merge base, end to end in a repository of their own.
#include "ci/baselines/merge_base.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ci/policy/approved_changes.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kPolicy = R"(
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.02
[[metric]]
names = ["barriers"]
class = "exact"
)";

class MergeBaseTest : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    git("init --quiet --initial-branch=main");
    git("config user.name Someone");
    git("config user.email someone@example.com");
    write("ci/policy.toml", kPolicy);
    approve("2026-11-01T04:00:00Z", {1e6, 1e6 + 1, 1e6 + 2, 1e6}, 2, "the first");
    commit("base");
    git("checkout --quiet -b change");
  }

  void git(const std::string& arguments) const {
    const Finished finished = shell("cd '" + folder_.string() + "' && git " + arguments);
    ASSERT_EQ(finished.status, 0) << arguments << ": " << finished.output;
  }
  void commit(const std::string& message) const {
    git("add --all");
    git("commit --quiet --message " + message);
  }
  void measure(const std::string& created, const std::vector<double>& times,
               double barriers) const {
    write("results.json",
          results_text(h200(),
                       {{.id = "scan/a/1", .times_ns = times, .counters = {{"barriers", barriers}}},
                        {.id = "scan/b/1",
                         .times_ns = {5e5, 5e5 + 1, 5e5 + 2, 5e5},
                         .counters = {{"barriers", 1}}}},
                       created));
  }
  void approve(const std::string& created, const std::vector<double>& times, double barriers,
               const std::string& reason) const {
    measure(created, times, barriers);
    const Finished finished = warpgauge("approve results.json --reason '" + reason + "'");
    ASSERT_EQ(finished.status, 0) << finished.output;
  }
  [[nodiscard]] Finished compare(const std::string& arguments = "--merge-base main") const {
    return warpgauge(
        "compare baselines results.json --allow inconclusive --json verdict.json "
        "--summary summary.md " +
        arguments);
  }
  // Fills files of the baseline up with blanks at the merge base, and leaves them here as they
  // were.
  void pad_base(const std::vector<std::string>& names, std::size_t bytes) const {
    std::vector<std::string> texts;
    git("checkout --quiet main");
    for (const std::string& name : names) {
      texts.push_back(results::read_file(folder_ / name));
      write(name, texts.back() + std::string(bytes, ' '));
    }
    commit("padded");
    git("checkout --quiet change");
    git("merge --quiet main");
    for (std::size_t i = 0; i < names.size(); ++i) write(names[i], texts[i]);
  }
  [[nodiscard]] Edits edits() const { return *read_verdict(folder_ / "verdict.json").edits; }
};

TEST_F(MergeBaseTest, WithoutOneNothingIsSaidOfEdits) {
  const Finished finished = compare("");
  EXPECT_EQ(finished.output.find("edits"), finished.output.npos) << finished.output;
  EXPECT_FALSE(read_verdict(folder_ / "verdict.json").edits);
}

TEST_F(MergeBaseTest, ThatNothingWasEditedIsSaid) {
  EXPECT_NE(compare().output.find("no edits of baselines or policy since "), std::string::npos);
  EXPECT_TRUE(edits().baselines.empty() && edits().policy.empty() && edits().unclear.empty());
  EXPECT_EQ(edits().since.size(), 40U);
  const Finished of_files = warpgauge(
      "compare results.json results.json --merge-base main --baselines baselines --allow "
      "inconclusive --summary summary.md");
  EXPECT_NE(results::read_file(folder_ / "summary.md").find("no edits of baselines"),
            std::string::npos)
      << of_files.output;
}

TEST_F(MergeBaseTest, AnApprovalIsInTheHeadlineOfEveryReport) {
  approve("2026-11-21T04:00:00Z", {1.04e6, 1.04e6 + 1, 1.04e6 + 2, 1.04e6}, 3, "worth it");
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 0) << finished.output;
  const std::string expected =
      "approves: scan/a/1 (nvidia-h200): barriers +50.0 %, time +4.00 %, reason: worth it";
  EXPECT_NE(finished.output.find(expected), std::string::npos) << finished.output;
  EXPECT_NE(results::read_file(folder_ / "summary.md").find("worth it"), std::string::npos);
  ASSERT_GE(edits().baselines.size(), 1U);
  const BaselineEdit edit = edits().baselines.front();
  EXPECT_EQ(edit.kind, BaselineEdit::Kind::approves);
  EXPECT_EQ(edit.device, "nvidia-h200");
  EXPECT_EQ(edit.reason, "worth it");
  EXPECT_EQ(edit.by, "Someone <someone@example.com>");
  ASSERT_EQ(edit.figures.size(), 2U);
  EXPECT_EQ(edit.figures[0].metric, "barriers");
  EXPECT_EQ(edit.figures[0].before, 2);
  EXPECT_EQ(edit.figures[0].after, 3);
  // The same once it is committed, and when main moves on.
  commit("change");
  EXPECT_NE(compare().output.find(expected), std::string::npos);
  git("checkout --quiet main");
  write("ci/policy.toml", std::string("alpha = 0.2\n") + kPolicy);
  commit("elsewhere");
  git("checkout --quiet change");
  EXPECT_NE(compare().output.find(expected), std::string::npos);
  EXPECT_TRUE(edits().policy.empty());
}

TEST_F(MergeBaseTest, ABaselineEditedByHandIsSeenForWhatItIs) {
  const std::string file = "baselines/nvidia-h200/scan.json";
  std::string text = results::read_file(folder_ / file);
  write(file, text.replace(text.find("\"barriers\": 2"), 13, "\"barriers\": 9"));
  (void)compare();
  ASSERT_EQ(edits().baselines.size(), 1U);
  EXPECT_EQ(describe(edits().baselines.front()),
            "scan/a/1 (nvidia-h200): barriers ×4.5, without a new session");
}

TEST_F(MergeBaseTest, ThatAllIsSaidToHaveBeenTimedOnAnotherDayIsSeen) {
  const std::string file = "baselines/nvidia-h200/device.json";
  std::string text = results::read_file(folder_ / file);
  write(file, text.insert(text.find('{') + 1, "\"timed\": \"2099-01-01T00:00:00Z\","));
  EXPECT_NE(compare().output.find("when all was last timed in full: '' → '2099-01-01T00:00:00Z'"),
            std::string::npos);
}

TEST_F(MergeBaseTest, ASessionDescribedOtherwiseIsSeen) {
  const std::string file = "baselines/nvidia-h200/device.json";
  std::string text = results::read_file(folder_ / file);
  write(file, text.replace(text.find("the first"), 9, "forged it"));
  EXPECT_NE(compare().output.find("the description of 1 session was edited: 2026-11-01T04:00:00Z"),
            std::string::npos);
}

TEST_F(MergeBaseTest, WhatIsAddedAndRemovedIsNamed) {
  write("more.json",
        results_text(h200(), {{.id = "new/x/1", .times_ns = {7, 8}, .counters = {{"barriers", 1}}}},
                     "2026-11-21T04:00:00Z"));
  ASSERT_EQ(warpgauge("approve more.json --reason 'a family more' --remove scan/b/1").status, 0);
  const std::string output = compare().output;
  EXPECT_NE(output.find("adds: new/x/1 (nvidia-h200), reason: a family more; "
                        "removes: scan/b/1 (nvidia-h200)"),
            output.npos)
      << output;
}

TEST_F(MergeBaseTest, OfManyTheHeadlineNamesAFewAndTheSummaryAll) {
  std::vector<Measured> more;
  for (int i = 1; i <= 5; ++i) {
    more.push_back({.id = "new/x/" + std::to_string(i), .counters = {{"barriers", 1}}});
  }
  write("more.json", results_text(emulated(), more));
  ASSERT_EQ(warpgauge("approve more.json --reason why").status, 0);
  const std::string output = compare().output;
  EXPECT_NE(output.find("new/x/3 (emulated), reason: why and 2 more"), output.npos) << output;
  EXPECT_EQ(output.find("new/x/4"), output.npos) << output;
  const std::string summary = results::read_file(folder_ / "summary.md");
  EXPECT_NE(summary.find("<summary>5 edits of baselines and policy</summary>"), summary.npos);
  EXPECT_NE(summary.find("\nadds: new/x/5 (emulated), reason: why\n"), summary.npos) << summary;
}

TEST_F(MergeBaseTest, BaselinesOfOtherDevicesAreLookedAtToo) {
  write("other.json",
        results_text(emulated(), {{.id = "scan/a/1", .counters = {{"barriers", 2}}}}));
  ASSERT_EQ(warpgauge("approve other.json --reason 'no GPU'").status, 0);
  EXPECT_NE(compare().output.find("adds: scan/a/1 (emulated), reason: no GPU"), std::string::npos);
}

TEST_F(MergeBaseTest, AWholeBaselineThatIsGoneIsNamed) {
  std::filesystem::remove_all(folder_ / "baselines");
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("removes: scan/a/1 (nvidia-h200), scan/b/1 (nvidia-h200)"),
            std::string::npos)
      << finished.output;
}

TEST_F(MergeBaseTest, APolicyThatIsLoosenedIsNamed) {
  write("ci/policy.toml",
        std::string(kPolicy) +
            "[[override]]\nbenchmarks = \"scan/a/*\"\ngate = false\nreason = \"polls\"\n");
  const std::string output = compare().output;
  EXPECT_NE(output.find("loosens: barriers of scan/a/*: gated as exact → not gated, reason: polls"),
            output.npos)
      << output;
  write("ci/policy.toml", std::string("# a remark\n") + kPolicy);
  EXPECT_NE(compare().output.find("changes: ci/policy.toml, without effect on 2 known benchmarks"),
            std::string::npos);
}

TEST_F(MergeBaseTest, APolicyThatComesOrGoesIsComparedWithTheOneBuiltIn) {
  std::filesystem::remove(folder_ / "ci/policy.toml");
  const std::string output = compare().output;
  EXPECT_NE(output.find("time of all benchmarks: absolute_floor 0 → 64"), output.npos) << output;
}

TEST_F(MergeBaseTest, AFolderThatIsGoneIsReadThere) {
  std::filesystem::remove_all(folder_ / "ci");
  const std::string output = compare().output;
  EXPECT_NE(output.find("time of all benchmarks: absolute_floor 0 → 64"), output.npos) << output;
}

TEST_F(MergeBaseTest, WhatCannotBeReadThereIsUnclearAndNoReasonNotToMeasure) {
  git("checkout --quiet main");
  const std::string file = "baselines/nvidia-h200/scan.json";
  const std::string good = results::read_file(folder_ / file);
  std::string other = good;
  write(file, other.replace(other.find("\"schema\": 2"), 11, "\"schema\": 1"));
  write("ci/policy.toml", "wrong\n");
  commit("damaged");
  git("checkout --quiet -b later");
  write(file, good);
  write("ci/policy.toml", kPolicy);
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("unclear: nvidia-h200 at the merge base: nvidia-h200/scan.json: "
                                 "schema is not 2"),
            std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("ci/policy.toml at the merge base:1:"), std::string::npos)
      << finished.output;
}

// As much as a device's baseline may have, which is more than one answer of git.
TEST_F(MergeBaseTest, ALargeBaselineIsRead) {
  pad_base({"baselines/nvidia-h200/device.json", "baselines/nvidia-h200/scan.json"},
           9 * results::kMebibyte);
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("no edits of baselines or policy since "), std::string::npos)
      << finished.output;
}

TEST_F(MergeBaseTest, AFileThatIsTooLargeIsNamed) {
  pad_base({"baselines/nvidia-h200/scan.json"}, results::kBaselineLimit.bytes);
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("unclear: nvidia-h200 at the merge base: nvidia-h200/scan.json is "
                                 "larger than 16 MiB, the most that is read of a file of a "
                                 "baseline"),
            std::string::npos)
      << finished.output;
  pad_base({"ci/policy.toml"}, results::kPolicyLimit.bytes);
  EXPECT_NE(compare().output.find("--merge-base: ci/policy.toml at the merge base is larger than 1 "
                                  "MiB, the most that is read of a policy"),
            std::string::npos);
}

TEST_F(MergeBaseTest, TheGateSaysItAsWell) {
  write("ci/policy.toml",
        std::string(kPolicy) + "[[override]]\nbenchmarks = \"*\"\nrelative_floor = 0.5\n");
  write("plan.json", "{}");
  const Finished finished =
      warpgauge("gate --suite '" + std::string(FAKE_SUITE) + "' --out out --merge-base nowhere");
  EXPECT_EQ(finished.status, 64) << finished.output;
  EXPECT_NE(finished.output.find("no revision 'nowhere'"), std::string::npos) << finished.output;
}

TEST_F(MergeBaseTest, ARevisionThatIsNoneIsWrongUsage) {
  for (const char* revision : {"nowhere", "--all", "main:ci", "''"}) {
    const Finished finished = compare(std::string("--merge-base=") + revision);
    EXPECT_EQ(finished.status, 64) << revision << finished.output;
  }
  git("checkout --quiet --orphan unrelated");
  commit("unrelated");
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 64);
  EXPECT_NE(finished.output.find("no common history here; fetch all of it"), std::string::npos)
      << finished.output;
  EXPECT_EQ(warpgauge("compare results.json results.json --merge-base main").status, 64);
}

TEST_F(MergeBaseTest, OutsideARepositoryItIsWrongUsage) {
  std::filesystem::remove_all(folder_ / ".git");
  const Finished finished = compare();
  EXPECT_EQ(finished.status, 64) << finished.output;
  EXPECT_NE(finished.output.find("not a git repository"), std::string::npos) << finished.output;
}

}  // namespace
}  // namespace warpgauge::ci
