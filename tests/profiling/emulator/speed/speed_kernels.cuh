// SPDX-License-Identifier: Apache-2.0
// Kernels that do little but access memory, in the ways that cost the emulator differently.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr unsigned kSpeedBlock = 256;

// `turns` loads of shared memory a thread, one store, no barrier between.
__global__ void speed_shared(float* out, int turns) {
  __shared__ float words[kSpeedBlock];
  words[threadIdx.x] = 1;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < turns; ++i) sum += words[(threadIdx.x + i) % kSpeedBlock];
  out[std::size_t{blockIdx.x} * kSpeedBlock + threadIdx.x] = sum;
}

// `turns` coalesced loads and stores of global memory a thread.
__global__ void speed_global(const float* in, float* out, int turns) {
  for (int i = 0; i < turns; ++i) {
    const std::size_t at = (std::size_t{blockIdx.x} * turns + i) * kSpeedBlock + threadIdx.x;
    out[at] = in[at] + 1;
  }
}

// Lane t makes t turns, and loads in every second of them: lanes leave one by one, and those that
// are left part and meet again at each turn.
__global__ void speed_divergent(float* out, int turns) {
  __shared__ float words[kSpeedBlock];
  words[threadIdx.x] = 1;
  __syncthreads();
  float sum = 0;
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int repeat = 0; repeat < turns; ++repeat) {
    for (int i = 0; i < lane; ++i) {
      if (((i ^ lane) & 1) != 0) sum += words[(i * 32 + threadIdx.x) % kSpeedBlock];
    }
  }
  out[std::size_t{blockIdx.x} * kSpeedBlock + threadIdx.x] = sum;
}

__global__ void speed_barriers(int turns) {
  for (int i = 0; i < turns; ++i) __syncthreads();
}

__global__ void speed_nothing() {}
