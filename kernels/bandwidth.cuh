// SPDX-License-Identifier: Apache-2.0
// The ceilings: kernels that only move memory. Other kernels are compared with these.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr unsigned kBandwidthBlock = 128;

// out[i] = in[i]. One vector of 16 bytes a thread: on an H200 more vectors a thread, or larger
// blocks, copy up to 4 % less.
__global__ void bandwidth_copy(const float4* in, float4* out, std::size_t vectors) {
  const std::size_t i = std::size_t{blockIdx.x} * kBandwidthBlock + threadIdx.x;
  if (i < vectors) out[i] = in[i];
}

// out[i] = a[i] + factor · b[i].
__global__ void bandwidth_triad(const float4* a, const float4* b, float factor, float4* out,
                                std::size_t vectors) {
  const std::size_t i = std::size_t{blockIdx.x} * kBandwidthBlock + threadIdx.x;
  if (i >= vectors) return;
  const float4 left = a[i];
  const float4 right = b[i];
  out[i] = make_float4(left.x + factor * right.x, left.y + factor * right.y,
                       left.z + factor * right.z, left.w + factor * right.w);
}

// For reading alone and writing alone it is the opposite: more of both is faster.
inline constexpr unsigned kBandwidthOneWayBlock = 512;

// Vectors of a thread, all in flight at once, and vectors of a block.
inline constexpr unsigned kBandwidthOneWayVectors = 4;
inline constexpr std::size_t kBandwidthOneWayTile =
    std::size_t{kBandwidthOneWayBlock} * kBandwidthOneWayVectors;

// out[i] = value.
__global__ void bandwidth_write(float4 value, float4* out, std::size_t vectors) {
#pragma unroll
  for (unsigned k = 0; k < kBandwidthOneWayVectors; ++k) {
    const std::size_t i =
        blockIdx.x * kBandwidthOneWayTile + k * kBandwidthOneWayBlock + threadIdx.x;
    if (i < vectors) out[i] = value;
  }
}

// The exclusive or of all words that a block reads: work that the compiler cannot remove and that
// costs almost nothing. Each block writes one word.
__global__ void bandwidth_read(const uint4* in, unsigned* out, std::size_t vectors) {
  __shared__ unsigned words[kBandwidthOneWayBlock / 32];
  uint4 held[kBandwidthOneWayVectors];
#pragma unroll
  for (unsigned k = 0; k < kBandwidthOneWayVectors; ++k) {
    const std::size_t i =
        blockIdx.x * kBandwidthOneWayTile + k * kBandwidthOneWayBlock + threadIdx.x;
    held[k] = i < vectors ? in[i] : make_uint4(0, 0, 0, 0);
  }
  unsigned word = 0;
#pragma unroll
  for (unsigned k = 0; k < kBandwidthOneWayVectors; ++k) {
    word ^= held[k].x ^ held[k].y ^ held[k].z ^ held[k].w;
  }
  for (int step = 16; step > 0; step /= 2) word ^= __shfl_xor_sync(0xffffffffU, word, step);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = word;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (unsigned warp = 1; warp < kBandwidthOneWayBlock / 32; ++warp) word ^= words[warp];
  out[blockIdx.x] = word;
}
