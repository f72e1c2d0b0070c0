// SPDX-License-Identifier: Apache-2.0
// Cooperative launches and groups: blocks wait for each other, and never for ever.
#include <vector>

#include "tests/profiling/emulator/cooperative_kernels.cuh"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

std::string grid_line(const std::string& comment) {
  return find_line("tests/profiling/emulator/cooperative_kernels.cuh", comment);
}

template <class... Parameters, class... Arguments>
cudaError_t launch_cooperative(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                               Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <class... Parameters, class... Arguments>
Observation run_cooperative(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                            Arguments... arguments) {
  return observe(
      [&] { EXPECT_EQ(launch_cooperative(kernel, grid, block, arguments...), cudaSuccess); });
}

TEST(GridBarrier, LetsBlocksHandOverAndKeepTheirSharedMemory) {
  const DeviceBuffer<int> words(5);
  const Observation observation = run_cooperative(pass_around, dim3(5), dim3(64), words.data(), 3);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.barriers, 5U * 3 * 3);
  EXPECT_EQ(words.to_host(), (std::vector<int>{5, 6, 7, 3, 4}));
}

TEST(GridGroup, KnowsRanksAndWhetherItsBlocksCanWait) {
  for (const bool cooperative : {true, false}) {
    const DeviceBuffer<unsigned long long> out(4 * 3 * 2 * 40);
    const Observation observation = observe([&] {
      const dim3 grid(3, 2);
      const dim3 block(20, 2);
      if (cooperative) {
        launch_cooperative(grid_ranks, grid, block, out.data());
      } else {
        launch(grid_ranks, grid, block, out.data());
      }
    });
    EXPECT_EQ(join(observation.errors), "");
    const auto result = out.to_host();
    for (std::size_t thread = 0; thread < 240; ++thread) {
      EXPECT_EQ(result[4 * thread], 240U);
      EXPECT_EQ(result[4 * thread + 1], 6U);
      EXPECT_EQ(result[4 * thread + 2], thread / 40);
      EXPECT_EQ(result[4 * thread + 3], cooperative ? 1U : 0U);
    }
  }
}

TEST(CooperativeLaunch, IsTheSameFromRunToRunOnAnyNumberOfThreads) {
  const DeviceBuffer<unsigned> order(3 * 16);
  std::vector<unsigned> expected;
  for (unsigned ticket = 0; ticket < 3 * 16; ++ticket) expected.push_back(ticket);
  std::vector<SourceLine> lines;
  for (const unsigned threads : {1U, 2U, 4U, 16U}) {
    const DeviceBuffer<unsigned> next(std::vector<unsigned>{0});
    const Observation observation = observe(
        [&] {
          launch_cooperative(tickets_in_rounds, dim3(16), dim3(32), next.data(), order.data());
        },
        {.threads = threads});
    EXPECT_EQ(join(observation.errors), "");
    EXPECT_EQ(order.to_host(), expected);
    if (lines.empty()) lines = observation.lines;
    EXPECT_EQ(observation.lines, lines);
  }
}

TEST(CooperativeLaunch, LetsBlocksWaitForEachOtherThroughMemory) {
  const DeviceBuffer<unsigned> arrived(std::vector<unsigned>{0});
  const DeviceBuffer<int> out(16);
  const Observation observation =
      run_cooperative(wait_by_atomics, dim3(16), dim3(32), arrived.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host(), std::vector<int>(16, 1));
}

TEST(CooperativeLaunch, TakesPointersToArguments) {
  const DeviceBuffer<int> words(4);
  int* pointer = words.data();
  int rounds = 1;
  void* arguments[] = {&pointer, &rounds};
  EXPECT_EQ(cudaLaunchCooperativeKernel(pass_around, dim3(4), dim3(32), arguments), cudaSuccess);
  EXPECT_EQ(words.to_host(), (std::vector<int>{4, 1, 2, 3}));
}

TEST(CooperativeLaunch, OfMoreBlocksThanTheDeviceHoldsIsRefused) {
  int multiprocessors = 0;
  int blocks = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
            cudaSuccess);
  EXPECT_EQ(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sync_whatever_the_launch, 1024, 0),
      cudaSuccess);
  EXPECT_EQ(blocks, 2);
  const auto most = static_cast<unsigned>(multiprocessors * blocks);
  EXPECT_EQ(launch_cooperative(sync_whatever_the_launch, dim3(most), dim3(1024)), cudaSuccess);
  EXPECT_EQ(launch_cooperative(sync_whatever_the_launch, dim3(most + 1), dim3(1024)),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
}

