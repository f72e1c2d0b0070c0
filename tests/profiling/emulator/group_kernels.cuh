// SPDX-License-Identifier: Apache-2.0
// Kernels that use groups of lanes that happen to meet, reductions, and copies by groups. Tests
// find lines by the words in their comments.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// Rows of out: together, in both halves of a branch, in turns of a loop, before a barrier.
__global__ void active_masks(unsigned* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = __activemask();
  if (lane % 3 == 0) {
    out[32 + lane] = __activemask();
  } else {
    out[32 + lane] = __activemask();
  }
  for (unsigned turn = 0; turn <= lane; ++turn) out[64 + lane] = __activemask();
  if (lane < 5) {
    out[96 + lane] = __activemask();
  }
  __syncthreads();
}

// Of the lanes that have something to count, one adds for all (CUDA's "warp-aggregated atomics").
__global__ void count_together(const int* in, unsigned* count, unsigned* places) {
  if (in[threadIdx.x] <= 0) return;
  const cg::coalesced_group group = cg::coalesced_threads();
  unsigned first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(count, group.size());
  places[threadIdx.x] = group.shfl(first, 0) + group.thread_rank();
}

__global__ void coalesced(unsigned* out) {
  if (threadIdx.x % 2 == 0) return;
  const auto group = cg::coalesced_threads();
  const unsigned thread = threadIdx.x;
  out[thread] = group.shfl_down(thread, 1);
  out[32 + thread] = group.shfl_up(thread, 2);
  out[64 + thread] = group.ballot(thread >= 16);
  out[96 + thread] = static_cast<unsigned>(group.any(thread == 31) + 2 * group.all(thread != 31));
  out[128 + thread] = cg::reduce(group, thread, cg::plus<unsigned>());
  group.sync();
}

struct Extremes {
  double least;
  double greatest;
};

__global__ void reductions(const double* in, double* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const double value = in[threadIdx.x];
  out[threadIdx.x] = cg::reduce(tile, value, cg::plus<double>());
  out[64 + threadIdx.x] = cg::reduce(tile, value, cg::less<double>());
  out[128 + threadIdx.x] =
      cg::reduce(tile, static_cast<int>(threadIdx.x), [](int a, int b) { return a > b ? a : b; });
  const Extremes both =
      cg::reduce(tile, Extremes{value, value}, [](const Extremes& a, const Extremes& b) {
        return Extremes{min(a.least, b.least), max(a.greatest, b.greatest)};
      });
  out[192 + threadIdx.x] = both.greatest - both.least;
}

// Copies `bytes` of a block's share, which begin `skip` words after an aligned place.
__global__ void copy_by_group(const float* in, float* out, unsigned count, unsigned skip) {
  __shared__ float words[512];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, words + skip, in + skip, count * sizeof(float));  // group: copy
  cg::wait(block);
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) out[i] = words[skip + count - 1 - i];
}

__global__ void copy_two_by_group(const float* in, float* out) {
  __shared__ float words[2][64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, words[0], 64, in, 100);
  cg::memcpy_async(block, words[1], 64, in + 64, 64);
  cg::wait_prior<1>(block);
  out[threadIdx.x] = words[0][63 - threadIdx.x];
  out[threadIdx.x] += words[1][63 - threadIdx.x];  // group: too early
}

// As in the CUDA samples: a pipeline of each thread, two stages deep.
__global__ void sum_by_thread_pipeline(const float* in, float* out, int tiles) {
  __shared__ float stages[2][64];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const auto size = cuda::aligned_size_t<alignof(float)>(sizeof(float));
  float sum = 0;
  for (int compute = 0, fetch = 0; compute < tiles; ++compute) {
    for (; fetch < tiles && fetch < compute + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stages[fetch % 2][threadIdx.x], &in[fetch * 64 + threadIdx.x], size,
                         pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum += stages[compute % 2][63 - threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// One stage, which a thread need not release.
__global__ void sum_by_one_stage(const float* in, float* out, int tiles) {
  __shared__ float stage[64];
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[threadIdx.x], &in[tile * 64 + threadIdx.x], sizeof(float), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    sum += stage[63 - threadIdx.x];
    __syncthreads();
  }
  pipe.consumer_wait();  // for nothing
  out[threadIdx.x] = sum;
}

// The same by a pipeline of the block, which needs no further barrier.
__global__ void sum_by_block_pipeline(const float* in, float* out, int tiles) {
  __shared__ float stages[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int compute = 0, fetch = 0; compute < tiles; ++compute) {
    for (; fetch < tiles && fetch < compute + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stages[fetch % 2], in + fetch * 64, 64 * sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stages[compute % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// Reads before it waits.
__global__ void read_before_consumer_wait(const float* in, float* out) {
  __shared__ float words[64];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&words[threadIdx.x], &in[threadIdx.x], sizeof(float), pipe);
  pipe.producer_commit();
  out[threadIdx.x] = words[threadIdx.x];  // pipeline: too early
  pipe.consumer_wait();
  pipe.consumer_release();
}

__global__ void copy_by_barrier(const float* in, float* out) {
  __shared__ float words[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, 64);
  block.sync();
  cuda::memcpy_async(block, words, in, 64 * sizeof(float), barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = words[63 - threadIdx.x];
}
