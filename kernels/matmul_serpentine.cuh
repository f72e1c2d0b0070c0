// SPDX-License-Identifier: Apache-2.0
// The fastest product of matmul.cuh, for what is whole tiles.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/matmul.cuh"

inline constexpr int kSerpentineRow = kMatmulTileRows + 4;  // of A's tile, which is turned round
inline constexpr int kSerpentineA = kMatmulDepth * kSerpentineRow;
inline constexpr int kSerpentineTiles = kSerpentineA + kMatmulDepth * kMatmulTileColumns;

// Every second row of sums from right to left, so that each multiplication has a factor in common
// with the one before: ptxas keeps it at hand (`.reuse`), and the multiplications need fewer reads
// of registers, whose banks are what they wait for. 980 of the 1,024 multiplications of the inner
// loop have it, which another 2 % is due to; with tiles in a struct ptxas finds 830 to 890, which
// is slower than merged reads, and without the 1 of the launch bounds 943. m, n and k are whole
// tiles, and fit into an int.
__global__ void __launch_bounds__(kMatmulThreads, 1)
    matmul_serpentine(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c, int n, int k) {
  __shared__ __align__(16) float buffers[2 * kSerpentineTiles];
  const int across = n / kMatmulTileColumns;
  const int first_row = static_cast<int>(blockIdx.x) / across * kMatmulTileRows;
  const int first_column = static_cast<int>(blockIdx.x) % across * kMatmulTileColumns;
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = warp / 4 * 64 + matmul_lane_row<true>(lane) * 4;
  const int column = warp % 4 * 64 + matmul_lane_column<true>(lane) * 4;

  const int depth_a = thread % kMatmulDepth;
  const int row_a = thread / kMatmulDepth;
  const int depth_b = thread / (kMatmulTileColumns / 4);
  const int column_b = thread % (kMatmulTileColumns / 4) * 4;
  const float* from_a = a + static_cast<std::size_t>(first_row + row_a) * k + depth_a;
  const float* from_b = b + static_cast<std::size_t>(depth_b) * n + first_column + column_b;
  const auto copy = [&](int to) {
    float* const tile_a = buffers + to * kSerpentineTiles;
    float* const tile_b = tile_a + kSerpentineA;
#pragma unroll
    for (int i = 0; i < kMatmulTileRows; i += kMatmulThreads / kMatmulDepth) {
      __pipeline_memcpy_async(tile_a + depth_a * kSerpentineRow + row_a + i,
                              from_a + static_cast<std::size_t>(i) * k, 4);
    }
#pragma unroll
    for (int i = 0; i < kMatmulDepth; i += 4 * kMatmulThreads / kMatmulTileColumns) {
      __pipeline_memcpy_async(tile_b + (depth_b + i) * kMatmulTileColumns + column_b,
                              from_b + static_cast<std::size_t>(i) * n, 16);
    }
    from_a += kMatmulDepth;
    from_b += static_cast<std::size_t>(kMatmulDepth) * n;
  };

  const auto load = [&](float(&left)[8], float(&right)[16], int from, int depth) {
    const float* const tile_a = buffers + from * kSerpentineTiles;
    const float* const tile_b = tile_a + kSerpentineA;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      matmul_load_four(&left[4 * i], tile_a + depth * kSerpentineRow + row + 32 * i);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      matmul_load_four(&right[4 * j], tile_b + depth * kMatmulTileColumns + column + 16 * j);
    }
  };

  float sums[8][16] = {};
  float left[2][8];
  float right[2][16];
  const int tiles = k / kMatmulDepth;
  copy(0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  load(left[0], right[0], 0, 0);
  int current = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int next = tile + 1 < tiles ? 1 - current : current;
    if (tile + 1 < tiles) copy(next);
    __pipeline_commit();
#pragma unroll
    for (int depth = 0; depth < kMatmulDepth; ++depth) {
      const int now = depth % 2;
      if (depth + 1 < kMatmulDepth) {
        load(left[1 - now], right[1 - now], current, depth + 1);
      } else {
        // After the last tile this loads unused data, but a branch here would cost more.
        __pipeline_wait_prior(0);
        __syncthreads();
        load(left[1 - now], right[1 - now], next, 0);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
          const int j = i % 2 == 1 ? 15 - step : step;
          sums[i][j] += left[now][i] * right[now][j];
        }
      }
    }
    current = next;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* out = c + static_cast<std::size_t>(first_row + row + i / 4 * 32 + i % 4) * n +
                 first_column + column;
#pragma unroll
    for (int j = 0; j < 16; j += 4) {
      *reinterpret_cast<float4*>(out + j * 4) =
          make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    }
  }
}
