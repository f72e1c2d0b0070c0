// SPDX-License-Identifier: Apache-2.0
// Figures over runs, and what `warpgauge history changes` says of them.
#include "ci/history/trend.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "ci/history/history.hpp"
#include "ci/statistics/mean.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

TEST(MedianOf, IsTheMiddleOne) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_THROW((void)median_of({}), std::invalid_argument);
}

TEST(IntervalOfMedian, IsThatOfTheSignTest) {
  EXPECT_FALSE(interval_of_median({1}).has_value());
  const auto bounds = [](std::size_t count) {
    std::vector<double> figures;
    for (std::size_t i = count; i > 0; --i) figures.push_back(static_cast<double>(i));
    const auto interval = interval_of_median(figures);
    return std::pair(interval->low, interval->high);
  };
  // As tables of the sign test have them.
  EXPECT_EQ(bounds(2), std::pair(1.0, 2.0));
  EXPECT_EQ(bounds(5), std::pair(1.0, 5.0));
  EXPECT_EQ(bounds(6), std::pair(1.0, 6.0));
  EXPECT_EQ(bounds(9), std::pair(2.0, 8.0));
  EXPECT_EQ(bounds(20), std::pair(6.0, 15.0));
}

// A figure a run, each of as many processes as `deviations` has, these off the figure.
std::vector<HistoryFigures> runs_of(const std::vector<double>& figures,
                                    const std::vector<double>& deviations = {0}) {
  std::vector<HistoryFigures> runs;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    runs.push_back({i, {}});
    for (const double deviation : deviations) runs.back().figures.push_back(figures[i] + deviation);
  }
  return runs;
}

Rule statistical() {
  Rule rule;
  rule.metric_class = MetricClass::statistical;
  return rule;
}

const HistorySeries kSeries{1, "nvidia-h200", "scan/plain/1"};

TEST(TrendOf, FindsAStepAsARatio) {
  std::vector<double> figures;
  for (int i = 0; i < 30; ++i) figures.push_back((i < 18 ? 1000 : 1100) * (1 + 0.001 * (i % 3)));
  const Trend trend = trend_of(kSeries, "time", statistical(), runs_of(figures));
  ASSERT_EQ(trend.changes.size(), 1u);
  EXPECT_EQ(trend.changes[0].kind, TrendChangeKind::step);
  EXPECT_EQ(trend.changes[0].first, 18u);
  EXPECT_NEAR(trend.changes[0].before, 1001, 0.1);
  EXPECT_NEAR(trend.changes[0].after, 1101.1, 0.1);
  EXPECT_TRUE(is_worse(trend, trend.changes[0]));
}

TEST(TrendOf, WhereHigherIsBetterAGainIsNone) {
  Rule rule = statistical();
  rule.better = Better::higher;
  std::vector<double> figures(10, 100);
  figures.insert(figures.end(), 10, 120);
  const Trend trend = trend_of(kSeries, "rate", rule, runs_of(figures));
  ASSERT_EQ(trend.changes.size(), 1u);
  EXPECT_FALSE(is_worse(trend, trend.changes[0]));
}

TEST(TrendOf, WhatTheProcessesDisagreeByIsNoChange) {
  std::vector<double> figures(6, 1000);
  figures.insert(figures.end(), 6, 1010);
  EXPECT_EQ(trend_of(kSeries, "time", statistical(), runs_of(figures, {-1, 0, 1})).changes.size(),
            1u);
  EXPECT_TRUE(
      trend_of(kSeries, "time", statistical(), runs_of(figures, {-30, 0, 30})).changes.empty());
}

