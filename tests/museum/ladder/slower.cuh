// SPDX-License-Identifier: Apache-2.0
// Slowdowns of a chosen size: what plant.cmake adds to ten kernels, SLOWER_UNITS times a little.
// With 0 units the machine code stays what it was.
#pragma once

#include <cuda_runtime.h>

inline constexpr int kSlower = SLOWER_UNITS;

// The value, after so many multiplications, each of which waits for the one before.
template <int Multiplications, class T>
__device__ inline T slower_by_chain(T value) {
  if constexpr (Multiplications > 0) {
    unsigned zero = blockIdx.y;  // which only we know
#pragma unroll 8
    for (int i = 0; i < Multiplications; ++i) zero = zero * zero + zero;
    return value + static_cast<T>(zero);
  }
  return value;
}

// The same in every eighth block.
template <int Multiplications, class T>
__device__ inline T slower_in_some_blocks(T value) {
  if constexpr (Multiplications > 0) {
    if (blockIdx.x % 8 == 0) return slower_by_chain<Multiplications>(value);
  }
  return value;
}

template <int Barriers>
__device__ inline void slower_by_barriers() {
#pragma unroll
  for (int i = 0; i < Barriers; ++i) __syncthreads();
}
