// SPDX-License-Identifier: Apache-2.0
// Bitonic sort of segments: each block sorts kSegment keys in shared memory, ascending.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr unsigned kSegment = 512;
inline constexpr unsigned kSortThreads = kSegment / 2;

// Puts the smaller key first, or the greater one if the run that they are in is to descend.
__device__ inline void compare_exchange(unsigned& first, unsigned& second, bool ascending) {
  if ((first > second) != ascending) return;
  const unsigned kept = first;
  first = second;
  second = kept;
}

// Sorted runs of 2, 4, 8 … keys, each made of two that point in opposite directions; the last is
// the segment. A barrier a step, 45 steps. Up to a distance of 16 two lanes of a warp meet in each
// bank: 2 wavefronts a request.
__global__ void bitonic_sort(const unsigned* in, unsigned* out) {
  __shared__ unsigned keys[kSegment];
  const std::size_t segment = std::size_t{blockIdx.x} * kSegment;
  keys[threadIdx.x] = in[segment + threadIdx.x];
  keys[threadIdx.x + kSortThreads] = in[segment + threadIdx.x + kSortThreads];
  for (unsigned run = 2; run <= kSegment; run *= 2) {
    const bool ascending = (threadIdx.x & (run / 2)) == 0 || run == kSegment;
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const unsigned first = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
      compare_exchange(keys[first], keys[first + distance], ascending);
    }
  }
  __syncthreads();
  out[segment + threadIdx.x] = keys[threadIdx.x];
  out[segment + threadIdx.x + kSortThreads] = keys[threadIdx.x + kSortThreads];
}
