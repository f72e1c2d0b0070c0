// SPDX-License-Identifier: Apache-2.0
#include "ci/controls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ci/compare.hpp"
#include "ci/derivation.hpp"
#include "tests/ci/helpers.hpp"

namespace warpgauge::ci {
namespace {

const char* const kPolicy = R"(
controls = ["ceiling/*"]
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.005
)";

// Two kinds of machine, 2 % apart in one control, -1.6 % in the other, 1 % in what is tested.
std::vector<Measured> suite(int kind, int session, double slowdown = 1) {
  const auto figures = [&](double time, double slope, double factor = 1) {
    std::vector<double> all;
    for (int process = 0; process < 5; ++process) {
      const double noise = 0.0004 * std::sin(1.0 + 7 * process + 3 * session + 100 * slope);
      all.push_back(time * factor * std::exp(0.02 * kind * slope + noise));
    }
    return all;
  };
  std::vector<Measured> benchmarks{{.id = "ceiling/copy/1", .times_ns = figures(60'000, 1)},
                                   {.id = "ceiling/read/1", .times_ns = figures(50'000, -0.8)}};
  for (int i = 0; i < 8; ++i) {
    benchmarks.push_back({.id = "a/kernel/" + std::to_string(i),
                          .times_ns = figures(40'000 + 1000 * i, 0.5 - 0.1 * i, slowdown)});
  }
  return benchmarks;
}

std::string hour(int session) { return "2026-11-21T0" + std::to_string(session) + ":00:00Z"; }

results::Results session(int kind, int number, double slowdown = 1) {
  return results_of(h200(), suite(kind, number, slowdown), hour(number));
}

results::Results baseline(const std::vector<int>& kinds) {
  results::Results all = session(kinds.front(), 0);
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    const results::Results more = session(kinds[i], static_cast<int>(i));
    for (std::size_t b = 0; b < all.benchmarks.size(); ++b) {
      auto& into = all.benchmarks[b].metrics.at("time");
      const auto& from = more.benchmarks[b].metrics.at("time");
      into.sessions.push_back(from.sessions.front());
      into.labels.push_back(from.labels.front());
    }
  }
  return all;
}

GateVerdict compared(const results::Results& before, const results::Results& after,
                     bool with_controls = true) {
  Policy policy = parse_policy(kPolicy, "policy.toml");
  if (!with_controls) policy.controls.clear();
  return compare(before, after, policy);
}

const std::vector<int> kBoth{0, 1, 0, 1, 1, 0};

TEST(Controls, AMachineOfEitherKindIsNoChange) {
  for (const int kind : {0, 1}) {
    EXPECT_EQ(compared(baseline(kBoth), session(kind, 7)).count(Verdict::same), 10u) << kind;
  }
  EXPECT_LT(compared(baseline(kBoth), session(1, 7), false).count(Verdict::same), 10u)
      << "without them this shows nothing";
}

TEST(Controls, AChangeSmallerThanTheMachinesAreApartIsFound) {
  results::Results slower = session(1, 7, 1.008);
  EXPECT_EQ(compared(baseline(kBoth), slower).count(Verdict::regressed), 8u);
}

TEST(Controls, TheReportSaysHowFarTheMachineIsFromTheBaselines) {
  const GateVerdict verdict = compared(baseline(kBoth), session(1, 7));
  const auto said =
      std::find_if(verdict.notes.begin(), verdict.notes.end(), [](const std::string& note) {
        return note.starts_with("this machine differs by 1.2") &&
               note.ends_with("by 2 controls; times are compared as if it did not");
      });
  EXPECT_NE(said, verdict.notes.end()) << testing::PrintToString(verdict.notes);
}

TEST(Controls, AMachineThatTheBaselineLacksLeavesTimeOpen) {
  const GateVerdict verdict = compared(baseline({0, 0, 0, 0, 0, 0}), session(1, 7, 1.01));
  EXPECT_EQ(verdict.count(Verdict::regressed), 0u) << derivations(verdict, "*");
  ASSERT_EQ(verdict.benchmarks.front().verdict, Verdict::inconclusive);
  const std::string& reason = verdict.benchmarks.front().metrics.front().reason;
  EXPECT_NE(reason.find("no machine like this one"), std::string::npos) << reason;
}

TEST(Controls, WhoseMachineCodeChangedSayNothingOfTheMachine) {
  results::Results before = baseline(kBoth);
  results::Results after = session(1, 7);
  before.benchmarks[0].machine_code = {kernel_code("copy", 'a')};
  after.benchmarks[0].machine_code = {kernel_code("copy", 'b')};
  const SideScores scores = side_scores(before, after, {"ceiling/*"});
  EXPECT_EQ(scores.changed, std::vector<std::string>{before.benchmarks[0].id});
  EXPECT_EQ(scores.controls.size(), 1u);
}

TEST(Controls, OnlySessionsThatAllOfThemHaveCount) {
  results::Results before = baseline(kBoth);
  auto& metric = before.benchmarks[0].metrics.at("time");
  metric.sessions.pop_back();
  metric.labels.pop_back();
  const SideScores scores = side_scores(before, session(1, 7), {"ceiling/*"});
  EXPECT_EQ(scores.before.size(), kBoth.size() - 1);
  EXPECT_EQ(scores.after.size(), 1u);
}

TEST(Controls, WithoutAnyNothingIsKnown) {
  const SideScores scores = side_scores(baseline(kBoth), session(1, 7), {"no/such"});
  EXPECT_TRUE(scores.controls.empty());
  TwoSides sides;
  sides.before = {{1}};
  sides.after = {{1}};
  scores.put_into(sides, {"x"}, {"y"});
  EXPECT_TRUE(sides.scores_before.empty());
}

}  // namespace
}  // namespace warpgauge::ci
