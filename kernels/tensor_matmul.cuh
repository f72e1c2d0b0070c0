// SPDX-License-Identifier: Apache-2.0
// Product of two matrices of bf16 on tensor cores: C = A · Bᵀ, A m × k, B n × k, C m × n, all
// row-major, any sizes; sums are kept as floats and rounded once. B by rows of k, as the weights of
// a layer lie in memory, so that both factors are read alike.
//
// A warp multiplies 16 × 16 by 16 × 8 in one instruction (mma.sync), whose factors it holds in
// registers in an order that ldmatrix makes: 8 lanes name the 8 rows, 16 bytes each, of an 8 × 8
// matrix. Where these rows lie in shared memory decides over bank conflicts. Needs compute
// capability 8.0.
#pragma once

#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// A block of eight warps computes 128 × 256, each warp 64 × 64, from tiles of 64 along k.
inline constexpr int kTensorRows = 128;
inline constexpr int kTensorColumns = 256;
inline constexpr int kTensorDepth = 64;
inline constexpr int kTensorThreads = 256;

// Tiles that are held at once: one is computed with, the others are on their way.
inline constexpr int kTensorStages = 3;

// Rows of a tile in shared memory are 128 bytes, all banks once.
enum class TensorLayout {
  plain,   // below each other: the 8 rows of a matrix begin in the same bank, 8 wavefronts a matrix
  padded,  // 16 bytes apart: 1 wavefront, for an eighth more memory
  swizzled,  // the eighths of row r exchanged by eighth ^ r % 8: 1 wavefront, for an exclusive or
};

template <TensorLayout Layout>
inline constexpr int kTensorStride =
    Layout == TensorLayout::padded ? kTensorDepth + 8 : kTensorDepth;

// Elements of the tiles of A and B.
template <TensorLayout Layout>
inline constexpr int kTensorStage = (kTensorRows + kTensorColumns) * kTensorStride<Layout>;

template <TensorLayout Layout>
inline constexpr std::size_t kTensorSharedBytes = std::size_t{kTensorStages} *
                                                  kTensorStage<Layout> * sizeof(__nv_bfloat16);

// Where in a row the eighth `column` / 8 of row `row` lies.
template <TensorLayout Layout>
__device__ inline int tensor_column(int row, int column) {
  return Layout == TensorLayout::swizzled ? column ^ row % 8 * 8 : column;
}

// Four 8 × 8 matrices; lane l names row l % 8 of matrix l / 8.
__device__ inline void tensor_load(std::uint32_t (&values)[4], const __nv_bfloat16* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3])
               : "r"(address)
               : "memory");
}

__device__ inline void tensor_multiply(float (&sums)[4], const std::uint32_t (&left)[4],
                                       std::uint32_t right_low, std::uint32_t right_high) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_low), "r"(right_high));
#else
  __trap();
#endif
}

// Begins to copy Rows rows of 64 elements, of which the thread copies 8 of every 32nd row. What
// lies beyond the matrix becomes 0. Aligned: rows are multiples of 16 bytes, and are copied
// asynchronously.
template <TensorLayout Layout, bool Aligned, int Rows>
__device__ inline void tensor_copy(__nv_bfloat16* tile, const __nv_bfloat16* matrix,
                                   std::size_t first_row, std::size_t rows, std::size_t first,
                                   std::size_t k) {
  const int row = threadIdx.x / 8;
  const std::size_t column = first + threadIdx.x % 8 * 8;
  __nv_bfloat16* to =
      tile + row * kTensorStride<Layout> + tensor_column<Layout>(row, threadIdx.x % 8 * 8);
  const __nv_bfloat16* from = matrix + (first_row + row) * k + column;
#pragma unroll
  for (int i = 0; i < Rows; i += kTensorThreads / 8) {
    const bool inside = first_row + row + i < rows;
    if constexpr (Aligned) {
      __pipeline_memcpy_async(to + i * kTensorStride<Layout>, from + i * k, 16,
                              inside && column < k ? 0 : 16);
    } else {
      for (int part = 0; part < 8; ++part) {
        to[i * kTensorStride<Layout> + part] =
            inside && column + part < k ? from[i * k + part] : __float2bfloat16(0.0F);
      }
    }
  }
}

// What a warp multiplies in one step along k: 4 times 16 rows of A, and 4 times 16 of B.
struct TensorFragment {
  std::uint32_t left[4][4];
  std::uint32_t right[4][4];
};

// Row `row` of A's tile and `column` of B's: the warp's first ones.
template <TensorLayout Layout>
__device__ inline void tensor_fragment(TensorFragment& fragment, const __nv_bfloat16* stage,
                                       int row, int column, int depth) {
  constexpr int kStride = kTensorStride<Layout>;
  const int lane = threadIdx.x % 32;
  const __nv_bfloat16* left =
      stage + (row + lane % 16) * kStride + tensor_column<Layout>(lane, depth + lane / 16 * 8);
  const __nv_bfloat16* right = stage + (kTensorRows + column + lane / 16 * 8 + lane % 8) * kStride +
                               tensor_column<Layout>(lane, depth + lane / 8 % 2 * 8);
#pragma unroll
  for (int i = 0; i < 4; ++i) tensor_load(fragment.left[i], left + i * 16 * kStride);
#pragma unroll
  for (int j = 0; j < 4; ++j) tensor_load(fragment.right[j], right + j * 16 * kStride);
}

