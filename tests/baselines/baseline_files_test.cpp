// SPDX-License-Identifier: Apache-2.0
// An approval that is stopped is the one of before or the one of after, wherever that happens.
#include "ci/baselines/baseline_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ci/baselines/baseline_check.hpp"
#include "ci/baselines/baseline_json.hpp"
#include "ci/baselines/folder_watch.hpp"
#include "tests/baselines/baseline_folder.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Results;

class StoppedApproval : public BaselineFolder {
 protected:
  static Results results(double barriers, int number, const std::vector<std::string>& families) {
    std::vector<Measured> benchmarks;
    for (const std::string& family : families) {
      benchmarks.push_back({.id = family + "/x/1", .counters = {{"barriers", barriers}}});
    }
    return results_of(emulated(), benchmarks, hour(number));
  }

  [[nodiscard]] fs::path device() const { return folder_ / "emulated"; }

  // By id.
  [[nodiscard]] std::map<std::string, double> barriers() const {
    std::map<std::string, double> figures;
    const auto baseline = read_baseline(folder_, "emulated");
    if (!baseline) return figures;
    for (const auto& each : baseline->benchmarks) {
      figures[each.id] = each.metrics.at("barriers").sessions.at(0).at(0);
    }
    return figures;
  }

  // As an approval leaves it that is stopped once so many of its files are in their places. Returns
  // how many it has.
  std::size_t stop_after(std::size_t in_place, const ApprovalRequest& request) {
    const auto before = all_files();
    (void)approve(request);
    const Baseline after = load_baseline(folder_, "emulated").value();
    fs::remove_all(device());
    for (const auto& [name, text] : before) write(name, text);
    std::map<std::string, std::string> files;
    for (const auto& [name, family] : after.families) files[name + ".json"] = to_text(family);
    NewApproval approval(device());
    for (const auto& [name, text] : files) approval.add(name, text);
    approval.add(kDeviceFile, device_text(after));
    approval.commit();
    std::size_t moved = 0;
    for (const auto& [name, text] : files) {
      if (moved++ < in_place) fs::rename(device() / kWaitingFiles / name, device() / name);
    }
    return files.size();
  }

  [[nodiscard]] BaselineCheck check() const {
    return check_baselines(
        folder_, [&] { return devices_with_baseline(folder_); }, kNow);
  }
};

TEST_F(StoppedApproval, IsReadAsAWholeHoweverManyOfItsFilesAreInPlace) {
  const ApprovalRequest first = request({results(1, 0, {"a", "b", "c", "gone"})});
  const ApprovalRequest second = request({results(2, 1, {"a", "b", "c"})}, {"gone/x/1"});
  (void)approve(first);
  (void)approve(second);
  const auto whole = all_files();
  for (std::size_t in_place = 0; in_place <= 3; ++in_place) {
    SCOPED_TRACE(in_place);
    fs::remove_all(device());
    (void)approve(first);
    ASSERT_EQ(stop_after(in_place, second), 3u);
    ASSERT_NE(all_files(), whole);
    EXPECT_EQ(barriers(),
              (std::map<std::string, double>{{"a/x/1", 2}, {"b/x/1", 2}, {"c/x/1", 2}}));
    (void)approve(second);
    EXPECT_EQ(all_files(), whole);
    EXPECT_FALSE(fs::exists(device() / kWaitingFiles));
  }
}

TEST_F(StoppedApproval, OfTheFirstBaselineIsReadToo) {
  (void)stop_after(0, request({results(2, 0, {"a", "b"})}));
  EXPECT_EQ(devices_with_baseline(folder_), std::vector<std::string>{"emulated"});
  EXPECT_EQ(barriers(), (std::map<std::string, double>{{"a/x/1", 2}, {"b/x/1", 2}}));
}

TEST_F(StoppedApproval, IsPutIntoPlaceByAnyOther) {
  (void)approve(request({results(1, 0, {"a", "b"})}));
  (void)stop_after(1, request({results(2, 1, {"a", "b"})}));
  (void)approve(request({results(3, 2, {"a"})}));
  EXPECT_EQ(barriers(), (std::map<std::string, double>{{"a/x/1", 3}, {"b/x/1", 2}}));
  EXPECT_TRUE(check().faults.empty());
}

// The last benchmark was removed.
TEST_F(StoppedApproval, ThatLeavesNoBaselineIsReadAsNone) {
  (void)approve(request({results(1, 0, {"a"})}));
  Baseline none = load_baseline(folder_, "emulated").value();
  none.families.clear();
  none.named.emplace();
  NewApproval approval(device());
  approval.add(kDeviceFile, device_text(none));
  approval.commit();
  EXPECT_FALSE(read_baseline(folder_, "emulated"));
  put_into_place(device());
  EXPECT_FALSE(fs::exists(device()));
}

TEST_F(StoppedApproval, IsNamedByTheCheck) {
  (void)approve(request({results(1, 0, {"a", "b"})}));
  (void)stop_after(1, request({results(2, 1, {"a", "b"})}));
  const BaselineCheck found = check();
  ASSERT_EQ(found.faults.size(), 1u);
  EXPECT_EQ(found.faults.front(),
            (device() / kWaitingFiles).string() +
                ": an approval was stopped before all its files were in place: they are read from "
                "there; run the approval again, which puts them into place");
}

TEST_F(StoppedApproval, BeforeItIsWholeIsNone) {
  (void)approve(request({results(1, 0, {"a"})}));
  const auto before = all_files();
  write("emulated/.approval.unfinished-Ab12Cd/a.json", "half");
  fs::create_directory(device() / kWaitingFiles);
  write("emulated/.approval/a.json", "half");
  EXPECT_EQ(barriers().at("a/x/1"), 1);
  (void)approve(request({results(2, 1, {"a"})}));
  EXPECT_EQ(barriers().at("a/x/1"), 2);
  EXPECT_EQ(all_files().size(), before.size());
}

// What is measured runs code of the change, which might bring an approval along.
TEST_F(StoppedApproval, ThatAppearsWhileSomethingIsMeasuredIsSeen) {
  (void)approve(request({results(1, 0, {"a"})}));
  const FolderWatch watch(folder_);
  (void)stop_after(0, request({results(2, 1, {"a"})}));
  EXPECT_THROW(watch.require_unchanged("results/results.json"), Error);
}

TEST_F(StoppedApproval, LinksToElsewhereAreNone) {
  (void)approve(request({results(1, 0, {"a"})}));
  fs::create_directory(folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", device() / kWaitingFiles);
  EXPECT_THROW((void)read_baseline(folder_, "emulated"), Error);
}

TEST_F(StoppedApproval, AFileThatIsALinkStaysOne) {
  (void)approve(request({results(1, 0, {"a"})}));
  fs::create_directory(folder_ / ".kept");
  fs::rename(device() / "a.json", folder_ / ".kept/a.json");
  fs::create_symlink("../.kept/a.json", device() / "a.json");
  (void)approve(request({results(2, 1, {"a"})}));
  EXPECT_TRUE(fs::is_symlink(device() / "a.json"));
  EXPECT_EQ(barriers().at("a/x/1"), 2);
}

}  // namespace
}  // namespace warpgauge::ci
