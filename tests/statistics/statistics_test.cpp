// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/suite_model.hpp"
#include "tests/statistics/laboratory.hpp"

namespace warpgauge::ci {
namespace {

TEST(Statistics, ARealSlowdownIsAlwaysSeen) {
  Laboratory laboratory;
  for (int run = 0; run < 200; ++run) {
    const Tally tally = compare_suites(laboratory, 20, 1, 1.04, 0.02);
    ASSERT_EQ(tally.greater, 20);
  }
}

TEST(Statistics, ARealGainIsSeenToo) {
  Laboratory laboratory;
  EXPECT_EQ(compare_suites(laboratory, 20, 1, 0.95, 0.02).less, 20);
}

TEST(Statistics, WhereBenchmarksAreAlikeTheSuiteTellsTheSpreadOfEach) {
  Laboratory laboratory;
  laboratory.between_processes = 0.0005;
  laboratory.between_sessions = 0.01;
  std::vector<SessionSpread> spreads;
  for (int i = 0; i < 2'000; ++i) {
    spreads.push_back(spread_between(laboratory.sessions(3)));
  }
  const auto variance = [](const SessionSpread& each) { return each.variance; };
  const auto moderated = moderate(spreads, {.variance = 1}, Says::each);
  std::vector<double> drawn;
  std::transform(moderated.begin(), moderated.end(), std::back_inserter(drawn), variance);
  EXPECT_NEAR(std::sqrt(mean_of(drawn)), 0.01, 0.0004)
      << "what is usual says as much as two of them";
  for (const SessionSpread& spread : moderated) {
    EXPECT_NEAR(std::sqrt(spread.variance), 0.01, 0.004);
    EXPECT_EQ(spread.degrees_of_freedom, 22) << "no more certain than was measured";
  }
  // All moved by the same machines, they are one.
  EXPECT_GT(moderate(spreads, {.variance = 1}, Says::as_one)[0].variance, 0.01);
  // More than usual is not talked down.
  EXPECT_GT(moderate(spreads, {.variance = 1e-8}, Says::as_one)[0].variance, 0.5e-4);
}

TEST(Statistics, WhereBenchmarksDifferEachKeepsSomeOfItsOwnSpread) {
  Laboratory steady;
  steady.between_processes = steady.between_sessions = 0.0004;
  Laboratory wild;
  wild.between_sessions = 0.05;
  std::vector<SessionSpread> spreads;
  for (int i = 0; i < 40; ++i) {
    spreads.push_back(spread_between((i % 2 == 0 ? steady : wild).sessions(7)));
  }
  const auto moderated = moderate(spreads, {.variance = 1e-5}, Says::each);
  for (std::size_t i = 0; i < moderated.size(); ++i) {
    EXPECT_EQ(moderated[i].degrees_of_freedom, 6 + 8) << "no less certain than was measured";
    const double deviation = std::sqrt(moderated[i].variance);
    if (i % 2 == 0) {
      EXPECT_LT(deviation, 0.012) << "drawn up by the wild ones";
    } else {
      EXPECT_GT(deviation, 0.012) << "drawn down by the steady ones";
    }
  }
}

TEST(Statistics, FewSessionsSayLittleAndWhatIsUsualTheRest) {
  const Usual usual{.variance = 1e-4};
  const auto of_one = [&](SessionSpread own) {
    return moderate(std::vector<SessionSpread>{own}, usual, Says::each)[0];
  };
  EXPECT_EQ(of_one({}).variance, usual.variance);
  EXPECT_EQ(of_one({}).degrees_of_freedom, usual.fewest_degrees);
  // Two sessions that agree by chance: a variance hardly above 0, that many times less than usual.
  EXPECT_GT(of_one({1e-10, 1}).variance, usual.variance / 8);
  EXPECT_LT(of_one({1e-10, 40}).variance, usual.variance / 8);
}

// As limma's squeezeVar(c(1, 2, 4, 8), df = 4) does it: the logarithms scatter by 0.8007, which is
// 0.1558 more than four degrees of freedom explain.
TEST(Statistics, ModeratesAsPublished) {
  const std::vector<SessionSpread> spreads{{1, 4}, {2, 4}, {4, 4}, {8, 4}};
  // What is usual says next to nothing here.
  const Usual usual{.variance = 1, .fewest_degrees = 1e-3, .most_degrees = 1e6};
  const auto moderated = moderate(spreads, usual, Says::each);
  const double excess = 0.800755 - 0.644934;
  const double prior = moderated[0].degrees_of_freedom - 4;
  // Asymptotically trigamma(x) = 1/x + 1/2x² + 1/6x³, here good to 1e-6.
  const double x = prior / 2;
  EXPECT_NEAR(1 / x + 1 / (2 * x * x) + 1 / (6 * x * x * x), excess, 2e-5);
  // Each is a weighted mean of its own and one common variance.
  const double common = (moderated[0].variance * (prior + 4) - 4 * 1) / prior;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(moderated[i].variance, (prior * common + 4 * spreads[i].variance) / (prior + 4),
                1e-9);
  }
  // exp(mean of the logarithms − digamma(2) + log 2 + digamma(x) − log x) at x = 6.93.
  EXPECT_NEAR(common, std::exp(1.0397 - 0.4228 + 0.6931 + 1.8622 - 1.9359), 0.01);
}

TEST(Statistics, ABenchmarkWithoutSessionsTakesTheSpreadOfItsSuite) {
  const std::vector<SessionSpread> spreads{{4e-6, 6}, {4e-6, 6}, {0, 0}};
  const auto moderated = moderate(spreads, {.variance = 4e-6}, Says::each);
  EXPECT_GT(moderated[2].variance, 3e-6);
  EXPECT_GT(moderated[2].degrees_of_freedom, 6);
}

TEST(Statistics, OfASuiteWithoutSessionsWhatIsUsualIsAssumed) {
  const std::vector<SessionSpread> spreads{{0, 0}, {0, 0}};
  const auto moderated = moderate(spreads, {.variance = 2}, Says::each);
  EXPECT_EQ(moderated[1].degrees_of_freedom, 8);
  EXPECT_EQ(moderated[1].variance, 2);
  EXPECT_TRUE(moderate({}, {.variance = 2}, Says::each).empty());
}

TEST(Statistics, SessionsThatAgreeByChanceAreNotKnownBetterThanTheirProcesses) {
  const std::vector<ProcessFigures> sessions{{90, 100, 110}, {90, 100, 110}, {90, 100, 110}};
  EXPECT_EQ(spread_between(sessions).variance, 0);
  const std::span<const ProcessFigures> one[] = {sessions};
  EXPECT_NEAR(least_spread(one, 0).spread.variance, 0.01 / 3, 1e-12);
  EXPECT_FALSE(least_spread(one, 0).by_clock);
  EXPECT_NEAR(least_spread(one, 60).spread.variance, 60.0 * 60 / 12 / 1e4, 1e-12);
  EXPECT_TRUE(least_spread(one, 60).by_clock);
  std::vector<TwoSides> suite(1);
  suite[0].before = suite[0].after = sessions;
  EXPECT_NEAR(estimate_suite(suite, kAlpha)[0].spread.variance, 0.8 * 2.56 * 0.01 / 3, 1e-12)
      << "two degrees say 0, eight what is usual";
}

TEST(Statistics, OneSessionSaysNothingOfTheSpreadBetweenSessions) {
  Laboratory laboratory;
  const SessionSpread spread = spread_between(laboratory.sessions(1));
  EXPECT_EQ(spread.variance, 0);
  EXPECT_EQ(spread.degrees_of_freedom, 0);
}

// A kernel of 1.9 µs whose figures stick to the clock's steps of 32 ns: without the resolution a
// shift by one step would be certain.
TEST(Statistics, OneStepOfTheClockIsNoDifference) {
  const std::vector<ProcessFigures> before{{1888, 1888, 1888, 1888, 1888}};
  const std::vector<ProcessFigures> after{{1920, 1920, 1920, 1920, 1920}};
  const Estimate estimate =
      compare_means(before, after, {}, {.beta = kAlpha, .absolute_floor = 64, .resolution = 32});
  EXPECT_GT(estimate.p_greater, 0.001);
  EXPECT_EQ(classify(estimate, kAlpha), Shift::none);
  EXPECT_LT(compare_means(before, after, {}, {.beta = kAlpha}).p_greater, 1e-9);

  const std::vector<ProcessFigures> slower{{1984, 1984, 1984, 1984, 1984}};
  EXPECT_EQ(classify(compare_means(before, slower, {},
                                   {.beta = kAlpha, .absolute_floor = 64, .resolution = 32}),
                     kAlpha),
            Shift::greater);
}

TEST(Statistics, TooMuchNoiseIsUnclearRatherThanSame) {
  const std::vector<ProcessFigures> before{{100, 130, 90, 110, 105}};
  const std::vector<ProcessFigures> after{{101, 128, 92, 113, 102}};
  EXPECT_EQ(
      classify(compare_means(before, after, {}, {.beta = kAlpha, .relative_floor = 0.02}), kAlpha),
      Shift::unclear);
}

TEST(Statistics, FiguresWithoutAnySpreadDifferIfTheyDiffer) {
  const std::vector<ProcessFigures> before{{100, 100}};
  const std::vector<ProcessFigures> after{{110, 110}};
  EXPECT_EQ(
      classify(compare_means(before, after, {}, {.beta = kAlpha, .relative_floor = 0.02}), kAlpha),
      Shift::greater);
  EXPECT_EQ(
      classify(compare_means(before, before, {}, {.beta = kAlpha, .relative_floor = 0.02}), kAlpha),
      Shift::none);
}

TEST(Statistics, WelchsIntervalAgreesWithAReference) {
  // Worked out apart from this code, by the formulas of Welch's test on the relative spreads and
  // numerical integration of the density: t = 3.529834, df = 5.711339.
  const std::vector<ProcessFigures> before{{10.0, 10.2, 9.9, 10.1, 9.8}};
  const std::vector<ProcessFigures> after{{10.6, 10.9, 10.2, 11.0, 10.3}};
  const Estimate estimate = compare_means(before, after, {}, {.beta = kAlpha});
  EXPECT_NEAR(estimate.ratio, 1.06, 1e-12);
  EXPECT_NEAR(estimate.p_greater, 0.0067115, 1e-6);
}

// Two noisy processes a side say little of far shifts, however well the sessions are known: the
// sessions' interval is the wider one at beta, the processes' tail the heavier one at alpha.
TEST(Statistics, ThePValueIsThatOfTheLessCertainSpreadWhateverTheInterval) {
  const std::vector<ProcessFigures> before{{99, 101}};
  const std::vector<ProcessFigures> after{{109, 111}};
  const Estimate of_processes = compare_means(before, after, {}, {.beta = 0.05});
  const SessionSpread sessions{0.02 * 0.02, 1e6};
  const Estimate of_both = compare_means(before, after, sessions, {.beta = 0.05});
  EXPECT_LT(of_both.low, of_processes.low);
  EXPECT_GT(of_processes.p_greater, 0.005);
  EXPECT_EQ(of_both.p_greater, of_processes.p_greater);
}

TEST(Statistics, MoreProcessesHelpUnlessSessionsOrDevicesAreWhatIsNotKnown) {
  const auto limited = [](std::size_t sessions, double device_variance) {
    const std::vector<ProcessFigures> before(sessions, {99, 101});
    const std::vector<ProcessFigures> after{{99, 101}};
    return compare_means(before, after, {0.02 * 0.02, 1e6},
                         {.beta = 0.05, .device_variance = device_variance})
        .limited_by_sessions;
  };
  EXPECT_FALSE(limited(1, 0));
  EXPECT_TRUE(limited(1, 0.01));
  EXPECT_TRUE(limited(2, 0));
}

TEST(Statistics, OneFigureASideIsRefused) {
  const std::vector<ProcessFigures> one{{100}};
  const std::vector<ProcessFigures> two{{100, 101}};
  EXPECT_THROW((void)compare_means(one, two, {}, {.beta = kAlpha}), std::invalid_argument);
  EXPECT_THROW((void)compare_means(two, one, {}, {.beta = kAlpha}), std::invalid_argument);
}

TEST(Statistics, AFigureThatIsNotPositiveIsRefused) {
  const std::vector<ProcessFigures> good{{100, 101}};
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    const std::vector<ProcessFigures> figures{{100, bad}};
    EXPECT_THROW((void)compare_means(figures, good, {}, {.beta = kAlpha}), std::invalid_argument)
        << bad;
  }
}

