// SPDX-License-Identifier: Apache-2.0
// How often `warpgauge history changes` would end a night red where nothing has changed.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "ci/history/history.hpp"
#include "ci/history/trend.hpp"

namespace warpgauge::ci {
namespace {

// One in a hundred nights at most, as the documentation says of a series.
TEST(GotWorseWithin, WhereNothingChangesANightIsHardlyEverRed) {
  constexpr int kSeriesOfNights = 100;
  constexpr int kNights = 60;
  std::mt19937 random(20261125);
  std::normal_distribution<double> scatter(1, 0.01);
  Rule rule;
  rule.metric_class = MetricClass::statistical;
  int red = 0;
  const HistorySeries series{1, "nvidia-h200", "scan/plain/1"};
  for (int i = 0; i < kSeriesOfNights; ++i) {
    std::vector<HistoryFigures> runs;
    for (int night = 0; night < kNights; ++night) {
      runs.push_back({runs.size(), {1000 * scatter(random)}});
      const Trend trend = trend_of(series, "time", rule, runs);
      red += got_worse_within(trend, runs.size(), 7) ? 1 : 0;
    }
  }
  EXPECT_LE(red, kSeriesOfNights * kNights / 100);
}

}  // namespace
}  // namespace warpgauge::ci
