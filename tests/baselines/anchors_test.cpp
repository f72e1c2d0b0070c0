// SPDX-License-Identifier: Apache-2.0
// Anchors: who sets one, what leaves it where it is, and what of it is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ci/baselines/baseline_check.hpp"
#include "ci/baselines/baseline_json.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "tests/baselines/baseline_folder.hpp"

namespace warpgauge::ci {
namespace {

const std::string kFirst(40, 'a');
const std::string kSecond(40, 'b');
constexpr const char* kAnchored = "transpose/padded/8x8";

class Anchors : public BaselineFolder {
 protected:
  static results::Results at(results::Results session, const std::string& revision) {
    session.session->source = {revision, false};
    return session;
  }

  // Enough that one more is known to be the same.
  static std::vector<results::Results> several_at(const std::string& revision, int from,
                                                  double factor = 1,
                                                  const std::string& driver = "580.1") {
    std::vector<results::Results> all;
    for (int i = from; i < from + 6; ++i) all.push_back(at(session(i, factor, driver), revision));
    return all;
  }

  static ApprovalRequest anchoring(std::vector<results::Results> sessions,
                                   const std::string& reason = "version 1.0") {
    ApprovalRequest anchoring = request(std::move(sessions));
    anchoring.anchor = true;
    anchoring.reason = reason;
    return anchoring;
  }

  [[nodiscard]] Baseline load() const { return load_baseline(folder_, "nvidia-h200").value(); }

  // Of a benchmark; none: has none.
  [[nodiscard]] std::string anchor_of(const std::string& id) const {
    const Baseline baseline = load();
    const auto& anchored = find_approved(baseline, id)->anchored;
    return anchored ? baseline.anchors.at(anchored->anchor).revision : "none";
  }

