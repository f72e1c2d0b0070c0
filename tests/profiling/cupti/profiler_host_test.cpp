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

// All that the counters are sums of, as far as the chip has it.
std::vector<const char*> metrics_on(const ProfilerHost& host) {
  std::vector<const char*> metrics;
  for (const Counter& counter : kCounters) {
    metrics.push_back(counter.metric);
    if (counter.matrix != nullptr && host.knows(counter.matrix)) metrics.push_back(counter.matrix);
  }
  return metrics;
}

class ChipTest : public testing::TestWithParam<const char*> {};

TEST_P(ChipTest, HasEveryCounter) {
  const ProfilerHost host(GetParam());
  for (const Counter& counter : kCounters) EXPECT_TRUE(host.knows(counter.metric)) << counter.name;
}

// Where a chip lacks the instruction it lacks both metrics, and where it has it, it has both.
TEST_P(ChipTest, HasRequestsAndWavefrontsOfMatrixLoadsAndStores) {
  const ProfilerHost host(GetParam());
  EXPECT_TRUE(host.knows(kCounters[0].matrix) && host.knows(kCounters[1].matrix)) << "ldmatrix";
  EXPECT_EQ(host.knows(kCounters[2].matrix), host.knows(kCounters[3].matrix)) << "stmatrix";
}

TEST_P(ChipTest, SchedulesAllCountersTogether) {
  const ProfilerHost host(GetParam());
  EXPECT_FALSE(host.schedule(metrics_on(host)).empty());
}

std::size_t passes_for(const ProfilerHost& host, bool (*wanted)(std::string_view metric)) {
  std::vector<const char*> metrics;
  for (const char* const metric : metrics_on(host)) {
    if (wanted(metric)) metrics.push_back(metric);
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

TEST_P(ChipTest, CollectsAllCountersInTwoPasses) {
  const ProfilerHost host(GetParam());
  EXPECT_EQ(passes_for(host, [](std::string_view) { return true; }), 2U);
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
