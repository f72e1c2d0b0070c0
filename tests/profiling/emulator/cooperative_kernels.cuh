// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks wait for each other, and groups within a block. Tests find lines by the
// words in their comments.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// Each round hands every block's word to the next block. Shared memory must outlive the barriers.
__global__ void pass_around(int* words, int rounds) {
  __shared__ int own;
  const cg::grid_group grid = cg::this_grid();
  const auto next = (grid.block_rank() + 1) % grid.num_blocks();
  if (threadIdx.x == 0) own = static_cast<int>(blockIdx.x);
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) words[next] = own;
    grid.sync();
    if (threadIdx.x == 0) own = words[blockIdx.x] + 1;
    cg::sync(grid);
  }
  if (threadIdx.x == 0) words[blockIdx.x] = own;
}

__global__ void grid_ranks(unsigned long long* out) {
  const cg::grid_group grid = cg::this_grid();
  unsigned long long* mine = out + 4 * grid.thread_rank();
  mine[0] = grid.size();
  mine[1] = grid.num_blocks();
  mine[2] = grid.block_rank();
  mine[3] = grid.is_valid();
}

__global__ void tickets_in_rounds(unsigned* next, unsigned* order) {
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) order[round * gridDim.x + blockIdx.x] = atomicAdd(next, 1U);
    cg::this_grid().sync();
  }
}

// A grid barrier made by hand.
__global__ void wait_by_atomics(unsigned* arrived, int* out) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1U);
    while (atomicAdd(arrived, 0U) < gridDim.x) {
    }
    out[blockIdx.x] = 1;
  }
}

__global__ void sync_whatever_the_launch() {
  cg::this_grid().sync();  // grid: sync
}

__global__ void desert(unsigned block) {
  if (blockIdx.x == block) return;
  cg::this_grid().sync();  // desert: sync
}

__global__ void desert_in_block() {
  if (threadIdx.x == 7) return;
  cg::this_grid().sync();  // desert in block: sync
}

__global__ void fault_before_sync(float* out, unsigned block) {
  if (blockIdx.x == block) out[std::size_t{1} << 40] = 1;  // fault: write
  cg::this_grid().sync();
  out[blockIdx.x] = 1;
}

__global__ void mixed_barriers() {
  if (threadIdx.x < 8) {
    __syncthreads();  // mixed: block
  } else {
    cg::this_grid().sync();  // mixed: grid
  }
}

__global__ void block_ranks(unsigned* out) {
  const cg::thread_block block = cg::this_thread_block();
  __shared__ unsigned ranks[64];
  ranks[block.thread_rank()] = block.thread_rank();
  block.sync();
  out[block.thread_rank()] = ranks[block.size() - 1 - block.thread_rank()] +
                             100 * block.thread_index().y + 1000 * block.dim_threads().y;
}

__global__ void tiles(unsigned* out) {
  const unsigned thread = threadIdx.x;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const cg::thread_block_tile<4> part = cg::tiled_partition<4>(tile);
  out[0 + thread] = tile.thread_rank() + 10 * tile.size() + 100 * tile.meta_group_rank() +
                    10000 * tile.meta_group_size();
  out[64 + thread] =
      part.thread_rank() + 100 * part.meta_group_rank() + 10000 * part.meta_group_size();
  out[128 + thread] = tile.shfl(thread, 3);
  out[192 + thread] = tile.shfl_down(thread, 2);
  out[256 + thread] = tile.shfl_up(thread, 2);
  out[320 + thread] = part.shfl_xor(thread, 1);
  out[384 + thread] = tile.ballot(thread % 3 == 0);
  out[448 + thread] = static_cast<unsigned>(tile.any(thread == 20) + 2 * tile.all(thread >= 16));
}

// Half of each pair writes, the other half reads: the tile's barrier orders them.
__global__ void tile_barrier(float* out) {
  __shared__ float words[32];
  const auto tile = cg::tiled_partition<2>(cg::this_thread_block());
  words[threadIdx.x] = static_cast<float>(threadIdx.x);
  tile.sync();
  out[threadIdx.x] = words[threadIdx.x ^ 1];
}
