// SPDX-License-Identifier: Apache-2.0
// Names of metrics and their schedules, for chips that this machine need not have.
#include "profiling/cupti/counters/profiler_host.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "profiling/cupti/counters/counters.hpp"
#include "profiling/cupti/cupti_error.hpp"

namespace warpgauge::cupti {
namespace {

class ChipTest : public testing::TestWithParam<const char*> {};

TEST_P(ChipTest, HasEveryCounter) {
  const ProfilerHost host(GetParam());
  for (const Counter& counter : kCounters) EXPECT_TRUE(host.knows(counter.metric)) << counter.name;
}

TEST_P(ChipTest, SchedulesAllCountersTogether) {
  const ProfilerHost host(GetParam());
  std::vector<const char*> metrics;
  for (const Counter& counter : kCounters) metrics.push_back(counter.metric);
  EXPECT_FALSE(host.schedule(metrics).empty());
}

std::size_t passes_for(const ProfilerHost& host, bool (*wanted)(std::string_view metric)) {
  std::vector<const char*> metrics;
  for (const Counter& counter : kCounters) {
    if (wanted(counter.metric)) metrics.push_back(counter.metric);
  }
  return passes_of(host.schedule(metrics));
}

// Requests and wavefronts of one kernel are then of one and the same execution.
TEST_P(ChipTest, CollectsTheGatedCountersInOnePass) {
  const ProfilerHost host(GetParam());
  EXPECT_EQ(
      passes_for(host,
                 [](std::string_view metric) { return metric.find("__sass_") != metric.npos; }),
      1U);
}

TEST_P(ChipTest, CollectsAllCountersInThreePasses) {
  const ProfilerHost host(GetParam());
  EXPECT_EQ(passes_for(host, [](std::string_view) { return true; }), 3U);
}

INSTANTIATE_TEST_SUITE_P(ProfilerHost, ChipTest,
                         testing::Values("TU102", "GA100", "AD102", "GH100", "GB100"),
                         [](const auto& chip) { return std::string(chip.param); });

TEST(ProfilerHost, DoesNotKnowMisspeltMetrics) {
  const ProfilerHost host("GH100");
  EXPECT_TRUE(host.knows("smsp__inst_executed.sum"));
  EXPECT_FALSE(host.knows("smsp__inst_executed.summ"));
  EXPECT_FALSE(host.knows("smsp__inst_executed")) << "CUPTI collects nothing without a roll-up";
  EXPECT_FALSE(host.knows("smsp__no_such_metric.sum"));
  EXPECT_FALSE(host.knows(""));
}

TEST(ProfilerHost, RefusesAnUnknownChip) { EXPECT_THROW(ProfilerHost("GX999"), CuptiError); }

}  // namespace
}  // namespace warpgauge::cupti