TEST(Statistics, HolmAdjustsAsPublished) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  const std::vector<double> adjusted = holm(p);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);  // never below a smaller p's
  EXPECT_TRUE(holm({}).empty());
}

std::vector<Estimate> moved(int up, int unclear, int down) {
  std::vector<Estimate> suite;
  for (int i = 0; i < up; ++i) {
    suite.push_back({.ratio = 1.02 + 0.01 * i, .low = 1.001, .high = 1.2});
  }
  for (int i = 0; i < unclear; ++i) suite.push_back({.ratio = 1, .low = 0.99, .high = 1.01});
  for (int i = 0; i < down; ++i) suite.push_back({.ratio = 0.98, .low = 0.97, .high = 0.999});
  return suite;
}

TEST(Statistics, MostOfASuiteMovingOneWayIsSeen) {
  const auto up = common_shift(moved(6, 2, 1));
  ASSERT_TRUE(up);
  EXPECT_TRUE(up->greater);
  EXPECT_EQ(up->moved, 6u);
  EXPECT_NEAR(up->median_ratio, 1.03, 1e-12);  // 0.98 1 1 1.02 [1.03] 1.04 …
  EXPECT_NEAR(common_shift(moved(6, 2, 0))->median_ratio, 1.035, 1e-12);
  const auto down = common_shift(moved(0, 2, 5));
  ASSERT_TRUE(down);
  EXPECT_FALSE(down->greater);
}

TEST(Statistics, FewOrTornBenchmarksAreNoCommonShift) {
  EXPECT_FALSE(common_shift({}));
  for (const double leaning : {0.995, 1.005}) {
    const std::vector<Estimate> unsure(9, {.ratio = leaning, .low = 0.99, .high = 1.01});
    EXPECT_FALSE(common_shift(unsure)) << "within their own uncertainty";
  }
  EXPECT_FALSE(common_shift(moved(4, 0, 0)));
  EXPECT_TRUE(common_shift(moved(5, 0, 0)));
  EXPECT_TRUE(common_shift(moved(6, 3, 0)));
  EXPECT_FALSE(common_shift(moved(6, 4, 0)));
  EXPECT_FALSE(common_shift(moved(6, 2, 2)));
  EXPECT_FALSE(common_shift(moved(6, 0, 6)));
}

}  // namespace
}  // namespace warpgauge::ci
