// SPDX-License-Identifier: Apache-2.0
// Transpose of a matrix of floats: rows × columns in, columns × rows out, both row-major.
//
// A transpose moves every element once and computes nothing, so it can run at the speed of a copy.
// What keeps it from that is the order of its accesses, first in global, then in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// A block moves a square tile, kTransposeRows rows at a time.
inline constexpr int kTransposeTile = 32;
inline constexpr int kTransposeRows = 8;

// Tiles are counted row by row along x, the only grid dimension that takes more than 65,535 blocks.
__host__ __device__ inline std::size_t transpose_tiles_across(std::size_t extent) {
  return (extent + kTransposeTile - 1) / kTransposeTile;
}

// One thread an element, straight from input to output. Reads are coalesced: 4 sectors a request.
// Writes are `rows` elements apart: 32 sectors a request.
__global__ void transpose_naive(const float* in, float* out, std::size_t rows,
                                std::size_t columns) {
  const std::size_t tiles_across = transpose_tiles_across(columns);
  const std::size_t column = blockIdx.x % tiles_across * kTransposeTile + threadIdx.x;
  const std::size_t first_row = blockIdx.x / tiles_across * kTransposeTile + threadIdx.y;
  for (int j = 0; j < kTransposeTile; j += kTransposeRows) {
    const std::size_t row = first_row + j;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
  }
}

// Through shared memory, so that global reads and writes are both coalesced. One barrier a tile.
//
// Padding is in floats a row of the tile. Without it, the lanes of a warp read a column of the
// tile, whose elements all lie in one bank: 32 wavefronts a request. With one float of padding a
// column touches every bank once: 1 wavefront a request, for 128 bytes more a block.
template <int Padding>
__global__ void transpose_tiled(const float* in, float* out, std::size_t rows,
                                std::size_t columns) {
  __shared__ float tile[kTransposeTile][kTransposeTile + Padding];
  const std::size_t tiles_across = transpose_tiles_across(columns);
  const std::size_t tile_column = blockIdx.x % tiles_across * kTransposeTile;
  const std::size_t tile_row = blockIdx.x / tiles_across * kTransposeTile;

  for (int j = threadIdx.y; j < kTransposeTile; j += kTransposeRows) {
    const std::size_t row = tile_row + j;
    const std::size_t column = tile_column + threadIdx.x;
    if (row < rows && column < columns) tile[j][threadIdx.x] = in[row * columns + column];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < kTransposeTile; j += kTransposeRows) {
    const std::size_t row = tile_column + j;
    const std::size_t column = tile_row + threadIdx.x;
    if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][j];
  }
}
