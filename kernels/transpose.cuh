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
__host__ __device__ inline std::size_t transpose_tiles_across(std::size_t extent,
                                                              int tile = kTransposeTile) {
  return (extent + tile - 1) / tile;
}

// The same without transposing: copies in to out, one element per thread, tile by tile like the
// transposes. Coalesced both ways, 4 sectors a request. Kernels that move more bytes per thread can
// be faster, like bandwidth/copy; so can a transpose.
__global__ void transpose_copy(const float* in, float* out, std::size_t rows, std::size_t columns) {
  const std::size_t tiles_across = transpose_tiles_across(columns);
  const std::size_t column = blockIdx.x % tiles_across * kTransposeTile + threadIdx.x;
  const std::size_t first_row = blockIdx.x / tiles_across * kTransposeTile + threadIdx.y;
  for (int j = 0; j < kTransposeTile; j += kTransposeRows) {
    const std::size_t row = first_row + j;
    if (row < rows && column < columns) out[row * columns + column] = in[row * columns + column];
  }
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

// Free of conflicts without padding: row j of the tile is stored with its columns exchanged by
// column ^ j, so that a column of the matrix again touches every bank once.
__global__ void transpose_swizzled(const float* in, float* out, std::size_t rows,
                                   std::size_t columns) {
  __shared__ float tile[kTransposeTile][kTransposeTile];
  const std::size_t tiles_across = transpose_tiles_across(columns);
  const std::size_t tile_column = blockIdx.x % tiles_across * kTransposeTile;
  const std::size_t tile_row = blockIdx.x / tiles_across * kTransposeTile;

  for (int j = threadIdx.y; j < kTransposeTile; j += kTransposeRows) {
    const std::size_t row = tile_row + j;
    const std::size_t column = tile_column + threadIdx.x;
    if (row < rows && column < columns) tile[j][threadIdx.x ^ j] = in[row * columns + column];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < kTransposeTile; j += kTransposeRows) {
    const std::size_t row = tile_column + j;
    const std::size_t column = tile_row + threadIdx.x;
    if (row < columns && column < rows)
      out[row * rows + column] = tile[threadIdx.x][threadIdx.x ^ j];
  }
}

// A tile of 64 × 64, moved by 16 × 16 threads four rows of four neighbours each.
inline constexpr int kTransposeWideTile = 64;
inline constexpr int kTransposeWideThreads = 16;

// Four neighbours of a row from `column` on; those beyond the row's end are not touched. Rows begin
// on a 16-byte boundary only where their length is a multiple of four. Streaming: marked as not
// needed again.
template <bool Streaming>
__device__ inline void transpose_load(const float* row, std::size_t column, std::size_t columns,
                                      float (&values)[4]) {
  if (columns % 4 == 0) {
    if (column >= columns) return;
    const auto* from = reinterpret_cast<const float4*>(row + column);
    const float4 vector = Streaming ? __ldcs(from) : *from;
    values[0] = vector.x;
    values[1] = vector.y;
    values[2] = vector.z;
    values[3] = vector.w;
    return;
  }
  for (int k = 0; k < 4; ++k) {
    if (column + k < columns) values[k] = row[column + k];
  }
}

template <bool Streaming>
__device__ inline void transpose_store(float* row, std::size_t column, std::size_t columns,
                                       const float (&values)[4]) {
  if (columns % 4 == 0) {
    if (column >= columns) return;
    const float4 vector = make_float4(values[0], values[1], values[2], values[3]);
    if constexpr (Streaming) {
      __stcs(reinterpret_cast<float4*>(row + column), vector);
    } else {
      *reinterpret_cast<float4*>(row + column) = vector;
    }
    return;
  }
  for (int k = 0; k < 4; ++k) {
    if (column + k < columns) row[column + k] = values[k];
  }
}

// Where an element of the wide tile lies. A warp stores every fourth word of two rows, and loads
// every fourth row of two columns. With rows padded by three, and two words left out in the middle
// of each row and of the tile, either lies in 32 banks: 1 wavefront a request.
__host__ __device__ constexpr int transpose_wide_word(int row, int column) {
  return row * (kTransposeWideTile + 3) + row / 32 * 2 + column + column / 32 * 2;
}

// More bytes in flight for fewer instructions: 16 bytes a thread and access in global memory, in
// which a tile's rows are 256 bytes long, marked as not needed again (on an H200 that alone makes
// it 28 % faster: the L2 cache does not keep data that only passes through). Shared memory is
// accessed by word.
__global__ void transpose_wide(const float* in, float* out, std::size_t rows, std::size_t columns) {
  constexpr int kLast = kTransposeWideTile - 1;
  __shared__ float tile[transpose_wide_word(kLast, kLast) + 1];
  const std::size_t tiles_across = transpose_tiles_across(columns, kTransposeWideTile);
  const std::size_t tile_column = blockIdx.x % tiles_across * kTransposeWideTile;
  const std::size_t tile_row = blockIdx.x / tiles_across * kTransposeWideTile;
  const int x = 4 * threadIdx.x;

#pragma unroll
  for (int j = threadIdx.y; j < kTransposeWideTile; j += kTransposeWideThreads) {
    float values[4] = {};
    if (tile_row + j < rows) {
      transpose_load<true>(in + (tile_row + j) * columns, tile_column + x, columns, values);
    }
    for (int k = 0; k < 4; ++k) tile[transpose_wide_word(j, x + k)] = values[k];
  }
  __syncthreads();
#pragma unroll
  for (int j = threadIdx.y; j < kTransposeWideTile; j += kTransposeWideThreads) {
    float values[4];
    for (int k = 0; k < 4; ++k) values[k] = tile[transpose_wide_word(x + k, j)];
    if (tile_column + j < columns) {
      transpose_store<true>(out + (tile_column + j) * rows, tile_row + x, rows, values);
    }
  }
}

// As transpose_wide, but each thread reads 4 rows of 4 neighbours, and turns that block of 16 round
// in its registers: so shared memory, too, is accessed by 16 bytes a lane, a quarter of the
// requests at 4 wavefronts each. Instead of padding, block (row, column) of the tile lies at column
// ^ row. Tiles are taken column by column: what runs at one time then writes whole rows of the
// output.
__global__ void transpose_turned(const float* in, float* out, std::size_t rows,
                                 std::size_t columns) {
  constexpr int kAcross = kTransposeWideTile / 4;
  __shared__ float4 tile[kTransposeWideTile][kAcross];
  const std::size_t tiles_down = transpose_tiles_across(rows, kTransposeWideTile);
  const std::size_t tile_row = blockIdx.x % tiles_down * kTransposeWideTile;
  const std::size_t tile_column = blockIdx.x / tiles_down * kTransposeWideTile;
  const int x = threadIdx.x;
  const int y = threadIdx.y;

  float values[4][4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::size_t row = tile_row + 4 * y + i;
    if (row < rows) {
      transpose_load<false>(in + row * columns, tile_column + 4 * x, columns, values[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    tile[4 * x + i][y ^ x] = make_float4(values[0][i], values[1][i], values[2][i], values[3][i]);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int j = y + i * kAcross;  // of the output's rows
    const float4 v = tile[j][x ^ j / 4];
    const float four[4] = {v.x, v.y, v.z, v.w};
    if (tile_column + j < columns) {
      transpose_store<false>(out + (tile_column + j) * rows, tile_row + 4 * x, rows, four);
    }
  }
}
