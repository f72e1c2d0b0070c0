// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/control_benchmarks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/report/explain_trace.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

const char* const kPolicy = R"(
controls = ["ceiling/*"]
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.005
[[metric]]
names = ["shared_load_requests"]
class = "exact"
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

SideScores scores_of(const results::Results& before, const results::Results& after,
                     const Policy& policy) {
  return side_scores(before, after, policy, code_identities(before, after, policy), false);
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

Policy control_policy() { return parse_policy(kPolicy, "policy.toml"); }

GateVerdict compared(const results::Results& before, const results::Results& after,
                     bool with_controls = true) {
  Policy used = control_policy();
  if (!with_controls) used.controls.clear();
  return compare(before, after, used);
}

const std::vector<int> kKinds{0, 1, 0, 1, 1, 0};

// With machine code and a counter, of which the benchmarks from `changed` on are of other code.
results::Results with_code(results::Results results, std::size_t changed = 100) {
  for (std::size_t i = 0; i < results.benchmarks.size(); ++i) {
    results::BenchmarkResult& benchmark = results.benchmarks[i];
    benchmark.machine_code = {kernel_code("kernel", i < changed ? 'a' : 'b')};
    benchmark.metrics["shared_load_requests"].sessions = {{8}};
  }
  return results;
}

TEST(Controls, AMachineOfEitherKindIsNoChange) {
  for (const int kind : {0, 1}) {
    EXPECT_EQ(compared(baseline(kKinds), session(kind, 7)).count(Verdict::same), 10u) << kind;
  }
  EXPECT_LT(compared(baseline(kKinds), session(1, 7), false).count(Verdict::same), 10u)
      << "without them this shows nothing";
}

TEST(Controls, AChangeSmallerThanTheMachinesAreApartIsFound) {
  results::Results slower = session(1, 7, 1.008);
  EXPECT_EQ(compared(baseline(kKinds), slower).count(Verdict::regressed), 8u);
}

TEST(Controls, TheReportSaysHowFarTheMachineIsFromTheBaselines) {
  const GateVerdict verdict = compared(baseline(kKinds), session(1, 7));
  const auto said =
      std::find_if(verdict.notes.begin(), verdict.notes.end(), [](const std::string& note) {
        return note.starts_with("this machine differs by 0.9") &&
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
  results::Results before = baseline(kKinds);
  results::Results after = session(1, 7);
  before.benchmarks[0].machine_code = {kernel_code("copy", 'a')};
  after.benchmarks[0].machine_code = {kernel_code("copy", 'b')};
  const SideScores scores = scores_of(before, after, control_policy());
  EXPECT_EQ(scores.changed, std::vector<std::string>{before.benchmarks[0].id});
  EXPECT_EQ(scores.controls.size(), 1u);
}

TEST(Controls, WhatIsLaunchedOtherwiseIsNone) {
  const auto launched = [](results::Results results, std::optional<std::size_t> otherwise) {
    for (std::size_t i = 0; i < results.benchmarks.size(); ++i) {
      results.benchmarks[i].launches = {
          {.kernel = "kernel", .grid = {i == otherwise ? 64U : 32U, 1, 1}}};
    }
    return results;
  };
  const results::Results before = launched(with_code(baseline(kKinds)), {});
  const auto scores = [&](std::optional<std::size_t> otherwise) {
    return scores_of(before, launched(with_code(session(1, 7)), otherwise), control_policy());
  };
  EXPECT_EQ(scores({}).controls.size(), 10u);
  // Of less than ten of the same code, those that the policy names count alone: 0 and 1.
  EXPECT_EQ(scores(9).controls.size(), 2u);
  EXPECT_EQ(scores(0).controls.size(), 1u);
  EXPECT_EQ(scores(0).changed, std::vector<std::string>{before.benchmarks[0].id});
  // What was not observed this time may be another.
  EXPECT_EQ(scores_of(before, with_code(session(1, 7)), control_policy()).controls.size(), 2u);
}

TEST(Controls, OfResultsThatAreNoBaselineTheSameCodeExcusesNothing) {
  const results::Results other = with_code(session(1, 1));
  const GateVerdict verdict = compared(with_code(session(0, 0)), other, false);
  EXPECT_EQ(verdict.count(Verdict::regressed), 0u) << derivations(verdict, "*");
  EXPECT_GT(verdict.count(Verdict::inconclusive), 5u);
}

TEST(Controls, OfAFewOnlyThoseThatThePolicyNamesCount) {
  const results::Results before = with_code(baseline(kKinds));
  const results::Results after = with_code(session(1, 7), 4);
  EXPECT_EQ(scores_of(before, after, control_policy()).controls.size(), 2u);
  Policy none = control_policy();
  none.controls.clear();
  EXPECT_EQ(scores_of(before, after, none).controls.size(), 4u);
  EXPECT_TRUE(scores_of(before, with_code(session(1, 7), 2), none).controls.empty());
}

// One of two: too few for either to do without.
TEST(Controls, OnlySessionsThatNearlyAllOfThemHaveCount) {
  results::Results before = baseline(kKinds);
  auto& metric = before.benchmarks[0].metrics.at("time");
  metric.sessions.pop_back();
  metric.labels.pop_back();
  const SideScores scores = scores_of(before, session(1, 7), control_policy());
  EXPECT_EQ(scores.before.size(), kKinds.size() - 1);
  EXPECT_EQ(scores.after.size(), 1u);

  // Of many, a session of a part of the suite is placed by those that have it.
  before = with_code(baseline(kKinds));
  for (std::size_t i = 0; i < 6; ++i) {
    auto& time = before.benchmarks[i].metrics.at("time");
    time.sessions.pop_back();
    time.labels.pop_back();
  }
  EXPECT_EQ(scores_of(before, with_code(session(1, 7)), control_policy()).before.size(),
            kKinds.size());
}

TEST(Controls, OfManyThatLackASessionEachTooFewRemain) {
  results::Results before = with_code(baseline({0, 1, 0, 1, 1, 0, 0, 1, 0}));
  // All sessions are whole but for one benchmark each, so that one benchmark alone has all of them.
  for (std::size_t i = 0; i < 9; ++i) {
    auto& time = before.benchmarks[i].metrics.at("time");
    time.sessions.erase(time.sessions.begin() + static_cast<std::ptrdiff_t>(i));
    time.labels.erase(time.labels.begin() + static_cast<std::ptrdiff_t>(i));
  }
  Policy none = control_policy();
  none.controls.clear();
  EXPECT_TRUE(scores_of(before, with_code(session(1, 10)), none).controls.empty());
}

TEST(Controls, ASessionThatCannotBePlacedIsLeftOut) {
  SideScores scores;
  scores.controls = {"control"};
  scores.before = {{"a", {{0.0}}}, {"b", {{0.01}}}};
  scores.after = {{"now", {{0.01}, 0}}};
  scores.noise = {0};
  TwoSides sides;
  sides.before = {{1}, {2}, {3}};
  sides.after = {{4}};
  scores.apply_scores(sides, "id", {"a", "part", "b"}, {"now"});
  EXPECT_EQ(sides.before, (std::vector<ProcessFigures>{{1}, {3}}));
  EXPECT_EQ(sides.scores_before.size(), 2u);
}

TEST(Controls, AreWhatRunsTheSameCode) {
  constexpr std::size_t kChanged = 6;  // and the three after it, a/kernel/4 to 7
  results::Results before = with_code(baseline(kKinds));
  before.is_baseline = true;
  for (const int kind : {0, 1}) {
    results::Results after = with_code(session(kind, 7), kChanged);
    for (std::size_t i = kChanged; i < after.benchmarks.size(); ++i) {
      for (double& time : after.benchmarks[i].metrics.at("time").sessions[0]) time *= 1.008;
    }
    const GateVerdict slower = compared(before, after, false);
    const GateVerdict same = compared(before, with_code(session(kind, 7)), false);
    EXPECT_EQ(same.count(Verdict::same), 10u) << derivations(same, "*");
    std::set<std::string> regressed;
    for (const BenchmarkVerdict& each : slower.benchmarks) {
      if (each.verdict == Verdict::regressed) regressed.insert(each.id);
    }
    EXPECT_EQ(regressed,
              (std::set<std::string>{"a/kernel/4", "a/kernel/5", "a/kernel/6", "a/kernel/7"}))
        << derivations(slower, "*");
  }
  results::Results other = with_code(session(1, 7));
  for (auto& each : other.benchmarks) each.metrics["shared_load_requests"].sessions = {{9}};
  Policy none = control_policy();
  none.controls.clear();
  EXPECT_TRUE(scores_of(before, other, none).controls.empty());
}

class Approved : public InFolder {
 protected:
  Approval approve(const std::vector<results::Results>& sessions) {
    ApprovalRequest request;
    request.sessions = sessions;
    request.now = "2026-11-22T00:00:00Z";
    return ci::approve(request, folder_, control_policy());
  }
};

TEST_F(Approved, TogetherSessionsOfOtherMachinesAreCorrectedAsOneIs) {
  std::vector<results::Results> known;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    known.push_back(session(kKinds[i], static_cast<int>(i)));
  }
  (void)approve(known);
  const Approval approval = approve({session(1, 7), session(1, 8)});
  EXPECT_EQ(approval.extended, 10u);
  EXPECT_EQ(approval.replaced, 0u);
}

TEST(Controls, CountersThatAreToldSeveralTimesAreStillTheSame) {
  Policy none = control_policy();
  none.controls.clear();
  results::Results before = with_code(baseline(kKinds));
  results::Results after = with_code(session(1, 7));
  for (auto& each : after.benchmarks) each.metrics["shared_load_requests"].sessions = {{8}, {8}};
  EXPECT_EQ(scores_of(before, after, none).controls.size(), 10u);
}

TEST(Controls, WithoutAnyNothingIsKnown) {
  Policy none = control_policy();
  none.controls = {"no/such"};
  const SideScores scores = scores_of(baseline(kKinds), session(1, 7), none);
  EXPECT_TRUE(scores.controls.empty());
  TwoSides sides;
  sides.before = {{1}};
  sides.after = {{1}};
  scores.apply_scores(sides, "id", {"x"}, {"y"});
  EXPECT_TRUE(sides.scores_before.empty());
}

// Benchmarks, all slower by `common`, the last eight of other code and slower by `slowdown` as
// well.
results::Results many(int number, double common, double slowdown = 0, int count = 20) {
  std::vector<Measured> benchmarks;
  for (int i = 0; i < count; ++i) {
    std::vector<double> times;
    for (int process = 0; process < 5; ++process) {
      const double noise = 0.0004 * std::sin(1.0 + 7 * process + 3 * number + 100 * i);
      times.push_back((40'000 + 1000 * (i % 20)) *
                      std::exp(common + (i < count - 8 ? 0 : slowdown) + noise));
    }
    benchmarks.push_back({.id = "a/kernel/" + std::to_string(i), .times_ns = times});
  }
  results::Results results = with_code(results_of(h200(), benchmarks, hour(number)),
                                       number == 9 ? static_cast<std::size_t>(count) - 8 : 100);
  results.is_baseline = number != 9;
  return results;
}

std::size_t regressed(const results::Results& before, const results::Results& after) {
  return compared(before, after, false).count(Verdict::regressed);
}

TEST(Controls, AShiftThatTheyHaveInCommonHidesNothingAndIsNoChange) {
  const results::Results before = many(0, 0);
  EXPECT_EQ(regressed(before, many(9, 0, 0.03)), 8u);
  EXPECT_EQ(regressed(before, many(9, 0.03, 0.03)), 8u);
  EXPECT_EQ(regressed(before, many(9, 0.03)), 0u);
  EXPECT_EQ(compared(before, many(9, 0.03), false).count(Verdict::same), 20u);
  // Nor does what a machine gains.
  EXPECT_EQ(regressed(before, many(9, -0.03, 0.03)), 8u);
}

TEST(Controls, WhereAllAreFarOffNoVerdictOnTimeRestsOnTheMachine) {
  for (const double common : {-0.12, 0.12}) {
    const GateVerdict verdict = compared(many(0, 0), many(9, common, 0.03), false);
    EXPECT_EQ(verdict.count(Verdict::regressed), 0u);
    EXPECT_EQ(verdict.count(Verdict::inconclusive), 8u);
    EXPECT_EQ(verdict.count(Verdict::same), 12u) << "whose code is the same";
    const auto& metrics = verdict.benchmarks.front().metrics;
    const auto time = std::find_if(metrics.begin(), metrics.end(),
                                   [](const auto& each) { return each.metric == "time"; });
    ASSERT_NE(time, metrics.end());
    const std::string& reason = time->reason;
    EXPECT_NE(reason.find(common > 0 ? "by 12 controls this machine is 12.75 % slower"
                                     : "by 12 controls this machine is 12.75 % faster"),
              std::string::npos)
        << reason;
  }
  // Nothing changed: that passes, and the report says how far it is off.
  results::Results unchanged = many(8, 0.12);
  unchanged.is_baseline = false;
  const GateVerdict verdict = compared(many(0, 0), unchanged, false);
  EXPECT_EQ(verdict.count(Verdict::same), 20u);
  const auto said =
      std::find_if(verdict.notes.begin(), verdict.notes.end(), [](const std::string& note) {
        return note.starts_with("by 20 controls this machine is 12.75 % slower");
      });
  EXPECT_NE(said, verdict.notes.end()) << testing::PrintToString(verdict.notes);
}

TEST(Controls, OneOnAGpuThatTheBaselineLacksLeavesNoCertainty) {
  const auto one = [](int number, double factor, const std::string& gpu) {
    results::Device device = h200();
    device.uuid = gpu;
    return results_of(
        device,
        {suite(0, number)[0], {.id = "a/x/1", .times_ns = suite(0, number, factor)[3].times_ns}},
        hour(number));
  };
  const auto slower = [](const results::Results& before, const results::Results& after) {
    return compared(before, after).count(Verdict::regressed);
  };
  EXPECT_EQ(slower(one(0, 1, "GPU-1"), one(1, 1.03, "GPU-1")), 1u);
  EXPECT_EQ(slower(one(0, 1, "GPU-1"), one(1, 1.03, "GPU-2")), 0u);
  // Approved for two reasons, it is still one GPU.
  results::Results again = one(0, 1, "GPU-1");
  for (auto& each : again.benchmarks) each.metrics.at("time").labels[0] += " (2)";
  EXPECT_EQ(slower(again, one(1, 1.03, "GPU-1")), 1u);
}

// On a GPU that the baseline lacks, what a few kernels of its kind may do makes no alarm of 1.5 %,
// and leaves nothing open that is as fast as before.
TEST(Controls, ADozenOnANewGpuMakeNoAlarmOfWhatAFewKernelsMayDo) {
  const auto on = [](const std::string& gpu, double slowdown) {
    results::Results results = many(9, 0, slowdown);
    for (auto& each : results.benchmarks) each.metrics.at("time").labels = {hour(9) + " " + gpu};
    return compared(many(0, 0), results, false);
  };
  EXPECT_EQ(on(h200().uuid, 0.015).count(Verdict::regressed), 8u);
  const GateVerdict elsewhere = on("GPU-other", 0.015);
  EXPECT_EQ(elsewhere.count(Verdict::regressed), 0u);
  EXPECT_EQ(elsewhere.count(Verdict::inconclusive), 8u);
  EXPECT_NE(derivations(elsewhere, "*").find("the baseline has no session of this GPU"),
            std::string::npos);
  EXPECT_EQ(on("GPU-other", 0).count(Verdict::same), 20u);
  EXPECT_EQ(on("GPU-other", 0.1).count(Verdict::regressed), 8u);
}

// A span is a time, too: what another GPU may do to it is no change of the kernels.
TEST(Controls, WithoutAnyAnotherGpuMakesNoAlarmOfASpan) {
  const auto spanned = [](const std::string& gpu, double slowdown) {
    results::Results results = many(9, 0);
    for (auto& each : results.benchmarks) {
      each.machine_code = {kernel_code("kernel", 'c')};
      results::Metric& time = each.metrics.at("time");
      if (!gpu.empty()) time.labels = {hour(9) + " " + gpu};
      results::Metric& span = each.metrics["span"];
      span = time;
      for (double& figure : span.sessions[0]) figure *= 1 + slowdown;
    }
    return results;
  };
  const Policy policy = parse_policy(
      "[[metric]]\nnames = [\"time\", \"span\"]\nclass = \"statistical\"\n"
      "relative_floor = 0.005\n",
      "policy.toml");
  const auto slower = [&](const std::string& gpu, double slowdown) {
    return compare(spanned("", 0), spanned(gpu, slowdown), policy).count(Verdict::regressed);
  };
  EXPECT_EQ(slower("", 0.03), 20u);
  EXPECT_EQ(slower("GPU-other", 0.03), 0u);
  EXPECT_EQ(slower("GPU-other", 0.3), 20u);
}

TEST(Controls, OneOfManyThatIsSlowerSaysNothingOfTheOthers) {
  results::Results odd = many(9, 0, 0.03, 40);
  for (double& time : odd.benchmarks[3].metrics.at("time").sessions[0]) time *= 1.2;
  EXPECT_EQ(regressed(many(0, 0, 0, 40), odd), 1u + 8u);
}

TEST(Controls, WithoutAnyAnotherGpuLeavesASmallChangeOpen) {
  results::Results elsewhere = many(9, 0, 0.03);
  for (auto& each : elsewhere.benchmarks) {
    each.machine_code = {kernel_code("kernel", 'c')};
    each.metrics.at("time").labels = {hour(9) + " GPU-other"};
  }
  results::Results here = elsewhere;
  const std::string gpu = many(0, 0).benchmarks[0].metrics.at("time").labels[0].substr(20);
  for (auto& each : here.benchmarks) each.metrics.at("time").labels = {hour(9) + gpu};
  EXPECT_EQ(regressed(many(0, 0), here), 8u);
  EXPECT_EQ(regressed(many(0, 0), elsewhere), 0u);
}

}  // namespace
}  // namespace warpgauge::ci
