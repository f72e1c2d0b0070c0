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

// 128 and 144 bytes, fields of four floats: a request of 16 bytes a lane goes in quarters of a
// warp, 8 lanes each. Unpadded, all 8 meet in four banks: 32 wavefronts a request. A padding of one
// float would put the fields where no access of 16 bytes may go; with four, neighbouring structs
// are 36 words apart and 8 lanes touch all banks once: 4 wavefronts, as few as 512 bytes take.
struct UnpaddedStruct4 {
  float4 field[8];
};
struct PaddedStruct4 {
  float4 field[8];
  float4 padding;
};

__device__ inline float4 struct_plus_one(float4 v) {
  return make_float4(v.x + 1.0F, v.y + 1.0F, v.z + 1.0F, v.w + 1.0F);
}

// The same for fields of four: out and in are vectors, `field` is 0 to 7.
template <class Struct>
__global__ void struct_access4(const float4* in, float4* out, std::size_t n, int field) {
  __shared__ Struct structs[kStructBlock];
  const std::size_t i = std::size_t{blockIdx.x} * kStructBlock + threadIdx.x;
  structs[threadIdx.x].field[field] = i < n ? in[i] : make_float4(0, 0, 0, 0);
  for (int round = 0; round < kStructRounds; ++round) {
    __syncwarp();  // as above
    structs[threadIdx.x].field[field] = struct_plus_one(structs[threadIdx.x].field[field]);
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

// The teaching versions report cycles of a single warp on a multiprocessor, by its own clock. The
// cost of reading the clock is measured, too, for the caller to subtract.
struct StructCycles {
  long long rounds;  // kStructRounds times the access
  long long clock;   // nothing at all
};

// Successive accesses would overlap, so each one here waits for the previous one.
template <class Word, class Access>
__device__ void struct_measure(StructCycles* cycles, float* sink, Access access) {
  const long long begin = clock64();
  const long long empty = clock64();
  Word sum{0};
  for (int round = 0; round < kStructRounds; ++round) {
    sum += access(round, sum);
    __syncwarp();
  }
  const long long end = clock64();
  sink[threadIdx.x] = static_cast<float>(sum);
  if (threadIdx.x == 0) *cycles = {end - empty, empty - begin};
}

// One warp. Each round loads and stores one field of the lane's own struct.
template <class Struct>
__global__ void struct_cycles(StructCycles* cycles, float* sink, int field) {
  __shared__ Struct structs[32];
  structs[threadIdx.x].field[field] = 1.0F;
  __syncwarp();
  struct_measure<float>(cycles, sink, [&](int, float sum) {
    const float value = structs[threadIdx.x].field[field];
    structs[threadIdx.x].field[field] = value + sum;
    return value;
  });
}

template <class Struct>
__global__ void struct_cycles4(StructCycles* cycles, float* sink, int field) {
  __shared__ Struct structs[32];
  structs[threadIdx.x].field[field] = make_float4(1, 1, 1, 1);
  __syncwarp();
  struct_measure<float>(cycles, sink, [&](int, float sum) {
    const float4 v = structs[threadIdx.x].field[field];
    structs[threadIdx.x].field[field] = make_float4(v.x + sum, v.y, v.z, v.w);
    return v.x + v.y + v.z + v.w;
  });
}

// One warp. Each round loads the word Stride · lane + something that depends on the round before:
// a chain of loads, whose length is their latency.
template <int Stride>
__global__ void strided_cycles(StructCycles* cycles, float* sink) {
  __shared__ int words[31 * Stride + kStructRounds];
  for (int word = threadIdx.x; word < 31 * Stride + kStructRounds; word += 32) words[word] = 0;
  __syncwarp();
  struct_measure<int>(cycles, sink, [&](int round, int sum) {
    return words[threadIdx.x * Stride + round + sum];  // sum is 0, which only we know
  });
}
