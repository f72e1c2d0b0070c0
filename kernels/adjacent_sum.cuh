// SPDX-License-Identifier: Apache-2.0
// Sum of neighbours: out[i] = in[i] + in[i - 1], out[0] = in[0]. Integers, which wrap around.
//
// Every element is needed twice. Shared memory saves the second read of global memory; so does the
// L1 cache, so that on a GPU that has one the barrier and the detour cost more than the read.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr unsigned kAdjacentBlock = 256;

// Both reads from global memory.
__global__ void adjacent_global(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kAdjacentBlock + threadIdx.x;
  if (i < n) out[i] = i == 0 ? in[0] : in[i] + in[i - 1];
}

// The block's elements and the one before them, its halo, in shared memory: a word a thread and one
// more, 1 wavefront a request, one barrier.
__global__ void adjacent_shared(const int* in, int* out, std::size_t n) {
  __shared__ int words[1 + kAdjacentBlock];
  const std::size_t i = std::size_t{blockIdx.x} * kAdjacentBlock + threadIdx.x;
  const unsigned word = 1 + threadIdx.x;
  if (i < n) words[word] = in[i];
  if (threadIdx.x == 0) words[0] = i > 0 ? in[i - 1] : 0;
  __syncthreads();
  if (i < n) out[i] = words[word] + words[word - 1];
}

// Times that the teaching version repeats its sum, so that the reads outweigh the launch.
inline constexpr int kAdjacentRounds = 16;

// The teaching version's loop: the same sum again and again, out[i] = kAdjacentRounds · sum. Read
// from global memory, that is from the L1 cache from the second time on.
__global__ void adjacent_repeated_global(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kAdjacentBlock + threadIdx.x;
  int sum = 0;
  for (int round = 0; round < kAdjacentRounds; ++round) {
    __syncwarp();  // keeps the reads in the loop
    if (i < n) sum += i == 0 ? in[0] : in[i] + in[i - 1];
  }
  if (i < n) out[i] = sum;
}

// The same from shared memory.
__global__ void adjacent_repeated_shared(const int* in, int* out, std::size_t n) {
  __shared__ int words[1 + kAdjacentBlock];
  const std::size_t i = std::size_t{blockIdx.x} * kAdjacentBlock + threadIdx.x;
  const unsigned word = 1 + threadIdx.x;
  words[word] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) words[0] = i > 0 && i <= n ? in[i - 1] : 0;
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < kAdjacentRounds; ++round) {
    __syncwarp();  // keeps the reads in the loop
    sum += words[word] + words[word - 1];
  }
  if (i < n) out[i] = sum;
}

// Vectors of four that a thread of adjacent_vectorized has in flight, and elements of its block.
inline constexpr unsigned kAdjacentVectors = 4;
inline constexpr std::size_t kAdjacentTile = std::size_t{4} * kAdjacentVectors * kAdjacentBlock;

// Four elements per access. The element before a thread's four is its neighbour's last; a shuffle
// fetches it, and a warp's first lane reads it. `in` and `out` must lie on 16-byte boundaries.
__global__ void adjacent_vectorized(const int* in, int* out, std::size_t n) {
  const std::size_t tile = blockIdx.x * kAdjacentTile;
  const bool first_lane = threadIdx.x % 32 == 0;
  int4 held[kAdjacentVectors];
  int before[kAdjacentVectors];
#pragma unroll
  for (unsigned k = 0; k < kAdjacentVectors; ++k) {
    const std::size_t i = tile + 4 * (k * kAdjacentBlock + threadIdx.x);
    held[k] = make_int4(0, 0, 0, 0);
    before[k] = 0;
    if (i + 4 <= n) {
      held[k] = *reinterpret_cast<const int4*>(in + i);
    } else if (i < n) {
      held[k].x = in[i];
      if (i + 1 < n) held[k].y = in[i + 1];
      if (i + 2 < n) held[k].z = in[i + 2];
    }
    if (first_lane && i > 0 && i < n) before[k] = in[i - 1];
  }
#pragma unroll
  for (unsigned k = 0; k < kAdjacentVectors; ++k) {
    const std::size_t i = tile + 4 * (k * kAdjacentBlock + threadIdx.x);
    const int neighbour = __shfl_up_sync(0xffffffffU, held[k].w, 1);
    const int4 v = held[k];
    const int4 sums =
        make_int4(v.x + (first_lane ? before[k] : neighbour), v.y + v.x, v.z + v.y, v.w + v.z);
    if (i + 4 <= n) {
      *reinterpret_cast<int4*>(out + i) = sums;
    } else if (i < n) {
      out[i] = sums.x;
      if (i + 1 < n) out[i + 1] = sums.y;
      if (i + 2 < n) out[i + 2] = sums.z;
    }
  }
}
