// SPDX-License-Identifier: Apache-2.0
// Lanes that meet, reductions of groups, and copies that groups and pipelines make.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/profiling/emulator/counting.hpp"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/group_kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

std::string group_line(const std::string& comment) {
  return find_line("tests/profiling/emulator/group_kernels.cuh", comment);
}

TEST(ActiveMask, IsOfTheLanesThatComeToOnePlace) {
  const DeviceBuffer<unsigned> out(128);
  EXPECT_EQ(join(run(active_masks, dim3(1), dim3(32), out.data()).errors), "");
  const std::vector<unsigned> result = out.to_host();
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result[lane], 0xffffffffU);
    EXPECT_EQ(result[32 + lane], lane % 3 == 0 ? 0x49249249U : ~0x49249249U);
    EXPECT_EQ(result[64 + lane], 0xffffffffU << lane) << "those with as many turns or more";
    if (lane < 5) {
      EXPECT_EQ(result[96 + lane], 0x1fU);
    }
  }
}

TEST(ActiveMask, KnowsOnlyLanesThatAreThere) {
  const DeviceBuffer<unsigned> out(128);
  EXPECT_EQ(join(run(active_masks, dim3(1), dim3(20), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[3], 0xfffffU);
}

TEST(CoalescedGroup, AddsForAllItsLanes) {
  std::vector<int> values(64, 1);
  for (const std::size_t i : {0U, 3U, 40U}) values[i] = 0;
  const DeviceBuffer<int> in(values);
  const DeviceBuffer<unsigned> count(std::vector<unsigned>{0});
  const DeviceBuffer<unsigned> places(std::vector<unsigned>(64, 99));
  const Observation observation =
      run(count_together, dim3(1), dim3(64), in.data(), count.data(), places.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(count.to_host()[0], 61U);
  EXPECT_EQ(sum(observation, Access::global_atomic).requests, 2U) << "one a warp";
  std::vector<unsigned> taken = places.to_host();
  std::sort(taken.begin(), taken.end());
  for (unsigned i = 0; i < 61; ++i) EXPECT_EQ(taken[i], i);
}

TEST(CoalescedGroup, RanksItsLanes) {
  const DeviceBuffer<unsigned> out(160);
  EXPECT_EQ(join(run(coalesced, dim3(1), dim3(32), out.data()).errors), "");
  const std::vector<unsigned> result = out.to_host();
  for (unsigned lane = 1; lane < 32; lane += 2) {
    EXPECT_EQ(result[lane], std::min(lane + 2, 31U));
    EXPECT_EQ(result[32 + lane], lane < 4 ? lane : lane - 4);
    EXPECT_EQ(result[64 + lane], 0xff00U);
    EXPECT_EQ(result[96 + lane], 1U);
    EXPECT_EQ(result[128 + lane], 256U);
  }
}

TEST(Reduce, GivesAllThreadsOfATileTheResult) {
  std::vector<double> values(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<double>(i * i % 37) - 9;
  const DeviceBuffer<double> in(values);
  const DeviceBuffer<double> out(256);
  EXPECT_EQ(join(run(reductions, dim3(1), dim3(64), in.data(), out.data()).errors), "");
  const std::vector<double> result = out.to_host();
  for (std::size_t thread = 0; thread < 64; ++thread) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(thread / 16 * 16);
    const auto [least, greatest] = std::minmax_element(first, first + 16);
    EXPECT_EQ(result[thread], std::accumulate(first, first + 16, 0.0));
    EXPECT_EQ(result[64 + thread], *least);
    EXPECT_EQ(result[128 + thread], static_cast<double>(thread / 16 * 16 + 15));
    EXPECT_EQ(result[192 + thread], *greatest - *least);
  }
}

TEST(GroupCopies, TakeTheWidestPiecesThatFit) {
  const DeviceBuffer<float> in(counting(512));
  const DeviceBuffer<float> out(512);
  const auto copy = [&](unsigned count, unsigned skip) {
    const Observation observation =
        run(copy_by_group, dim3(1), dim3(64), in.data(), out.data(), count, skip);
    EXPECT_EQ(join(observation.errors), "");
    const std::vector<float> result = out.to_host();
    for (unsigned i = 0; i < count; ++i) EXPECT_EQ(result[i], static_cast<float>(skip + count - i));
    return sum(observation, Access::global_load);
  };
  EXPECT_EQ(copy(256, 0), (Sums{2, 32, 32}));
  EXPECT_EQ(copy(128, 0), (Sums{1, 16, 16}));
  EXPECT_EQ(copy(3, 0), (Sums{2, 2, 2})) << "8 bytes and 4";
  EXPECT_EQ(copy(64, 1).requests, 2U) << "by the word";
}

TEST(GroupCopies, MustBeWaitedFor) {
  const DeviceBuffer<float> in(counting(128));
  const DeviceBuffer<float> out(64);
  const Observation observation = run(copy_two_by_group, dim3(1), dim3(64), in.data(), out.data());
  EXPECT_EQ(observation.errors.size(), 1U) << join(observation.errors);
  expect_error(observation, {"asynchronous copy not waited for", group_line("group: too early")});
}

void expect_sums_by(void (*kernel)(const float*, float*, int)) {
  const DeviceBuffer<float> in(counting(64 * 5));
  const DeviceBuffer<float> out(64);
  const Observation observation = run(kernel, dim3(1), dim3(64), in.data(), out.data(), 5);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[10], 5 * 54 + 64 * 10);
}

TEST(Pipeline, OfAThreadFillsStagesAhead) { expect_sums_by(sum_by_thread_pipeline); }

TEST(Pipeline, OfAThreadIsNotReleased) { expect_sums_by(sum_by_one_stage); }

TEST(Pipeline, OfABlockOrdersItsThreads) { expect_sums_by(sum_by_block_pipeline); }

TEST(Pipeline, MustBeWaitedFor) {
  const DeviceBuffer<float> in(counting(64));
  const DeviceBuffer<float> out(64);
  expect_error(run(read_before_consumer_wait, dim3(1), dim3(64), in.data(), out.data()),
               {"asynchronous copy not waited for", group_line("pipeline: too early")});
}

TEST(CudaBarrier, WaitsForTheBlocksCopies) {
  const DeviceBuffer<float> in(counting(64));
  const DeviceBuffer<float> out(64);
  EXPECT_EQ(join(run(copy_by_barrier, dim3(1), dim3(64), in.data(), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[0], 64);
}

}  // namespace
}  // namespace warpgauge::emulator