TEST(TrendOf, WhatIsFarOffOnceHidesNoStep) {
  // A run, a process of a run, and a process of each run.
  constexpr double kFar = 1e6;
  constexpr std::size_t kOdd = 6;
  std::vector<double> figures(12, 1000);
  figures.insert(figures.end(), 12, 1500);
  for (std::size_t i = 0; i < figures.size(); ++i)
    figures[i] *= 1 + 0.001 * static_cast<double>(i * 7 % 5);
  const auto steps = [&](const std::vector<HistoryFigures>& runs) {
    std::vector<std::size_t> first;
    for (const auto& change : trend_of(kSeries, "time", statistical(), runs).changes) {
      first.push_back(change.first);
    }
    return first;
  };
  const std::vector<HistoryFigures> usual = runs_of(figures, {-1, 0, 1, 2, 0.5});
  const std::vector<std::size_t> one{12};
  EXPECT_EQ(steps(usual), one);

  for (const double odd : {1000 * kFar, 1e300, 1000 / kFar, 0.0, -1.0, HUGE_VAL, std::nan("")}) {
    std::vector<HistoryFigures> runs = usual;
    runs[kOdd].figures.assign(5, odd);
    EXPECT_EQ(steps(runs), one) << odd;
  }
  std::vector<HistoryFigures> runs = usual;
  runs[kOdd].figures = {10, 1000, 1000 * kFar};
  EXPECT_EQ(steps(runs), one);
  runs = usual;
  for (HistoryFigures& run : runs) run.figures[run.run % 5] *= kFar;
  EXPECT_EQ(steps(runs), one);
}

TEST(TrendOf, WhatTheClockCannotTellApartIsNoChange) {
  std::vector<double> figures(6, 1000);
  figures.insert(figures.end(), 6, 1010);
  Rule rule = statistical();
  EXPECT_EQ(trend_of(kSeries, "time", rule, runs_of(figures)).changes.size(), 1u);
  rule.resolution = 32;
  EXPECT_TRUE(trend_of(kSeries, "time", rule, runs_of(figures)).changes.empty());
}

TEST(TrendOf, AnExactMetricChangesWithAnyDifference) {
  Rule rule;
  rule.metric_class = MetricClass::exact;
  const Trend trend = trend_of(kSeries, "loads", rule, runs_of({64, 64, 65, 65, 64}));
  ASSERT_EQ(trend.changes.size(), 2u);
  EXPECT_EQ(trend.changes[0].kind, TrendChangeKind::exact);
  EXPECT_EQ(trend.changes[0].first, 2u);
  EXPECT_FALSE(trend.changes[0].p.has_value());
  EXPECT_TRUE(is_worse(trend, trend.changes[0]));
  EXPECT_EQ(trend.changes[1].first, 4u);
  EXPECT_FALSE(is_worse(trend, trend.changes[1]));
}

TEST(GotWorseWithin, IsOfTheNewestRunsAndOfWhatIsNotWonBack) {
  Rule rule;
  rule.metric_class = MetricClass::exact;
  const auto within = [&](const std::vector<double>& figures, std::size_t runs) {
    const Trend trend = trend_of(kSeries, "loads", rule, runs_of(figures));
    return got_worse_within(trend, figures.size(), runs);
  };
  EXPECT_FALSE(within({64, 64, 64}, 3));
  EXPECT_TRUE(within({64, 65, 65}, 2));
  EXPECT_FALSE(within({64, 65, 65}, 1)) << "the step's first run is the second newest";
  EXPECT_FALSE(within({65, 64, 64}, 3)) << "better";
  EXPECT_FALSE(within({64, 65, 64}, 3)) << "won back";
  EXPECT_TRUE(within({64, 66, 65}, 3)) << "won back in part";
  EXPECT_TRUE(within({70, 64, 65}, 1)) << "earlier gains are no excuse";
  EXPECT_TRUE(within({70, 64, 65}, 3)) << "nor are gains of the same week";
  rule.better = Better::higher;
  EXPECT_TRUE(within({65, 64, 64}, 3));
}

// On how many nights it is red, each with the figures up to then.
int red_nights(std::vector<double> figures, const std::vector<double>& nights) {
  int red = 0;
  for (const double night : nights) {
    // As a clock scatters; drawn anew it would say the same.
    const auto scattered = static_cast<double>(figures.size() * 7 % 5) * 0.001;
    figures.push_back(night * (1 + scattered));
    const Trend trend = trend_of(kSeries, "time", statistical(), runs_of(figures));
    red += got_worse_within(trend, figures.size(), 7) ? 1 : 0;
  }
  return red;
}

std::vector<double> followed_by(std::vector<double> figures, std::size_t count, double figure) {
  figures.insert(figures.end(), count, figure);
  return figures;
}

