// SPDX-License-Identifier: Apache-2.0
// Sums of the rows of a matrix of 32 columns, whole numbers: a thread a row, through shared memory.
// What accesses of 4, 8 and 16 bytes a lane cost there, with padding and with swizzling against
// neither.
//
// Shared memory has 32 banks of 4 bytes, and a row fills them all once. Without more thought all
// lanes of a warp read the same column of the tile from the same banks, which takes 32 wavefronts
// whatever the width; spread over the banks it takes as few as the bytes need: 1, 2 or 4.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>

inline constexpr int kRowSumsColumns = 32;
inline constexpr int kRowSumsBlock = 128;  // threads, and rows

enum class RowLayout {
  plain,     // rows below each other
  padded,    // a vector between them: addresses stay simple, for 3, 6 or 12 % more memory
  swizzled,  // vector v of row r at v ^ r: no more memory, for an exclusive or an access
};

__device__ inline int row_sums_of(int v) { return v; }
__device__ inline int row_sums_of(int2 v) { return v.x + v.y; }
__device__ inline int row_sums_of(int4 v) { return (v.x + v.y) + (v.z + v.w); }

// Vectors of a row, and of a row in shared memory.
template <class Vector>
inline constexpr int kRowSumsVectors = kRowSumsColumns * sizeof(int) / sizeof(Vector);
template <class Vector, RowLayout Layout>
inline constexpr int kRowSumsStride = kRowSumsVectors<Vector> +
                                      (Layout == RowLayout::padded ? 1 : 0);

template <class Vector, RowLayout Layout>
__device__ inline int row_sums_place(int row, int vector) {
  const int column =
      Layout == RowLayout::swizzled ? vector ^ row % kRowSumsVectors<Vector> : vector;
  return row * kRowSumsStride<Vector, Layout> + column;
}

// Copied: into shared memory by asynchronous copies, not through registers; they write as stores
// do, and conflict as these would. `in` must lie on a 16-byte boundary.
template <class Vector, RowLayout Layout, bool Copied>
__global__ void row_sums(const int* in, int* out, std::size_t rows) {
  constexpr int kVectors = kRowSumsVectors<Vector>;
  __shared__ Vector tile[kRowSumsBlock * kRowSumsStride<Vector, Layout>];
  const std::size_t first = std::size_t{blockIdx.x} * kRowSumsBlock;
  const Vector* from = reinterpret_cast<const Vector*>(in) + first * kVectors;
  for (int i = threadIdx.x; i < kRowSumsBlock * kVectors; i += kRowSumsBlock) {
    if (first + i / kVectors >= rows) continue;
    Vector* to = &tile[row_sums_place<Vector, Layout>(i / kVectors, i % kVectors)];
    if constexpr (Copied) {
      __pipeline_memcpy_async(to, from + i, sizeof(Vector));
    } else {
      *to = from[i];
    }
  }
  if constexpr (Copied) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  const int row = static_cast<int>(threadIdx.x);
  if (first + row >= rows) return;
  int sum = 0;
#pragma unroll 1  // the compiler would make one wide access of several narrow ones
  for (int vector = 0; vector < kVectors; ++vector) {
    sum += row_sums_of(tile[row_sums_place<Vector, Layout>(row, vector)]);
  }
  out[first + row] = sum;
}

// A lane copies its own row, and needs no barrier. What looks simpler is 32 wavefronts a request on
// top of 32 sectors in global memory. Padding would not help: on an H200 an asynchronous copy of 16
// bytes a lane takes a wavefront for each 128 bytes of shared memory that it writes to, whatever
// their banks.
__global__ void row_sums_own_copies(const int* in, int* out, std::size_t rows) {
  constexpr int kVectors = kRowSumsVectors<int4>;
  __shared__ int4 tile[kRowSumsBlock][kVectors];
  const std::size_t row = std::size_t{blockIdx.x} * kRowSumsBlock + threadIdx.x;
  if (row >= rows) return;
  const int4* from = reinterpret_cast<const int4*>(in) + row * kVectors;
  for (int vector = 0; vector < kVectors; ++vector) {
    __pipeline_memcpy_async(&tile[threadIdx.x][vector], from + vector, sizeof(int4));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  int sum = 0;
  for (int vector = 0; vector < kVectors; ++vector) sum += row_sums_of(tile[threadIdx.x][vector]);
  out[row] = sum;
}

// By atomics in shared memory, a lane a row, Stride words from one row's sum to the next one's: at
// 1 a request takes 1 wavefront, at 32 all sums lie in one bank and it takes 32.
template <int Stride>
__global__ void row_sums_atomics(const int* in, int* out, std::size_t rows) {
  __shared__ int sums[kRowSumsBlock * Stride];
  const std::size_t row = std::size_t{blockIdx.x} * kRowSumsBlock + threadIdx.x;
  int* sum = &sums[threadIdx.x * Stride];
  *sum = 0;
  if (row >= rows) return;
  for (int column = 0; column < kRowSumsColumns; ++column) {
    atomicAdd(sum, in[row * kRowSumsColumns + column]);
  }
  out[row] = *sum;
}

// A warp a row: all lanes add to one word, one after the other, which takes as long as words of one
// bank.
__global__ void row_sums_one_word(const int* in, int* out, std::size_t rows) {
  __shared__ int sums[kRowSumsBlock];
  const std::size_t first = std::size_t{blockIdx.x} * kRowSumsBlock;
  const int lane = static_cast<int>(threadIdx.x % 32);
  sums[threadIdx.x] = 0;
  __syncwarp();
  for (int row = static_cast<int>(threadIdx.x) - lane, end = row + 32; row < end; ++row) {
    if (first + row < rows) {
      atomicAdd(&sums[row], in[(first + row) * kRowSumsColumns + lane]);
    }
  }
  __syncwarp();
  if (first + threadIdx.x < rows) out[first + threadIdx.x] = sums[threadIdx.x];
}