TEST(GridBarrier, WithoutACooperativeLaunchIsAnError) {
  expect_error(
      run(sync_whatever_the_launch, dim3(2), dim3(32)),
      {"barrier of the grid without a cooperative launch", "kernel sync_whatever_the_launch",
       "block (0,0,0), thread (0,0,0)", grid_line("grid: sync")});
}

TEST(GridBarrier, ThatABlockNeverReachesIsAnError) {
  for (const unsigned gone : {0U, 1U, 3U}) {
    const Observation observation = run_cooperative(desert, dim3(4), dim3(64), gone);
    ASSERT_EQ(observation.errors.size(), 1U);
    const std::string waiting = gone == 0 ? "block (1,0,0)" : "block (0,0,0)";
    expect_error(observation, {"barrier of the grid that some blocks do not reach: kernel desert",
                               waiting + " waits", grid_line("desert: sync"),
                               "block (" + std::to_string(gone) + ",0,0) has returned"});
  }
}

TEST(GridBarrier, ThatAThreadOfABlockNeverReachesIsAnError) {
  expect_error(run_cooperative(desert_in_block, dim3(3), dim3(64)),
               {"exit before a barrier of the grid", "block (0,0,0)",
                grid_line("desert in block: sync"), "thread (7,0,0)"});
}

TEST(GridBarrier, DoesNotMeetTheBarrierOfABlock) {
  expect_error(run_cooperative(mixed_barriers, dim3(2), dim3(32)),
               {"divergent barrier", grid_line("mixed: block"), grid_line("mixed: grid")});
}

TEST(GridBarrier, IsNotHeldUpByABlockThatFails) {
  const DeviceBuffer<float> out(4);
  for (const unsigned block : {0U, 2U, 3U}) {
    const Observation observation =
        run_cooperative(fault_before_sync, dim3(4), dim3(32), out.data(), block);
    ASSERT_EQ(observation.errors.size(), 1U);
    expect_error(observation, {"invalid address", "block (" + std::to_string(block) + ",0,0)",
                               grid_line("fault: write")});
  }
  EXPECT_EQ(join(run_cooperative(fault_before_sync, dim3(4), dim3(32), out.data(), 9U).errors), "");
}

TEST(BlockGroup, KnowsRanksAndWaits) {
  const DeviceBuffer<unsigned> out(64);
  const Observation observation = run(block_ranks, dim3(1), dim3(32, 2), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.barriers, 1U);
  const std::vector<unsigned> result = out.to_host();
  for (unsigned thread = 0; thread < 64; ++thread) {
    EXPECT_EQ(result[thread], 63 - thread + 100 * (thread / 32) + 2000);
  }
}

TEST(Tiles, GiveEachThreadItsAnswer) {
  const DeviceBuffer<unsigned> out(512);
  EXPECT_EQ(join(run(tiles, dim3(1), dim3(64), out.data()).errors), "");
  const std::vector<unsigned> result = out.to_host();
  for (unsigned thread = 0; thread < 64; ++thread) {
    const unsigned rank = thread % 8;
    const unsigned first = thread - rank;
    EXPECT_EQ(result[thread], rank + 80 + 100 * (thread / 8) + 80000);
    EXPECT_EQ(result[64 + thread], thread % 4 + 100 * (thread / 4 % 2) + 20000);
    EXPECT_EQ(result[128 + thread], first + 3);
    EXPECT_EQ(result[192 + thread], rank + 2 < 8 ? thread + 2 : thread);
    EXPECT_EQ(result[256 + thread], rank >= 2 ? thread - 2 : thread);
    EXPECT_EQ(result[320 + thread], thread ^ 1);
    unsigned ballot = 0;
    for (unsigned i = 0; i < 8; ++i) ballot |= ((first + i) % 3 == 0 ? 1U : 0U) << i;
    EXPECT_EQ(result[384 + thread], ballot);
    EXPECT_EQ(result[448 + thread], (first == 16 ? 1U : 0U) + (thread >= 16 ? 2U : 0U));
  }
}

TEST(Tiles, OrderWhatTheirThreadsDo) {
  const DeviceBuffer<float> out(32);
  EXPECT_EQ(join(run(tile_barrier, dim3(1), dim3(32), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[6], 7.0F);
}

}  // namespace
}  // namespace warpgauge::emulator
