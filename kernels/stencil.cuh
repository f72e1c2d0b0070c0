// SPDX-License-Identifier: Apache-2.0
// Sum of neighbours within a radius: out[i] = in[i - Radius] + … + in[i + Radius], where what lies
// beyond either end counts as 0. Integers, which wrap around.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr unsigned kStencilBlock = 256;

// Every neighbour from global memory: 2 · Radius + 1 reads an element, most served by the L1 cache.
template <int Radius>
__global__ void stencil_global(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kStencilBlock + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
#pragma unroll
  for (int offset = -Radius; offset <= Radius; ++offset) {
    const std::size_t j = i + offset;  // below 0 it is far beyond n
    if (j < n) sum += in[j];
  }
  out[i] = sum;
}

// The block's elements and a halo of Radius on either side in shared memory, each read once from
// global memory. Neighbouring lanes read neighbouring words: 1 wavefront a request. One barrier.
template <int Radius>
__global__ void stencil_shared(const int* in, int* out, std::size_t n) {
  constexpr unsigned kWords = kStencilBlock + 2 * Radius;
  __shared__ int words[kWords];
  const std::size_t block = std::size_t{blockIdx.x} * kStencilBlock;
#pragma unroll 1  // one round for most warps, two for the first
  for (unsigned word = threadIdx.x; word < kWords; word += kStencilBlock) {
    const std::size_t j = block + word - Radius;  // below 0 it is far beyond n
    words[word] = j < n ? in[j] : 0;
  }
  __syncthreads();
  const std::size_t i = block + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
#pragma unroll
  for (int offset = 0; offset <= 2 * Radius; ++offset) sum += words[threadIdx.x + offset];
  out[i] = sum;
}

// Groups of four elements that a thread of stencil_vectorized computes, and elements of its block.
// On an H200 more groups a thread are up to 4 % slower, as with a copy.
inline constexpr unsigned kStencilGroups = 1;
inline constexpr std::size_t kStencilTile = std::size_t{4} * kStencilGroups * kStencilBlock;

// in[i] to in[i + 3], 0 beyond the end; i is a multiple of four.
__device__ inline int4 stencil_load(const int* in, std::size_t i, std::size_t n) {
  int4 v = make_int4(0, 0, 0, 0);
  if (i + 4 <= n && i < n) return *reinterpret_cast<const int4*>(in + i);
  if (i < n) v.x = in[i];
  if (i < n && i + 1 < n) v.y = in[i + 1];
  if (i < n && i + 2 < n) v.z = in[i + 2];
  return v;
}

// Four elements per access. Shuffles fetch the elements before and after a thread's four from its
// neighbours; the lanes at a warp's ends read them. From one sum to the next, one element enters
// and one leaves. Radius is 1 to 4; `in` and `out` must lie on 16-byte boundaries.
template <int Radius>
__global__ void stencil_vectorized(const int* in, int* out, std::size_t n) {
  static_assert(Radius >= 1 && Radius <= 4, "a neighbour's vector holds four elements");
  const unsigned lane = threadIdx.x % 32;
  const std::size_t tile = blockIdx.x * kStencilTile;
  int4 held[kStencilGroups];
  int4 halo[kStencilGroups];
#pragma unroll
  for (unsigned k = 0; k < kStencilGroups; ++k) {
    const std::size_t i = tile + 4 * (k * kStencilBlock + threadIdx.x);
    held[k] = stencil_load(in, i, n);
    halo[k] = make_int4(0, 0, 0, 0);
    if (lane == 0 && i > 0) halo[k] = stencil_load(in, i - 4, n);
    if (lane == 31) halo[k] = stencil_load(in, i + 4, n);
  }
#pragma unroll
  for (unsigned k = 0; k < kStencilGroups; ++k) {
    const int4 v = held[k];
    const int4 edge = halo[k];
    int window[12] = {0, 0, 0, 0, v.x, v.y, v.z, v.w, 0, 0, 0, 0};
    window[0] = __shfl_up_sync(0xffffffffU, v.x, 1);
    window[1] = __shfl_up_sync(0xffffffffU, v.y, 1);
    window[2] = __shfl_up_sync(0xffffffffU, v.z, 1);
    window[3] = __shfl_up_sync(0xffffffffU, v.w, 1);
    window[8] = __shfl_down_sync(0xffffffffU, v.x, 1);
    window[9] = __shfl_down_sync(0xffffffffU, v.y, 1);
    window[10] = __shfl_down_sync(0xffffffffU, v.z, 1);
    window[11] = __shfl_down_sync(0xffffffffU, v.w, 1);
#pragma unroll
    for (int at = 0; at < 12; at += 8) {
      if ((at == 0 && lane == 0) || (at == 8 && lane == 31)) {
        window[at] = edge.x;
        window[at + 1] = edge.y;
        window[at + 2] = edge.z;
        window[at + 3] = edge.w;
      }
    }
    int sums[4];
    sums[0] = 0;
#pragma unroll
    for (int offset = -Radius; offset <= Radius; ++offset) sums[0] += window[4 + offset];
#pragma unroll
    for (int j = 1; j < 4; ++j) {
      sums[j] = sums[j - 1] + window[4 + j + Radius] - window[3 + j - Radius];
    }
    const std::size_t i = tile + 4 * (k * kStencilBlock + threadIdx.x);
    if (i + 4 <= n) {
      *reinterpret_cast<int4*>(out + i) = make_int4(sums[0], sums[1], sums[2], sums[3]);
    } else {
      for (int j = 0; j < 3; ++j) {
        if (i + j < n) out[i + j] = sums[j];
      }
    }
  }
}