TEST(GotWorseWithin, AStepThatIsOnlyFoundLateIsRedAllTheSame) {
  const std::vector<double> before = followed_by({}, 24, 1000);
  for (const std::vector<double>& odd :
       {std::vector<double>{1500, 1500, 1000, 1500, 1500, 1000, 1500, 1000},
        {1500, 1000, 1500, 1500, 1000, 1000},
        {1500, 1500, 2200, 1500, 1500, 2200}}) {
    EXPECT_GE(red_nights(before, followed_by(odd, 10, 1500)), 3) << odd[1] << " " << odd[2];
  }
  EXPECT_EQ(red_nights(before, followed_by({1500, 1000, 1500, 1500, 1000, 1000}, 10, 1000)), 0);
}

TEST(GotWorseWithin, AStepThatWasFoundBeforeIsRedNoLonger) {
  std::vector<double> figures;
  for (std::size_t i = 0; i < 24; ++i) {
    figures.push_back((i < 12 ? 1000 : 1100) * (1 + 0.001 * static_cast<double>(i * 7 % 5)));
  }
  EXPECT_EQ(red_nights(figures, followed_by({}, 20, 1100)), 0);
  EXPECT_EQ(red_nights(figures, followed_by({}, 20, 1050)), 0) << "won back in part";
  EXPECT_EQ(red_nights({}, followed_by(followed_by({}, 24, 1000), 20, 1100)), 7);
}

TEST(GotWorseWithin, ADriftCountsAsLongAsItLasts) {
  std::vector<double> figures;
  for (int i = 0; i < 40; ++i) figures.push_back(1000 * std::pow(1.01, i < 10 ? 0 : i - 10));
  const Trend trend = trend_of(kSeries, "time", statistical(), runs_of(figures));
  ASSERT_FALSE(trend.changes.empty());
  EXPECT_TRUE(got_worse_within(trend, figures.size(), 5));
}

TEST(TrendOf, FiguresThatAreNotPositiveHaveNoChange) {
  std::vector<double> figures(10, 0);
  figures.insert(figures.end(), 10, 5);
  EXPECT_TRUE(trend_of(kSeries, "time", statistical(), runs_of(figures)).changes.empty());
}

