// SPDX-License-Identifier: Apache-2.0
// Groups known when the kernel runs, scans, and warp operations without a mask.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

namespace cg = cooperative_groups;

// As programs that take any group do.
__device__ int sum_over(const cg::thread_group& group, int* room, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    room[rank] = value;
    group.sync();
    if (rank < half) value += room[rank + half];
    group.sync();
  }
  return value;
}

__global__ void sums(int* of_block, int* of_tiles, unsigned tile_size) {
  __shared__ int room[128];
  const cg::thread_block block = cg::this_thread_block();
  const int total = sum_over(block, room, static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0) *of_block = total;
  block.sync();
  const cg::thread_group tile = cg::tiled_partition(block, tile_size);
  const unsigned first = threadIdx.x / tile_size * tile_size;
  const int part = sum_over(tile, room + first, static_cast<int>(threadIdx.x));
  if (tile.thread_rank() == 0) of_tiles[threadIdx.x / tile_size] = part;
}

TEST(ThreadGroups, AreTheBlockOrTilesOfIt) {
  const DeviceBuffer<int> of_block(1);
  const DeviceBuffer<int> of_tiles(16);
  const Observation did = run(sums, 1, 128, of_block.data(), of_tiles.data(), 8U);
  EXPECT_EQ(did.errors, std::vector<std::string>());
  EXPECT_EQ(of_block.to_host()[0], 127 * 128 / 2);
  for (int tile = 0; tile < 16; ++tile) EXPECT_EQ(of_tiles.to_host()[tile], 64 * tile + 28);
}

// Of the block, or of lanes of a warp.
__global__ void ask_for_tiles(unsigned size, bool of_lanes) {
  const cg::thread_block block = cg::this_thread_block();
  if (of_lanes) {
    cg::tiled_partition(cg::coalesced_threads(), size).sync();
  } else {
    cg::tiled_partition(block, size).sync();  // tiles: of no such size
  }
}

TEST(ThreadGroups, HaveTilesOfTheSizesThatCudaHas) {
  for (const bool of_lanes : {false, true}) {
    EXPECT_EQ(join(run(ask_for_tiles, 1, 128, 32U, of_lanes).errors), "");
    for (const unsigned size : {0U, 24U, 64U}) {
      expect_error(run(ask_for_tiles, 1, 128, size, of_lanes),
                   {"tiled_partition(group, size) where CUDA ends the kernel"});
    }
  }
  expect_error(run(ask_for_tiles, 1, 128, 64U, false), {own_line("tiles: of no such size")});
}

template <class T>
__global__ void reduce_tile(T* out) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const T value = static_cast<T>(static_cast<int>(threadIdx.x) - 3);
  const T sum = cg::reduce(tile, value, cg::plus<T>());
  const T least = cg::reduce(tile, value, cg::less<T>());
  const T greatest = cg::reduce(tile, value, cg::greater<T>());
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = least;
    out[2] = greatest;
  }
}

// As in the CUDA sample `reduction`: nvcc has one instruction for integers, which takes those that
// are there, and shuffles for other numbers.
TEST(ThreadGroups, ReduceIntegersOfATileThatTheBlockDoesNotFill) {
  const DeviceBuffer<int> integers(3);
  EXPECT_EQ(join(run(reduce_tile<int>, 1, 8, integers.data()).errors), "");
  EXPECT_EQ(integers.to_host(), (std::vector<int>{4, -3, 4}));
  const DeviceBuffer<signed char> small(3);
  EXPECT_EQ(join(run(reduce_tile<signed char>, 1, 8, small.data()).errors), "");
  EXPECT_EQ(small.to_host(), (std::vector<signed char>{4, -3, 4}));
  const DeviceBuffer<float> floats(3);
  expect_error(run(reduce_tile<float>, 1, 8, floats.data()),
               {"shuffle with an absent lane", "reads from lane 16"});
  EXPECT_EQ(join(run(reduce_tile<float>, 1, 32, floats.data()).errors), "");
  EXPECT_EQ(floats.to_host(), (std::vector<float>{400, -3, 28}));
}

__global__ void partition(int* ranks, unsigned* sizes) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto odd = cg::binary_partition(warp, threadIdx.x % 2 == 1);
  ranks[threadIdx.x] = static_cast<int>(odd.thread_rank() * 2 + odd.meta_group_rank());
  const auto label = cg::labeled_partition(warp, threadIdx.x / 10);
  sizes[threadIdx.x] = label.size();
  int first = -1;
  cg::invoke_one(label, [&] { first = static_cast<int>(threadIdx.x); });
  sizes[threadIdx.x] += 100U * static_cast<unsigned>(label.shfl(first, 0));
  sizes[threadIdx.x] += 100000U * (warp.match_any(threadIdx.x / 16) == 0xffffU ? 1U : 0U);
}

TEST(Partitions, AreByAnswerAndByLabel) {
  const DeviceBuffer<int> ranks(32);
  const DeviceBuffer<unsigned> sizes(32);
  const Observation did = run(partition, 1, 32, ranks.data(), sizes.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  std::vector<int> all(32);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(ranks.to_host(), all);
  EXPECT_EQ(sizes.to_host()[7], 100010U);
  EXPECT_EQ(sizes.to_host()[15], 101010U);
  EXPECT_EQ(sizes.to_host()[31], 3002U);
}

__global__ void scan(int* inclusive, int* exclusive, int* of_some) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  inclusive[threadIdx.x] = cg::inclusive_scan(tile, static_cast<int>(threadIdx.x));
  exclusive[threadIdx.x] = cg::exclusive_scan(tile, static_cast<int>(threadIdx.x));
  if (threadIdx.x % 3 == 0) {
    const auto some = cg::coalesced_threads();
    of_some[threadIdx.x] = cg::exclusive_scan(some, 2, cg::plus<int>());
  }
}

TEST(Scans, SumUpWhatLiesBefore) {
  const DeviceBuffer<int> inclusive(32);
  const DeviceBuffer<int> exclusive(32);
  const DeviceBuffer<int> of_some(std::vector<int>(32, -1));
  const Observation did = run(scan, 1, 32, inclusive.data(), exclusive.data(), of_some.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  for (int thread = 0; thread < 32; ++thread) {
    const int first = thread / 16 * 16;
    const int sum = (first + thread) * (thread - first + 1) / 2;
    EXPECT_EQ(inclusive.to_host()[thread], sum);
    EXPECT_EQ(exclusive.to_host()[thread], sum - thread);
    EXPECT_EQ(of_some.to_host()[thread], thread % 3 == 0 ? thread / 3 * 2 : -1);
  }
}

__global__ void without_masks(int* out, unsigned* votes) {
  int value = static_cast<int>(threadIdx.x);
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down(value, distance);
  out[threadIdx.x] = __shfl(value, 0);
  votes[threadIdx.x] = __ballot(threadIdx.x < 4) + (__all(1) != 0 ? 16U : 0U);
  if (threadIdx.x >= 30) votes[threadIdx.x] = __ballot(1) + static_cast<unsigned>(__any(0));
}

TEST(WarpOperations, WithoutMasksAreOfTheLanesThatCome) {
  const DeviceBuffer<int> out(32);
  const DeviceBuffer<unsigned> votes(32);
  const Observation did = run(without_masks, 1, 32, out.data(), votes.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[17], 496);
  EXPECT_EQ(votes.to_host()[5], 31U);
  EXPECT_EQ(votes.to_host()[31], 0xc0000000U);
}

}  // namespace
}  // namespace warpgauge::emulator
