// SPDX-License-Identifier: Apache-2.0
// Kernels of which code_changes_test.cpp has machine code twice: as they are, and with
// WARPGAUGE_PLANTED as a change makes them worse by accident. Lines keep their numbers, and results
// are the same.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr unsigned kCodeBlock = 256;
inline constexpr unsigned kCodeLive = 48;  // words that a thread holds at once

#ifdef WARPGAUGE_PLANTED
// Read one by one, as through a type that says less of its alignment.
#define CODE_VECTOR(in, i)                                       \
  make_float4(static_cast<const volatile float*>(&(in)[i].x)[0], \
              static_cast<const volatile float*>(&(in)[i].x)[1], \
              static_cast<const volatile float*>(&(in)[i].x)[2], \
              static_cast<const volatile float*>(&(in)[i].x)[3])
#define CODE_BLOCKS 8    // of 256 threads: 32 registers each
#define CODE_TILE 8'192  // floats: 32 KiB
#else
#define CODE_VECTOR(in, i) (in)[i]
#define CODE_BLOCKS 1
#define CODE_TILE 1'024
#endif

__global__ void code_vectors(const float4* in, float4* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kCodeBlock + threadIdx.x;
  if (i < n) out[i] = CODE_VECTOR(in, i);
}

__global__ void __launch_bounds__(kCodeBlock, CODE_BLOCKS)
    code_live(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kCodeBlock + threadIdx.x;
  float words[kCodeLive];
#pragma unroll
  for (unsigned k = 0; k < kCodeLive; ++k) words[k] = in[(i + k) % n];
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kCodeLive; ++k) words[k] *= words[kCodeLive - 1 - k];
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kCodeLive; ++k) sum = sum * 0.5F + words[k];
  if (i < n) out[i] = sum;
}

__global__ void code_tile(const float* in, float* out, std::size_t n) {
  __shared__ float tile[CODE_TILE];
  const std::size_t i = std::size_t{blockIdx.x} * kCodeBlock + threadIdx.x;
  tile[threadIdx.x * (CODE_TILE / kCodeBlock)] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[(kCodeBlock - 1 - threadIdx.x) * (CODE_TILE / kCodeBlock)];
}