class HistoryChanges : public InFolder {
 protected:
  // Twenty runs; from the twelfth on scan/plain/1 is slower and loads more, scan/wide/1 is as it
  // was.
  void SetUp() override {
    InFolder::SetUp();
    std::string names;
    for (int run = 0; run < 20; ++run) {
      const bool later = run >= 11;
      const double off = 1 + 0.001 * (run * 7 % 5);
      results::Device device = h200();
      if (later) device.driver = "590.2";
      const double time = (later ? 130'000 : 100'000) * off;
      const std::string name = fmt::format("{}.json", run);
      write(name, results_text(device,
                               {{.id = "scan/plain/1",
                                 .times_ns = {time, time + 32, time - 32},
                                 .counters = {{"global_load_sectors", later ? 65 : 64},
                                              {"not_gated", later ? 2 : 1}}},
                                {.id = "scan/wide/1", .times_ns = {50'000 * off}}},
                               fmt::format("2026-11-{:02}T04:00:00Z", run + 1)));
      names += name + " ";
    }
    const Finished recorded = warpgauge("history record " + names);
    ASSERT_EQ(recorded.status, 0) << recorded.output;
  }
};

TEST_F(HistoryChanges, SaysWhatChangedAtWhichRunAndWhatElseDid) {
  const Finished changes = warpgauge("history changes");
  EXPECT_EQ(changes.status, 0);
  EXPECT_NE(changes.output.find("nvidia-h200: 2 changes in 20 runs of 2 benchmarks\n\n"
                                "run 12, commit abc, measured 2026-11-12 04:00, after abc; also "
                                "driver '580.1' → '590.2'\n\n"),
            std::string::npos)
      << changes.output;
  EXPECT_NE(changes.output.find(
                "exact   worse  scan/plain/1  global_load_sectors        64        65  +1.56 %"),
            std::string::npos)
      << changes.output;
  EXPECT_NE(changes.output.find(
                "step    worse  scan/plain/1  time                 100.2 µs  130.3 µs  +30.1 %"),
            std::string::npos)
      << changes.output;
  EXPECT_EQ(changes.output.find("scan/wide"), std::string::npos) << changes.output;
  EXPECT_EQ(changes.output.find("not_gated"), std::string::npos) << changes.output;
}

TEST_F(HistoryChanges, LooksAtWhatIsAskedFor) {
  EXPECT_NE(warpgauge("history changes --filter wide").output.find("0 changes in 20 runs of 1 "),
            std::string::npos);
  const std::string one = warpgauge("history changes --metric global_load_sectors").output;
  EXPECT_NE(one.find("1 change in 20 runs"), std::string::npos) << one;
  EXPECT_NE(warpgauge("history changes --last 5").output.find("0 changes in 5 runs"),
            std::string::npos);
  EXPECT_EQ(warpgauge("history changes --last 5 --fail-within 9").status, 64);
  EXPECT_EQ(warpgauge("history badge --last 5 --out badge.svg").status, 64);
  EXPECT_EQ(warpgauge("history changes --metric no_such").status, 64);
  EXPECT_EQ(warpgauge("history changes --fail-within 6").status, 0) << "known without them";
  EXPECT_EQ(warpgauge("history changes --fail-within 8").status, 1) << "one run showed nothing";
  const Finished worse = warpgauge("history changes --fail-within 9");
  EXPECT_EQ(worse.status, 1);
  EXPECT_NE(worse.output.find("regressed: worse in the last 9 runs on nvidia-h200: "
                              "time of scan/plain/1\n"),
            std::string::npos)
      << worse.output;
  EXPECT_NE(worse.output.find("no failure, since the gate alone decides on these: worse in the "
                              "last 9 runs on nvidia-h200: global_load_sectors of scan/plain/1\n"),
            std::string::npos)
      << worse.output;
  EXPECT_EQ(warpgauge("history changes --fail-within 9 --filter wide").status, 0);
  EXPECT_EQ(warpgauge("history changes --fail-within 9 --json").status, 1);
  EXPECT_EQ(warpgauge("history changes --fail-within 2").status, 64);
  EXPECT_EQ(warpgauge("history changes --policy no_such.toml").status, 64);
}

TEST_F(HistoryChanges, OfCountersThoseFailThatTheGateNeverLetsPass) {
  const auto status = [&](const std::string& metric) {
    write("policy.toml", fmt::format("[[metric]]\nnames = [\"{}\"]\nclass = \"exact\"\n", metric));
    return warpgauge("history changes --policy policy.toml --fail-within 9").status;
  };
  EXPECT_EQ(status("not_gated"), 1) << "a suite's own";
  EXPECT_EQ(status("global_load_sectors"), 1) << "no clock weighs it, as on the emulator";
  EXPECT_EQ(warpgauge("history changes --fail-within 9 --metric global_load_sectors --json").status,
            0);
}

TEST_F(HistoryChanges, WhereNothingIsLookedAtNothingIsGreen) {
  const auto expect_refused = [&](const std::string& options, const std::string& why) {
    for (const char* command :
         {"changes --fail-within 9", "changes --fail-within 9 --json", "badge --out badge.svg"}) {
      const Finished refused =
          warpgauge("history " + std::string(command) + " --policy policy.toml " + options);
      EXPECT_EQ(refused.status, 4) << command << refused.output;
      EXPECT_NE(refused.output.find(why), std::string::npos) << refused.output;
      EXPECT_FALSE(std::filesystem::exists(folder_ / "badge.svg"));
    }
  };
  const auto policy = [&](const std::string& metric, const std::string& metric_class) {
    write("policy.toml",
          fmt::format("[[metric]]\nnames = [\"{}\"]\nclass = \"{}\"\n", metric, metric_class));
  };
  policy("not_gatd", "exact");
  expect_refused("", "policy.toml:1:1: the policy gates 'not_gatd'");
  policy("not_gated", "exact");
  expect_refused("--filter '^sacn/'", "on nvidia-h200 the policy gates none of these benchmarks");
  policy("not_gated", "shown");
  expect_refused("", "on nvidia-h200 the policy gates none of these benchmarks");
  EXPECT_EQ(warpgauge("history changes --policy policy.toml").status, 0) << "nothing can fail";
}

TEST_F(HistoryChanges, ATrendMarksThem) {
  const Finished trend = warpgauge("history trend scan/plain/1");
  EXPECT_EQ(trend.status, 0);
  const std::size_t mark = trend.output.find("step +30.1 %, worse");
  ASSERT_NE(mark, std::string::npos) << trend.output;
  const std::size_t begin = trend.output.rfind('\n', mark) + 1;
  EXPECT_EQ(trend.output.substr(begin, 5), "   12");
  EXPECT_EQ(trend.output.find("worse", mark + 25), std::string::npos);
}

}  // namespace
}  // namespace warpgauge::ci
