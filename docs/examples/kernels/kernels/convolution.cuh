// SPDX-License-Identifier: Apache-2.0
// Convolution of the columns of an image with a filter: out(row, column) is the sum of
// filter[kRadius + k] · in(row + k, column) for k from -kRadius to kRadius. Beyond the image is 0.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr int kRadius = 4;
inline constexpr int kTileColumns = 16;
inline constexpr int kTileRows = 16;

// Written by the host, with cudaMemcpyToSymbol.
__constant__ float convolution_filter[2 * kRadius + 1];

// Every neighbour from global memory: 2 · kRadius + 1 reads a pixel.
__global__ void convolve_columns_global(const float* in, float* out, int rows, int columns) {
  const int column = blockIdx.x * kTileColumns + threadIdx.x;
  const int row = blockIdx.y * kTileRows + threadIdx.y;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k) {
    if (row + k < 0 || row + k >= rows) continue;
    sum += convolution_filter[kRadius + k] * in[std::size_t(row + k) * columns + column];
  }
  out[std::size_t(row) * columns + column] = sum;
}

// The tile, and kRadius rows above and below it, in shared memory: each pixel of those is read
// once. Two rows of 16 pixels are 32 neighbouring words, 1 wavefront a request. Stride is how many
// words apart the rows of the tile are.
template <int Stride>
__global__ void convolve_columns_shared(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[(kTileRows + 2 * kRadius) * Stride];
  const int column = blockIdx.x * kTileColumns + threadIdx.x;
  const int first_row = blockIdx.y * kTileRows - kRadius;
  for (int j = threadIdx.y; j < kTileRows + 2 * kRadius; j += kTileRows) {
    const int row = first_row + j;
    const bool inside = row >= 0 && row < rows && column < columns;
    tile[j * Stride + threadIdx.x] = inside ? in[std::size_t(row) * columns + column] : 0;
  }
  __syncthreads();
  const int row = blockIdx.y * kTileRows + threadIdx.y;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) {
    sum += convolution_filter[k] * tile[(threadIdx.y + k) * Stride + threadIdx.x];
  }
  out[std::size_t(row) * columns + column] = sum;
}
