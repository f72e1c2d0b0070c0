// SPDX-License-Identifier: Apache-2.0
// What somebody edits in a baseline by hand is in what the headline says, also where no mean moves.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ci/baselines/baseline_diff.hpp"

namespace warpgauge::ci {
namespace {

Baseline sample() {
  Baseline baseline;
  baseline.folder = "baselines/nvidia-h200";
  Approved approved;
  approved.counted = "session 0";
  for (int i = 0; i < 4; ++i) {
    const std::string label = "session " + std::to_string(i);
    const double mean = 100'000 + 100 * (i % 2);
    approved.statistical["time"].push_back({label, {mean - 50, mean + 50}});
    ApprovedSession session;
    session.session.created = "2026-11-0" + std::to_string(i + 1) + "T00:00:00Z";
    session.approved = "2026-11-10T00:00:00Z";
    baseline.sessions[label] = session;
  }
  approved.exact["barriers"] = 2;
  approved.machine_code.resize(1);
  approved.launches.resize(1);
  baseline.families["scan"]["scan/x/1"] = approved;
  return baseline;
}

std::string edited(const std::function<void(Approved&)>& edit) {
  const Baseline before = sample();
  Baseline after = sample();
  edit(after.families["scan"]["scan/x/1"]);
  const std::vector<BaselineEdit> edits = baseline_edits("nvidia-h200", before, after);
  return edits.size() == 1 ? describe(edits.front()) : "no edit";
}

void expect_named(const std::function<void(Approved&)>& edit, const std::string& what) {
  const std::string said = edited(edit);
  EXPECT_NE(said.find(what), std::string::npos) << said;
  EXPECT_NE(said.find("without a new session"), std::string::npos) << said;
}

TEST(HandEdits, OfTheSpreadAreNamedThoughTheMeanStays) {
  const auto scale = [](Approved& approved) {
    auto& sessions = approved.statistical["time"];
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      for (double& figure : sessions[i].figures) figure *= i % 2 == 0 ? 0.75 : 1.25;
    }
  };
  expect_named(scale, "time of 4 known sessions rewritten");
  expect_named(scale, "spread of time between sessions 0.058 % → 29 %");
  expect_named(
      [](Approved& approved) {
        for (SessionFigures& session : approved.statistical["time"]) {
          session.figures.front() *= 0.9;
          session.figures.back() *= 1.1;
        }
      },
      "spread of time between processes 0.071 % → 14 %");
}

TEST(HandEdits, OfTheNumberOfSessionsAndFiguresAreNamed) {
  expect_named([](Approved& approved) { approved.statistical["time"].resize(3); },
               "time of 3 sessions, was 4");
  expect_named([](Approved& approved) { approved.statistical["time"][0].figures = {100'000}; },
               "time of 7 figures, was 8");
}

TEST(HandEdits, OfCodeLaunchesDigestsRangesLinesAndCountersAreNamed) {
  expect_named([](Approved& approved) { approved.machine_code[0].sass_hash = "f"; },
               ": machine code,");
  expect_named([](Approved& approved) { approved.launches[0].count = 2; }, ": launches,");
  expect_named([](Approved& approved) { approved.input_digest = "f"; }, ": digest of its input,");
  expect_named(
      [](Approved& approved) {
        approved.ranges["hits"] = {1, 2, 3};
      },
      ": ranges of counters,");
  expect_named([](Approved& approved) { approved.lines.resize(1); }, ": source lines,");
  expect_named([](Approved& approved) { approved.counted = "session 1"; },
               ": the session of its counters,");
  expect_named([](Approved& approved) { approved.exact["barriers"] = 3; }, ": barriers +50.0 %");
}

TEST(HandEdits, OfAnchorsAreNamedByThemselves) {
  const Anchor first{std::string(40, 'a'), "2026-11-01T00:00:00Z", "Ada", "version 1.0"};
  const Anchor second{std::string(40, 'b'), "2026-12-01T00:00:00Z", "Bob", "version 2.0"};
  Baseline before = sample();
  before.anchors = {{"first", first}};
  before.families["scan"]["scan/x/1"].anchored = Anchored{"first", {100'000}};
  const auto said = [&](const Baseline& after) {
    const auto edits = baseline_edits("nvidia-h200", before, after);
    return edits.size() == 1 ? to_string(edits[0].kind) + " " + describe(edits[0]) : "no one edit";
  };
  Baseline after = before;
  EXPECT_EQ(said(after), "no one edit");
  after.anchors["second"] = second;
  Approved& approved = after.families["scan"]["scan/x/1"];
  approved.anchored->anchor = "second";
  EXPECT_EQ(said(after),
            "anchors scan/x/1 (nvidia-h200): aaaaaaaaaaaa of 2026-11-01 → bbbbbbbbbbbb of "
            "2026-12-01, reason: version 2.0");
  approved.anchored = Anchored{"first", {110'000}};
  EXPECT_EQ(said(after), "anchors scan/x/1 (nvidia-h200): other times, by no approval");
  approved.anchored.reset();
  EXPECT_EQ(said(after),
            "anchors scan/x/1 (nvidia-h200): aaaaaaaaaaaa of 2026-11-01 → none, by no approval");
  approved.exact["barriers"] = 3;
  EXPECT_EQ(baseline_edits("nvidia-h200", before, after).size(), 2u);

  after = before;
  after.anchors["first"].revision = second.revision;
  EXPECT_EQ(said(after), "no one edit");
  EXPECT_EQ(rewritten_anchors(before, after),
            (std::vector<std::string>{"first (now bbbbbbbbbbbb of 2026-11-01)"}));
}

// What `approve --beside` writes is believed where the figures bear it out.
TEST(HandEdits, OfByWhatFiguresWereCarriedOverAreNamed) {
  expect_named(
      [](Approved& approved) {
        approved.statistical["time"][1].carried = Carried{1.02, 0.001};
      },
      ": by what time of 1 known session was carried over,");
  const std::string figures = edited([](Approved& approved) {
    approved.statistical["time"][1].carried = Carried{1.02, 0.001};
  });
  EXPECT_EQ(figures.find("%"), std::string::npos) << "no figure moved: " << figures;

  Baseline after = sample();
  after.sessions["session 2"].carried = "CUDA '12.8' → '13.0'";
  EXPECT_EQ(rewritten_sessions(sample(), after),
            (std::vector<std::string>{"session 2 (what it was carried over from)"}));
}

TEST(HandEdits, OfByWhatAnAnchorWasCarriedOverAreNoApproval) {
  Baseline before = sample();
  before.anchors = {
      {"first", {std::string(40, 'a'), "2026-11-01T00:00:00Z", "Ada", "version 1.0"}}};
  before.families["scan"]["scan/x/1"].anchored = Anchored{"first", {100'000}};
  const auto said = [&](const Baseline& after) {
    for (const BaselineEdit& edit : baseline_edits("nvidia-h200", before, after)) {
      if (edit.kind == BaselineEdit::Kind::anchors) return describe(edit);
    }
    return std::string("no edit of an anchor");
  };
  Baseline after = before;
  Approved& approved = after.families["scan"]["scan/x/1"];
  approved.anchored->carried = 1.1;
  EXPECT_EQ(said(after),
            "scan/x/1 (nvidia-h200): by what its times were carried over, by no approval");
  approved.anchored->times = {110'000};
  const std::string both =
      "scan/x/1 (nvidia-h200): other times, by what its times were carried over, by no approval";
  EXPECT_EQ(said(after), both);

  // A session that was approved since carries nothing over.
  ApprovedSession session = after.sessions.at("session 3");
  session.reason = "another day";
  after.sessions["session 4"] = session;
  approved.statistical["time"].push_back({"session 4", {100'000, 100'100}});
  EXPECT_EQ(said(after), both);

  // One that does, by less than the anchor.
  session.reason = "CUDA 13.0";
  session.approved = "2026-12-01T00:00:00Z";
  after.sessions["session 3 (carried 2026-12-01)"] = session;
  SessionFigures& carried = approved.statistical["time"][3];
  carried.session = "session 3 (carried 2026-12-01)";
  carried.carried = Carried{1.02, 0.001};
  for (double& figure : carried.figures) figure *= 1.02;
  EXPECT_EQ(said(after), both);
  approved.anchored = Anchored{"first", {102'000}, 1.02};
  EXPECT_EQ(said(after),
            "scan/x/1 (nvidia-h200): times carried over by +2.00 %, reason: CUDA 13.0");
}

TEST(HandEdits, OfDatesAndOtherFactsOfSessionsAreNamed) {
  const Baseline before = sample();
  Baseline after = sample();
  after.sessions["session 1"].session.created = "2026-12-01T00:00:00Z";
  after.sessions["session 1"].by = "somebody else";
  after.sessions["session 2"].session.device.driver = "590";
  EXPECT_EQ(rewritten_sessions(before, after),
            (std::vector<std::string>{"session 1 (when it was measured, by whom)",
                                      "session 2 (its environment)"}));
}

}  // namespace
}  // namespace warpgauge::ci
