// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/roofs.hpp"

#include <gtest/gtest.h>

#include "tests/helpers/sample_verdict.hpp"

namespace warpgauge::ci {
namespace {

results::Session h200_session() {
  results::Session session = sample_session("2026-11-21T04:19:54Z", "590.1");
  session.device.compute_capability = "9.0";
  session.device.multiprocessors = 132;
  session.settings = results::DeviceSettings();
  session.settings->sm_clock_mhz = 1980;
  return session;
}

MetricVerdict figure(const char* name, double after) {
  MetricVerdict metric;
  metric.metric = name;
  metric.after = after;
  return metric;
}

// 33.5 TB/s and 67 TFLOP/s, as NVIDIA's data sheet of the H200 says of the latter.
TEST(Roofs, OfAnH200AreThoseOfItsMaker) {
  const Roofs roofs = roofs_of(h200_session());
  ASSERT_TRUE(roofs.shared_memory && roofs.arithmetic);
  EXPECT_DOUBLE_EQ(roofs.shared_memory->per_second, 132 * 128 * 1.98e9);
  EXPECT_EQ(roofs.shared_memory->from, "132 multiprocessors × 128 B × 1980 MHz");
  EXPECT_NEAR(roofs.arithmetic->per_second, 67e12, 0.2e12);
  EXPECT_EQ(roofs.arithmetic->from, "132 multiprocessors × 128 × 2 × 1980 MHz");
}

TEST(Roofs, AreAbsentWhereTheSessionDoesNotSayEnough) {
  const auto has_none = [](const results::Session& session) {
    const Roofs roofs = roofs_of(session);
    return !roofs.shared_memory && !roofs.arithmetic;
  };
  results::Session session = h200_session();
  session.device.compute_capability = "99.0";
  EXPECT_TRUE(has_none(session));
  session = h200_session();
  session.device.multiprocessors = 0;
  EXPECT_TRUE(has_none(session));
  session = h200_session();
  session.settings->sm_clock_mhz.reset();
  EXPECT_TRUE(has_none(session));
  session.settings.reset();
  EXPECT_TRUE(has_none(session));
}

TEST(Reached, CountsEachWavefrontOfSharedMemoryAndEachOperation) {
  BenchmarkVerdict benchmark;
  benchmark.work.operations = 3'000;
  benchmark.metrics = {figure("time", 2'000), figure("shared_load_wavefronts", 1'000),
                       figure("shared_store_wavefronts", 500),
                       figure("shared_atomic_wavefronts", 250), figure("global_load_sectors", 9)};
  const Reached all = reached(benchmark);
  EXPECT_DOUBLE_EQ(all.shared_bytes_per_second.value_or(0), 1'750 * 128 / 2e-6);
  EXPECT_DOUBLE_EQ(all.operations_per_second.value_or(0), 3'000 / 2e-6);
}

// Of a first run there is no metric.
TEST(Reached, KnowsTheTimeOfWhatHasNothingToCompareWith) {
  BenchmarkVerdict benchmark;
  benchmark.work = {.bytes_read = 600, .bytes_written = 400, .operations = 3'000};
  benchmark.achieved.emplace().bytes_per_second = 1e9;
  EXPECT_DOUBLE_EQ(reached(benchmark).operations_per_second.value_or(0), 3'000 / 1e-6);
}

TEST(Reached, IsAbsentWithoutTimeOrCounts) {
  BenchmarkVerdict benchmark;
  benchmark.work.operations = 3'000;
  benchmark.metrics = {figure("shared_load_wavefronts", 1'000)};
  EXPECT_FALSE(reached(benchmark).shared_bytes_per_second);
  EXPECT_FALSE(reached(benchmark).operations_per_second);
  benchmark.metrics = {figure("time", 2'000), figure("shared_load_wavefronts", 0)};
  benchmark.work.operations = 0;
  EXPECT_FALSE(reached(benchmark).shared_bytes_per_second);
  EXPECT_FALSE(reached(benchmark).operations_per_second);
}

}  // namespace
}  // namespace warpgauge::ci
