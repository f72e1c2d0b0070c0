// SPDX-License-Identifier: Apache-2.0
// Shared memory seen through a struct, and through a stride: which bank does each lane touch?
//
// Shared memory has 32 banks of 4 bytes. Lanes of one request that touch different words of one
// bank are served one after the other, a wavefront each; lanes that read the same word share one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr int kStructBlock = 128;

// Times that the access under test is repeated, so that it outweighs the way to it.
inline constexpr int kStructRounds = 64;

// 128 bytes: field k of every struct of an array lies in bank k. 32 wavefronts a request.
struct UnpaddedStruct {
  float field[32];
};

// 132 bytes: field k of neighbouring structs lies in neighbouring banks. 1 wavefront a request.
struct PaddedStruct {
  float field[32];
  float padding;
};

// out[i] = in[i] + kStructRounds, each addition a load and a store of one field of the thread's
// own struct. `field` is 0 to 31; known at run time only, so that the compiler cannot widen it.
template <class Struct>
__global__ void struct_access(const float* in, float* out, std::size_t n, int field) {
  __shared__ Struct structs[kStructBlock];
  const std::size_t i = std::size_t{blockIdx.x} * kStructBlock + threadIdx.x;
  structs[threadIdx.x].field[field] = i < n ? in[i] : 0.0F;
  for (int round = 0; round < kStructRounds; ++round) {
    __syncwarp();  // keeps the field in memory: the compiler may not hold it in a register
    structs[threadIdx.x].field[field] += 1.0F;
  }
  if (i < n) out[i] = structs[threadIdx.x].field[field];
}

// Words that a block of strided_access reads.
template <int Stride>
inline constexpr int kStridedWords = (kStructBlock - 1) * Stride + kStructRounds;

// out[i] = sum of kStructRounds neighbouring inputs, from Stride · thread on within the block's
// part of the input, which begins at kStructBlock · block; inputs beyond the end count as 0.
//
// Stride is the distance of neighbouring lanes in words: 0 is a broadcast (1 wavefront a request),
// 1 touches every bank once (1), 2 every second bank twice (2), 32 one bank only (32).
template <int Stride>
__global__ void strided_access(const float* in, float* out, std::size_t n) {
  __shared__ float words[kStridedWords<Stride>];
  const std::size_t first = std::size_t{blockIdx.x} * kStructBlock;
  for (int word = threadIdx.x; word < kStridedWords<Stride>; word += kStructBlock) {
    words[word] = first + word < n ? in[first + word] : 0.0F;
  }
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < kStructRounds; ++round) {
    __syncwarp();  // keeps neighbouring words from being read by one wide load
    sum += words[threadIdx.x * Stride + round];
  }
  if (first + threadIdx.x < n) out[first + threadIdx.x] = sum;
}