// Two sums, neighbours in a row, rounded. Neighbours lie on a 4-byte boundary where n is even.
__device__ inline void tensor_store(__nv_bfloat16* row, std::size_t column, std::size_t n,
                                    float first, float second) {
  if (n % 2 == 0) {
    if (column < n) {
      *reinterpret_cast<__nv_bfloat162*>(row + column) = __floats2bfloat162_rn(first, second);
    }
    return;
  }
  if (column < n) row[column] = __float2bfloat16(first);
  if (column + 1 < n) row[column + 1] = __float2bfloat16(second);
}

// Three tiles, two of them on their way; two fragments in registers, one on its way. 8 ldmatrix, of
// 512 bytes each, serve 32 multiplications of 2,048 each; one barrier a tile. Blocks are numbered
// so that those which run at one time share their tiles: 8 down, then across.
template <TensorLayout Layout, bool Aligned>
__global__ void __launch_bounds__(kTensorThreads, 1)
    tensor_matmul(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, std::size_t m,
                  std::size_t n, std::size_t k) {
  extern __shared__ __align__(128) unsigned char tensor_memory[];
  auto* stages = reinterpret_cast<__nv_bfloat16*>(tensor_memory);
  const std::size_t down = (m + kTensorRows - 1) / kTensorRows;
  const std::size_t across = (n + kTensorColumns - 1) / kTensorColumns;
  const std::size_t group = blockIdx.x / (8 * across) * 8;
  const std::size_t height = down - group < 8 ? down - group : 8;
  const std::size_t first_row = (group + blockIdx.x % (8 * across) % height) * kTensorRows;
  const std::size_t first_column = blockIdx.x % (8 * across) / height * kTensorColumns;
  const int warp = threadIdx.x / 32;
  const int row = warp / 4 * 64;
  const int column = warp % 4 * 64;
  const int tiles = static_cast<int>((k + kTensorDepth - 1) / kTensorDepth);

  const auto copy = [&](int tile) {
    __nv_bfloat16* stage = stages + tile % kTensorStages * kTensorStage<Layout>;
    const std::size_t first = std::size_t{kTensorDepth} * tile;
    if (tile < tiles) {
      tensor_copy<Layout, Aligned, kTensorRows>(stage, a, first_row, m, first, k);
      tensor_copy<Layout, Aligned, kTensorColumns>(stage + kTensorRows * kTensorStride<Layout>, b,
                                                   first_column, n, first, k);
    }
    __pipeline_commit();
  };
  float sums[4][8][4] = {};
  TensorFragment fragments[2];
  for (int tile = 0; tile < kTensorStages - 1; ++tile) copy(tile);
  __pipeline_wait_prior(kTensorStages - 2);
  __syncthreads();
  if (tiles > 0) tensor_fragment<Layout>(fragments[0], stages, row, column, 0);

  for (int tile = 0; tile < tiles; ++tile) {
    copy(tile + kTensorStages - 1);
    const __nv_bfloat16* now = stages + tile % kTensorStages * kTensorStage<Layout>;
    const __nv_bfloat16* next = stages + (tile + 1) % kTensorStages * kTensorStage<Layout>;
#pragma unroll
    for (int step = 0; step < kTensorDepth / 16; ++step) {
      TensorFragment& coming = fragments[(step + 1) % 2];
      if (step + 1 < kTensorDepth / 16) {
        tensor_fragment<Layout>(coming, now, row, column, (step + 1) * 16);
      } else {
        __pipeline_wait_prior(kTensorStages - 2);
        __syncthreads();
        if (tile + 1 < tiles) tensor_fragment<Layout>(coming, next, row, column, 0);
      }
      const TensorFragment& held = fragments[step % 2];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          tensor_multiply(sums[i][2 * j], held.left[i], held.right[j][0], held.right[j][1]);
          tensor_multiply(sums[i][2 * j + 1], held.left[i], held.right[j][2], held.right[j][3]);
        }
      }
    }
  }

  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::size_t out_row = first_row + row + i * 8 + lane / 4;
    if (out_row >= m) continue;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      tensor_store(c + out_row * n, first_column + column + j * 8 + lane % 4 * 2, n,
                   sums[i / 2][j][i % 2 * 2], sums[i / 2][j][i % 2 * 2 + 1]);
    }
  }
}

// C by a thread an element, summed in whole numbers; the reference for checks, of factors that are
// whole.
template <class Element>
__global__ void tensor_matmul_in_whole_numbers(const Element* a, const Element* b, Element* c,
                                               std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t row = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  int sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    sum += static_cast<int>(__bfloat162float(a[row * k + i])) *
           static_cast<int>(__bfloat162float(b[column * k + i]));
  }
  c[row * n + column] = __float2bfloat16(static_cast<float>(sum));
}

// to[i] = from[i], rounded.
template <class Element>
__global__ void tensor_rounded(const float* from, Element* to, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    to[i] = __float2bfloat16(from[i]);
  }
}
