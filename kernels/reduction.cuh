// SPDX-License-Identifier: Apache-2.0
// Sum of floats within a block: partial[b] = sum of the block's kReductionBlock elements of `in`.
//
// A tree in shared memory: log2(256) = 8 steps, each half as wide as the one before. The variants
// differ only in which threads add which elements, and that is all the difference in their speed.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Threads a block, one element each.
inline constexpr unsigned kReductionBlock = 256;

// Neighbours first; every thread asks whether its number is a multiple of the step. Few lanes of
// every warp work: all 8 warps stay busy to the end, most of their lanes idle.
__global__ void reduce_interleaved_divergent(const float* in, float* partial, std::size_t n) {
  __shared__ float sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kReductionBlock + thread;
  sums[thread] = i < n ? in[i] : 0.0F;
  __syncthreads();
  for (unsigned step = 1; step < kReductionBlock; step *= 2) {
    if (thread % (2 * step) == 0) sums[thread] += sums[thread + step];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

// The same additions by neighbouring threads, so that whole warps retire. Now the lanes of a warp
// are 2 · step words apart: up to 16 wavefronts a request.
__global__ void reduce_interleaved_indexed(const float* in, float* partial, std::size_t n) {
  __shared__ float sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kReductionBlock + thread;
  sums[thread] = i < n ? in[i] : 0.0F;
  __syncthreads();
  for (unsigned step = 1; step < kReductionBlock; step *= 2) {
    const unsigned index = 2 * step * thread;
    if (index < kReductionBlock) sums[index] += sums[index + step];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

// Halves added onto each other: neighbouring threads, neighbouring words. 1 wavefront a request.
__global__ void reduce_sequential(const float* in, float* partial, std::size_t n) {
  __shared__ float sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kReductionBlock + thread;
  sums[thread] = i < n ? in[i] : 0.0F;
  __syncthreads();
  for (unsigned step = kReductionBlock / 2; step > 0; step /= 2) {
    if (thread < step) sums[thread] += sums[thread + step];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}
