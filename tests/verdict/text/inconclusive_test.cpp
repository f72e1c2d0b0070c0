// SPDX-License-Identifier: Apache-2.0
// What an unclear verdict says: the numbers that decided, odd processes by name, what settles it.
#include "ci/verdict/text/inconclusive.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ci/verdict/text/verdict_text.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

// Processes of 100 µs times this, a little apart.
std::vector<double> nearly_steady(double factor = 1, std::size_t count = 5) {
  std::vector<double> figures;
  for (std::size_t i = 0; i < count; ++i) {
    figures.push_back(100'000 * factor + 100 * (static_cast<double>(i * 2 % 5) - 2));
  }
  return figures;
}

std::vector<double> with_outlier(std::vector<double> figures, double factor = 1.3) {
  figures.at(2) *= factor;
  return figures;
}

GateVerdict against_baseline(const std::vector<double>& before, const std::vector<double>& after) {
  results::Results baseline = results_of(h200(), {timed(before)});
  baseline.is_baseline = true;
  return compare(baseline, results_of(h200(), {timed(after)}), built_in_policy());
}

const MetricVerdict& time_of(const GateVerdict& verdict) { return metric(verdict, "time"); }

void expect_said(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

TEST(Unclear, AnOutlierIsNamed) {
  const GateVerdict verdict =
      judge({timed(nearly_steady())}, {timed(with_outlier(nearly_steady()))});
  ASSERT_EQ(only(verdict), Verdict::inconclusive);
  expect_said(time_of(verdict).reason,
              {"process 3 of 5 is 30.3 % above the others", "; measure again"});
  EXPECT_TRUE(time_of(verdict).more_processes_help);
}

TEST(Unclear, AnOutlierOfTheBaselineIsNamedAndDoesNotHideAChangeSilently) {
  for (const double change : {1.0, 1.03}) {
    const GateVerdict verdict =
        against_baseline(with_outlier(nearly_steady()), nearly_steady(change));
    ASSERT_EQ(only(verdict), Verdict::inconclusive);
    const std::string outlier =
        "process 3 of 5 of the baseline's session 2026-11-21T04:00:00Z is 30.3 % above the "
        "others";
    expect_said(time_of(verdict).reason, {outlier, "delete the baseline and approve new sessions"});
    const auto noted =
        std::count_if(verdict.notes.begin(), verdict.notes.end(), [&](const std::string& note) {
          return note.find("a change may hide behind an outlier") != note.npos &&
                 note.find(outlier) != note.npos;
        });
    EXPECT_EQ(noted, 1) << testing::PrintToString(verdict.notes);
  }
  EXPECT_EQ(only(against_baseline(nearly_steady(), nearly_steady(1.03))), Verdict::regressed)
      << "without the outlier it is found";
}

// A baseline whose sessions differ as much as this change.
GateVerdict against_sessions(const std::function<void(results::Session&)>& made_by) {
  results::Results baseline = results_of(h200(), {timed(nearly_steady())});
  results::Metric& time = baseline.benchmarks.front().metrics.at("time");
  for (const double factor : {1.06, 0.94}) {
    time.sessions.push_back(nearly_steady(factor));
    time.labels.push_back(fmt::format("2026-11-2{}T04:00:00Z", time.labels.size()));
  }
  baseline.is_baseline = true;
  results::Results now = results_of(h200(), {timed(nearly_steady(1.04))}, kLater);
  for (results::Results* each : {&baseline, &now}) made_by(*each->session);
  return compare(baseline, now, built_in_policy());
}

// The gate measures only suites in turns.
TEST(Unclear, OfSessionsThatDifferTheAdviceIsWhatCanBeDone) {
  const auto reason = [](const std::function<void(results::Session&)>& made_by) {
    const GateVerdict verdict = against_sessions(made_by);
    EXPECT_EQ(only(verdict), Verdict::inconclusive);
    return time_of(verdict).reason;
  };
  const std::string approve = "sessions of the baseline differ as much: approve more of them";
  expect_said(reason([](results::Session&) {}), {approve + ", or measure in turns with a build"});
  expect_said(reason([](results::Session& session) {
                session.imported = {"NVBench", true};
              }),
              {"sessions of the baseline differ as much: delete it and approve more of "
               "them together, or run this build and one of what was approved in turns, import the "
               "files of each, and compare the two results"});
  const std::string of_program =
      reason([](results::Session& session) { session.program.emplace().command = "./train"; });
  EXPECT_TRUE(of_program.ends_with(approve)) << of_program;
}

TEST(Unclear, TwoModesAreNamedAndMoreProcessesAreNoRemedy) {
  std::vector<double> modes = nearly_steady(0.212);
  for (const std::size_t high : {1u, 3u}) modes[high] = 24'200 + static_cast<double>(high);
  const GateVerdict verdict = judge({timed(nearly_steady(0.212))}, {timed(modes)});
  ASSERT_EQ(only(verdict), Verdict::inconclusive);
  expect_said(time_of(verdict).reason,
              {"5 processes have two modes, 21.23 µs and 24.20 µs", "more processes settle nothing",
               "relative_floor of 0.14 in an [[override]]"});
  EXPECT_FALSE(time_of(verdict).more_processes_help);
}

TEST(Unclear, ADriftIsNamed) {
  std::vector<double> drifting = nearly_steady();
  for (std::size_t i = 0; i < drifting.size(); ++i) {
    drifting[i] += 500 * static_cast<double>(i);
  }
  const GateVerdict verdict = judge({timed(nearly_steady())}, {timed(drifting)});
  ASSERT_EQ(only(verdict), Verdict::inconclusive);
  expect_said(time_of(verdict).reason,
              {"5 processes drift by +", " % from the first to the last", "clocks and heat"});
}

TEST(Unclear, RepetitionsOfAPlainFileAreCalledSo) {
  results::Results before = results_of(h200(), {timed(nearly_steady())});
  results::Results after = results_of(h200(), {timed(with_outlier(nearly_steady()))});
  for (results::Results* side : {&before, &after}) side->session.reset();
  for (results::Results* side : {&before, &after}) {
    side->benchmarks.front().metrics.at("time").labels.clear();
  }
  expect_said(time_of(compare(before, after, built_in_policy())).reason,
              {"repetition 3 of 5 is 30.3 % above the others"});
}

// Of one kernel among many that stay: by itself it is surely slower, but not among so many tests.
TEST(Unclear, AnIntervalThatIsQuotedNeverContradictsTheSentence) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto drawn = [&](double factor) {
    std::vector<double> figures;
    for (int i = 0; i < 5; ++i) figures.push_back(100'000 * factor * (1 + 0.004 * normal(random)));
    return figures;
  };
  int by_p = 0;
  int by_interval = 0;
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<Measured> before;
    std::vector<Measured> after;
    for (int i = 0; i < 30; ++i) {
      const std::string id = fmt::format("a/b/{}", i);
      before.push_back(timed(drawn(1), id));
      after.push_back(timed(drawn(i == 0 ? 1.04 : 1), id));
    }
    for (const BenchmarkVerdict& each : judge(before, after).benchmarks) {
      const MetricVerdict& time = each.metrics.front();
      if (time.verdict != Verdict::inconclusive) continue;
      double low = 0;
      double high = 0;
      ASSERT_EQ(std::sscanf(time.reason.c_str(), "%lf to %lf %%", &low, &high), 2) << time.reason;
      const double floor = 100 * *time.floor;
      EXPECT_LE(low, floor + 1e-9) << time.reason;
      EXPECT_GT(high, floor) << time.reason;
      const bool of_p = time.reason.find("adjusted over 30 tests") != std::string::npos;
      EXPECT_EQ(of_p, *time.low > 1 + *time.floor) << "by itself it looks worse: " << time.reason;
      (of_p ? by_p : by_interval) += 1;
      if (of_p) expect_said(time.reason, {"or not: p ", " is not below 0.01"});
    }
  }
  EXPECT_GT(by_p, 5);
  EXPECT_GT(by_interval, 5);
}

TEST(Unclear, AnEndJustBeyondTheFloorIsNotRoundedToIt) {
  MetricEstimate time;
  time.low = 1.001;
  time.high = 1.00704;
  time.floor = 0.007;
  EXPECT_EQ(interval_text(time), "+0.100 to +0.704 %");
  EXPECT_EQ(floor_text(time), "+0.700 %");
  time.high = 1.0122;
  EXPECT_EQ(interval_text(time), "+0.1 to +1.2 %");
  EXPECT_EQ(floor_text(time), "+0.7 %");
  time.high = 1.007;
  EXPECT_EQ(interval_text(time), "+0.1 to +0.7 %") << "it ends at the floor";
}

TEST(Unclear, AChangeThatPIsSureOfQuotesNoIntervalThatReachesOverTheFloor) {
  MetricVerdict time;
  time.verdict = Verdict::regressed;
  time.low = 1.005;
  time.high = 1.03;
  time.p = 0.08;
  time.floor = 0.007;
  EXPECT_EQ(explain(time), "p 0.08, floor 0.7 %");
  time.low = 1.008;
  EXPECT_EQ(explain(time), "interval +0.80 to +3.00 %, p 0.08, floor 0.7 %");
}

}  // namespace
}  // namespace warpgauge::ci
