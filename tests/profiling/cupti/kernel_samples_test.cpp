// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/kernel_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {
namespace {

KernelRecord opening(std::uint64_t start, std::uint64_t end) {
  return {start, end, KernelRole::opening};
}
KernelRecord kernel(std::uint64_t start, std::uint64_t end) { return {start, end}; }

TEST(RoleOf, AFlushAndWhatStandsInForItOpenASample) {
  EXPECT_EQ(role_of("_ZN9warpgauge5cupti18warpgauge_flush_l2EPK5uint4mPj"), KernelRole::opening);
  EXPECT_EQ(role_of("warpgauge::cupti::warpgauge_hold_back(long long)"), KernelRole::opening);
  EXPECT_EQ(role_of("warpgauge::cupti::warpgauge_pause()"), KernelRole::pause);
  EXPECT_EQ(role_of("_ZN9warpgauge5cupti16warpgauge_resumeEv"), KernelRole::resume);
  EXPECT_EQ(role_of("void transpose_tiled<1>(float const*, float*)"), KernelRole::benchmark);
}

TEST(KernelSamples, SumLeavesOutGapsAndSpanCountsThem) {
  const auto samples = group_into_samples({opening(100, 200), kernel(210, 310), kernel(330, 360),
                                           opening(400, 500), kernel(500, 599), kernel(600, 640)},
                                          2);
  const std::vector<KernelSample> expected{{130, 150, 2}, {139, 140, 2}};
  EXPECT_EQ(samples, expected);
}

TEST(KernelSamples, SpanOfOverlappingKernelsEndsWithTheLastToEnd) {
  const auto samples = group_into_samples({opening(10, 20), kernel(30, 100), kernel(40, 60)}, 1);
  EXPECT_EQ(samples, (std::vector<KernelSample>{{90, 70, 2}}));
}

TEST(KernelSamples, OrderOfRecordsDoesNotMatter) {
  std::vector<KernelRecord> records;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::uint64_t start = 1000 * (i + 1);
    records.push_back(opening(start, start + 100));
    records.push_back(kernel(start + 110, start + 120 + i));
    records.push_back(kernel(start + 300, start + 350));
  }
  const auto expected = group_into_samples(records, 50);
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::shuffle(records.begin(), records.end(), std::mt19937(seed));
  EXPECT_EQ(group_into_samples(records, 50), expected);
}

TEST(KernelSamples, ARunWithoutKernelsIsASampleOfNone) {
  const auto samples = group_into_samples({opening(10, 20), opening(30, 40)}, 2);
  EXPECT_EQ(samples, (std::vector<KernelSample>{{}, {}}));
}

TEST(KernelSamples, WhatRunsInAPauseIsLeftOut) {
  const KernelRecord pause{250, 251, KernelRole::pause};
  const KernelRecord resume{330, 331, KernelRole::resume};
  const auto records = without_pauses({kernel(260, 290), opening(100, 200), resume,
                                       kernel(210, 240), opening(300, 320), pause, kernel(321, 329),
                                       opening(400, 500), kernel(501, 541)});
  EXPECT_EQ(group_into_samples(records, 2), (std::vector<KernelSample>{{30, 30, 1}, {40, 40, 1}}));
}

TEST(KernelSamples, EachRunTellsWhatItLaunchedInAnyOrder) {
  const auto of_kind = [](std::uint64_t start, std::size_t launch) {
    return KernelRecord{start, start + 5, KernelRole::benchmark, launch};
  };
  EXPECT_EQ(launches_of_runs({opening(10, 20), of_kind(30, 2), of_kind(40, 1), of_kind(50, 2),
                              opening(60, 70), of_kind(80, 3), opening(90, 95)}),
            (std::vector<std::vector<std::size_t>>{{1, 2, 2}, {3}, {}}));
  EXPECT_TRUE(launches_of_runs({}).empty());
}

TEST(KernelSamples, LostRecordsAreAnError) {
  EXPECT_THROW(static_cast<void>(group_into_samples({opening(10, 20), kernel(21, 25)}, 2)),
               DeviceError);
  EXPECT_THROW(
      static_cast<void>(group_into_samples({opening(10, 20), kernel(21, 25), opening(30, 40)}, 2)),
      DeviceError);
  EXPECT_THROW(static_cast<void>(group_into_samples({kernel(21, 25)}, 0)), DeviceError);
}

TEST(KernelSamples, AKernelBesideTheOpeningIsAnError) {
  EXPECT_THROW(static_cast<void>(group_into_samples({opening(10, 20), kernel(15, 25)}, 1)),
               DeviceError);
  EXPECT_THROW(static_cast<void>(group_into_samples(
                   {opening(10, 20), kernel(20, 50), opening(40, 60), kernel(60, 70)}, 2)),
               DeviceError);
}

TEST(KernelSamples, ARecordWithoutTimestampsIsAnError) {
  EXPECT_THROW(static_cast<void>(group_into_samples({opening(10, 20), kernel(0, 0)}, 1)),
               DeviceError);
  EXPECT_THROW(static_cast<void>(group_into_samples({opening(10, 20), kernel(50, 40)}, 1)),
               DeviceError);
}

}  // namespace
}  // namespace warpgauge::cupti