  [[nodiscard]] std::string text_of(const char* file) const {
    return results::read_file(folder_ / "nvidia-h200" / file);
  }
};

TEST_F(Anchors, AreListedOnceAndStandInALineOfEachBenchmark) {
  const Approval approval = approve(anchoring({at(session(0), kFirst), at(session(1), kFirst)}));
  EXPECT_EQ(approval.anchored, (std::vector<std::string>{"scan/x/1", kAnchored}));
  EXPECT_NE(text_of("device.json")
                .find("  \"anchors\": {\n    \"2026-11-22T00:00:00Z aaaaaaaaaaaa\": "
                      "{\"revision\":\"" +
                      kFirst +
                      "\",\"set\":\"2026-11-22T00:00:00Z\",\"by\":\"Ada "
                      "<ada@example.org>\",\"reason\":\"version 1.0\"}\n  }\n}\n"),
            std::string::npos)
      << text_of("device.json");
  EXPECT_NE(text_of("transpose.json")
                .find("\"anchor\": {\"label\": \"2026-11-22T00:00:00Z aaaaaaaaaaaa\", "
                      "\"time\": [10005.4, 10015.4]},\n"),
            std::string::npos)
      << text_of("transpose.json");
  const Baseline baseline = load();
  EXPECT_EQ(anchor_of("scan/x/1"), kFirst);
  const std::string shown =
      benchmark_text(baseline, kAnchored, *find_approved(baseline, kAnchored));
  EXPECT_NE(shown.find("revision " + kFirst), std::string::npos) << shown;
  EXPECT_NE(shown.find("10.01 µs then, "), std::string::npos) << shown;
}

TEST_F(Anchors, AreSetByNoOtherApproval) {
  (void)approve({at(session(0), kFirst)});
  EXPECT_EQ(anchor_of(kAnchored), "none");
  EXPECT_EQ(text_of("device.json").find("anchors"), std::string::npos);
}

TEST_F(Anchors, StayWhateverElseIsApproved) {
  (void)approve(anchoring(several_at(kFirst, 0)));
  const std::string line = [&] {
    const std::string text = text_of("transpose.json");
    const std::size_t begin = text.find("\"anchor\"");
    return text.substr(begin, text.find('\n', begin) - begin);
  }();
  const auto expect_kept = [&](const char* after) {
    EXPECT_NE(text_of("transpose.json").find(line), std::string::npos)
        << after << ": " << text_of("transpose.json");
  };
  (void)approve(several_at(kSecond, 6, 1.3));
  expect_kept("a change");
  ApprovalRequest code = request({at(session(12, 1.3), kSecond)});
  code.code_only = true;
  (void)approve(code);
  expect_kept("the code alone");
  ApprovalRequest fresh = request(several_at(kSecond, 13, 1.3, "590.1"));
  fresh.new_environment = true;
  (void)approve(fresh);
  expect_kept("another environment");
  EXPECT_FALSE(prune_baselines(folder_, {"nvidia-h200"}, 5).empty());
  expect_kept("pruning");
  EXPECT_EQ(anchor_of(kAnchored), kFirst);
}

TEST_F(Anchors, MoveByRequestOfTheirBenchmarksAlone) {
  (void)approve(anchoring(several_at(kFirst, 0)));
  ApprovalRequest moving = anchoring(several_at(kSecond, 6), "the new layout");
  moving.filter = "^transpose";
  (void)approve(moving);
  EXPECT_EQ(anchor_of(kAnchored), kSecond);
  EXPECT_EQ(anchor_of("scan/x/1"), kFirst);
  moving.filter = "^scan";
  (void)approve(moving);
  EXPECT_EQ(anchor_of("scan/x/1"), kSecond);
  EXPECT_EQ(load().anchors.size(), 1u) << "one of no benchmark is gone, one of a reason is one";
  moving.reason = "once more";
  (void)approve(moving);
  EXPECT_EQ(load().anchors.size(), 2u);
}

TEST_F(Anchors, GoWithTheirBenchmark) {
  (void)approve(anchoring(several_at(kFirst, 0)));
  results::Results rest = at(session(6), kSecond);
  std::erase_if(rest.benchmarks, [](const auto& each) { return each.id == kAnchored; });
  ApprovalRequest moving = anchoring({rest});
  moving.remove = {kAnchored};
  (void)approve(moving);
  EXPECT_EQ(load().anchors.size(), 1u);
  EXPECT_EQ(anchor_of("scan/x/1"), kSecond);
}

TEST_F(Anchors, AreOfWhatCanBeBuiltAgainAndWasTimed) {
  const auto says = [&](const ApprovalRequest& request, int status, const std::string& what) {
    EXPECT_NE(error_of(request).find(what), std::string::npos) << error_of(request);
    EXPECT_EQ(status_, status) << what;
  };
  says(anchoring({session(0)}), kExitNotMeasured, "does not name the commit");
  results::Results modified = at(session(0), kFirst);
  modified.session->source.modified = true;
  says(anchoring({modified}), kExitNotMeasured, "with changes beside aaaaaaaaaaaa");
  says(anchoring({at(session(0), kFirst), at(session(1), kSecond)}), kExitNotMeasured,
       "is of bbbbbbbbbbbb, but");
  results::Results untimed = at(session(0), kFirst);
  untimed.benchmarks.at(0).metrics.erase("time");
  says(anchoring({untimed}), kExitNotMeasured, std::string("no time of ") + kAnchored);
  Policy untold = built_in_policy();
  untold.overrides.push_back({"*", {"time"}, false, {}, {}, {}, "no clock here"});
  ApprovalRequest request = anchoring({at(session(0), kFirst)});
  try {
    (void)ci::approve(request, folder_, untold);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitUsage);
    EXPECT_NE(std::string(error.what()).find("gates no time"), std::string::npos) << error.what();
  }
}

TEST_F(Anchors, ThatAreNotWholeAreRefused) {
  (void)approve(anchoring({at(session(0), kFirst)}));
  const auto files = all_files();
  const auto refused = [&](const char* file, const std::string& good, const std::string& bad) {
    std::string text = text_of(file);
    const std::size_t place = text.find(good);
    EXPECT_NE(place, text.npos) << good;
    if (place == text.npos) return std::string();
    text.replace(place, good.size(), bad);
    results::write_file_atomically(folder_ / "nvidia-h200" / file, text);
    std::string message = "accepted";
    try {
      (void)load();
    } catch (const results::FormatError& error) {
      message = error.what();
    }
    for (const auto& [path, whole] : files) results::write_file_atomically(path, whole);
    return message;
  };
  const auto expect = [](const std::string& message, const char* what) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  expect(refused("device.json", kFirst + "\",\"set", "aaaaaaaaaaaa\",\"set"),
         "must be the full SHA of a commit");
  expect(refused("device.json", kFirst + "\",\"set", std::string(40, 'A') + "\",\"set"),
         "must be the full SHA of a commit");
  expect(refused("device.json", "\"set\":\"2026", "\"set\":\"1926"), "is no time in UTC");
  expect(refused("device.json", "\"anchors\"", "\"sunken\""), "is not in device.json");
  expect(refused("transpose.json", "\"time\": [10005.4]}", "\"time\": []}"), "not empty");
  expect(refused("transpose.json", "\"time\": [10005.4]}", "\"time\": [0]}"), "positive");
}

TEST_F(Anchors, OfNoBenchmarkOrOfTheFutureAreFaults) {
  (void)approve(anchoring({at(session(0), kFirst)}));
  Baseline baseline = load();
  Anchor late = baseline.anchors.begin()->second;
  late.set = "2027-11-22T00:00:00Z";
  baseline.anchors["late"] = late;
  results::write_file_atomically(folder_ / "nvidia-h200" / "device.json", device_text(baseline));
  const BaselineCheck check = check_baselines(
      folder_, [] { return std::vector<std::string>{"nvidia-h200"}; }, kNow);
  ASSERT_EQ(check.faults.size(), 2u);
  EXPECT_NE(check.faults[0].find("anchor 'late' is of no benchmark"), std::string::npos);
  EXPECT_NE(check.faults[1].find("anchor 'late': 2027"), std::string::npos) << check.faults[1];
}

}  // namespace
}  // namespace warpgauge::ci
