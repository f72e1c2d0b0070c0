// SPDX-License-Identifier: Apache-2.0
// Tiles of cooperative groups that are wider than a warp: what their threads give each other, and
// which of their accesses the tile orders.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <numeric>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace cg = cooperative_groups;

namespace warpgauge::emulator {
namespace {

struct Answers {
  int sum;
  int greatest;
  int before;  // inclusive sum
  int until;   // exclusive sum
  int third;
  int any;
  int all;
  int rank;
  int tile;
  int tiles;
  int part;  // of its warp's 16 lanes, their sum
};

__global__ void ask_tiles(const int* in, Answers* out) {
  __shared__ cg::block_tile_memory<256> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int value = in[block.thread_rank()];
  Answers& answers = out[block.thread_rank()];
  answers.sum = cg::reduce(tile, value, cg::plus<int>());
  answers.greatest = cg::reduce(tile, value, cg::greater<int>());
  answers.before = cg::inclusive_scan(tile, value);
  answers.until = cg::exclusive_scan(tile, value);
  answers.third = tile.shfl(value, 3);
  answers.any = tile.any(value == 70);
  answers.all = tile.all(value > 64);
  answers.rank = static_cast<int>(tile.thread_rank());
  answers.tile = static_cast<int>(tile.meta_group_rank());
  answers.tiles = static_cast<int>(tile.meta_group_size());
  answers.part = cg::reduce(cg::tiled_partition<16>(tile), value, cg::plus<int>());
}

TEST(WideTile, GivesItsThreadsEachOthersValues) {
  std::vector<int> values(256);
  std::iota(values.begin(), values.end(), 1);
  const DeviceBuffer<int> in(values);
  const DeviceBuffer<Answers> out(256);
  EXPECT_EQ(join(run(ask_tiles, dim3(1), dim3(256), in.data(), out.data()).errors), "");
  const std::vector<Answers> answers = out.to_host();
  for (int thread = 0; thread < 256; ++thread) {
    const int first = thread / 64 * 64 + 1;
    const int rank = thread % 64;
    const Answers& of = answers[static_cast<std::size_t>(thread)];
    EXPECT_EQ(of.sum, 64 * first + 63 * 64 / 2);
    EXPECT_EQ(of.greatest, first + 63);
    EXPECT_EQ(of.before, (rank + 1) * first + rank * (rank + 1) / 2);
    EXPECT_EQ(of.until, rank * first + (rank - 1) * rank / 2);
    EXPECT_EQ(of.third, first + 3);
    EXPECT_EQ(of.any, thread / 64 == 1);
    EXPECT_EQ(of.all, thread >= 64);
    EXPECT_EQ(of.rank, rank);
    EXPECT_EQ(of.tile, thread / 64);
    EXPECT_EQ(of.tiles, 4);
    const int first_of_part = thread / 16 * 16 + 1;
    EXPECT_EQ(of.part, 16 * first_of_part + 15 * 16 / 2);
  }
}

// Each tile does its own number of rounds: it waits for nobody else.
template <unsigned Size>
__global__ void turn_within_tiles(int* out) {
  __shared__ int words[1024];
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const unsigned first = tile.meta_group_rank() * Size;
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  for (unsigned round = 0; round <= tile.meta_group_rank(); ++round) {
    tile.sync();
    const int neighbour = words[first + (tile.thread_rank() + 1) % Size];
    tile.sync();
    words[threadIdx.x] = neighbour;
  }
  out[threadIdx.x] = words[threadIdx.x];
}

template <unsigned Size>
void expect_turned() {
  const DeviceBuffer<int> out(1024);
  const Observation observation = run(turn_within_tiles<Size>, dim3(1), dim3(1024), out.data());
  EXPECT_EQ(join(observation.errors), "") << Size;
  const std::vector<int> words = out.to_host();
  for (unsigned thread = 0; thread < 1024; ++thread) {
    const unsigned tile = thread / Size;
    EXPECT_EQ(words[thread], static_cast<int>(tile * Size + (thread + tile + 1) % Size)) << Size;
  }
}

TEST(WideTile, OrdersItsThreadsAlone) {
  expect_turned<64>();
  expect_turned<128>();
  expect_turned<256>();
  expect_turned<512>();
  expect_turned<1024>();
}

__global__ void reach_into_another_tile(int* out) {
  __shared__ int words[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  words[threadIdx.x] = 1;
  tile.sync();
  out[threadIdx.x] = words[127 - threadIdx.x];
}

__global__ void write_before_the_tile_has_read(int* out) {
  __shared__ int words[64];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  words[threadIdx.x] = 1;
  tile.sync();
  const int neighbour = words[63 - threadIdx.x];
  words[threadIdx.x] = neighbour;
  out[threadIdx.x] = neighbour;
}

TEST(WideTile, DoesNotHideRaces) {
  const DeviceBuffer<int> out(128);
  expect_error(run(reach_into_another_tile, dim3(1), dim3(128), out.data()),
               {"shared memory race", "written by thread"});
  expect_error(
      run(write_before_the_tile_has_read, dim3(1), dim3(64), out.data()),
      {"shared memory race", "thread (32,0,0) reads words byte 124", "written by thread (31,0,0)"});
}

__global__ void leave_the_tile(int* out) {
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  if (threadIdx.x == 70) return;
  tile.sync();
  out[threadIdx.x] = 1;
}

TEST(WideTile, WaitsForEachOfItsThreads) {
  const DeviceBuffer<int> out(128);
  expect_error(run(leave_the_tile, dim3(1), dim3(128), out.data()),
               {"barrier that never opens", "thread (64,0,0)", "64 arrivals, and 63 have come"});
}

}  // namespace
}  // namespace warpgauge::emulator
