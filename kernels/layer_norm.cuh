// SPDX-License-Identifier: Apache-2.0
// Layer norm of every row of a matrix of floats, row-major: out = (in - mean) / sqrt(variance +
// kLayerNormEpsilon) · weight + bias, with one weight and one bias a column.
//
// The variance is the mean square of what differs from the mean, so the mean comes first. The usual
// way around that, mean of squares less square of mean, loses all digits where the mean is large
// against the spread; no variant takes it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/row_vectors.cuh"

inline constexpr float kLayerNormEpsilon = 1e-5F;

// Threads a block. In all variants but the naive one a block has one row.
inline constexpr int kLayerNormBlock = 256;

// A thread a row, in three passes. The lanes of a warp are `columns` elements apart: up to 32
// sectors a request, of which each lane uses 4 bytes.
__global__ void layer_norm_naive(const float* in, const float* weight, const float* bias,
                                 float* out, std::size_t rows, std::size_t columns) {
  const std::size_t row = std::size_t{blockIdx.x} * kLayerNormBlock + threadIdx.x;
  if (row >= rows) return;
  in += row * columns;
  out += row * columns;
  float sum = 0;
  for (std::size_t i = 0; i < columns; ++i) sum += in[i];
  const float mean = sum / static_cast<float>(columns);
  float squares = 0;
  for (std::size_t i = 0; i < columns; ++i) squares += (in[i] - mean) * (in[i] - mean);
  const float scale = rsqrtf(squares / static_cast<float>(columns) + kLayerNormEpsilon);
  for (std::size_t i = 0; i < columns; ++i) out[i] = (in[i] - mean) * scale * weight[i] + bias[i];
}

// A block a row, neighbouring threads neighbouring elements: 4 sectors a request. Two trees in
// shared memory, 1 wavefront a request and 19 barriers a row. Three passes over global memory; the
// second and third find a row that is not too long in a cache.
__device__ inline float layer_norm_tree(float* words, float value) {
  words[threadIdx.x] = value;
  for (unsigned step = kLayerNormBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) words[threadIdx.x] += words[threadIdx.x + step];
  }
  __syncthreads();
  return words[0];
}
__global__ void layer_norm_shared(const float* in, const float* weight, const float* bias,
                                  float* out, std::size_t columns) {
  __shared__ float words[kLayerNormBlock];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) sum += in[i];
  const float mean = layer_norm_tree(words, sum) / static_cast<float>(columns);
  __syncthreads();  // all have read it before the words are used again
  float squares = 0;
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) {
    squares += (in[i] - mean) * (in[i] - mean);
  }
  const float variance = layer_norm_tree(words, squares) / static_cast<float>(columns);
  const float scale = rsqrtf(variance + kLayerNormEpsilon);
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) {
    out[i] = (in[i] - mean) * scale * weight[i] + bias[i];
  }
}

// The sum over the block, in every thread: registers exchanged within each warp, one word a warp in
// shared memory, one barrier. `words` must not be in use.
template <int Threads>
__device__ float layer_norm_block_sum(float* words, float sum) {
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int warp = 0; warp < Threads / 32; ++warp) sum += words[warp];
  return sum;
}

// The same passes without trees: 2 barriers a row.
__global__ void layer_norm_shuffle(const float* in, const float* weight, const float* bias,
                                   float* out, std::size_t columns) {
  __shared__ float words[2][kLayerNormBlock / 32];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) sum += in[i];
  sum = layer_norm_block_sum<kLayerNormBlock>(words[0], sum);
  const float mean = sum / static_cast<float>(columns);
  float squares = 0;
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) {
    squares += (in[i] - mean) * (in[i] - mean);
  }
  squares = layer_norm_block_sum<kLayerNormBlock>(words[1], squares);
  const float scale = rsqrtf(squares / static_cast<float>(columns) + kLayerNormEpsilon);
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) {
    out[i] = (in[i] - mean) * scale * weight[i] + bias[i];
  }
}

// What is known of a part of a row: how many elements it has, their mean, and the sum of the
// squares of what differs from it.
struct LayerNormPart {
  float count = 0;
  float mean = 0;
  float squares = 0;
};

// Chan, Golub and LeVeque, 1979: exact but for rounding, whatever the sizes of the two parts.
__device__ inline LayerNormPart layer_norm_joined(LayerNormPart a, LayerNormPart b) {
  const float count = a.count + b.count;
  if (count == 0) return a;
  const float apart = b.mean - a.mean;
  const float share = b.count / count;
  return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * a.count * share};
}

// Online, after Welford: mean and squares in one pass, both corrected by each element. Two passes
// over global memory instead of three, for a division an element; 1 barrier a row.
__global__ void layer_norm_online(const float* in, const float* weight, const float* bias,
                                  float* out, std::size_t columns) {
  constexpr int kWarps = kLayerNormBlock / 32;
  __shared__ LayerNormPart part_of[kWarps];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  LayerNormPart part;
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) {
    part = layer_norm_joined(part, {1, in[i], 0});
  }
  for (int step = 16; step > 0; step /= 2) {
    part = layer_norm_joined(part, {__shfl_xor_sync(0xffffffffU, part.count, step),
                                    __shfl_xor_sync(0xffffffffU, part.mean, step),
                                    __shfl_xor_sync(0xffffffffU, part.squares, step)});
  }
  if (threadIdx.x % 32 == 0) part_of[threadIdx.x / 32] = part;
  __syncthreads();
  part = part_of[0];
  for (int warp = 1; warp < kWarps; ++warp) part = layer_norm_joined(part, part_of[warp]);
  const float scale = rsqrtf(part.squares / static_cast<float>(columns) + kLayerNormEpsilon);
  for (std::size_t i = threadIdx.x; i < columns; i += kLayerNormBlock) {
    out[i] = (in[i] - part.mean) * scale * weight[i] + bias[i];
  }
}

// In one pass: the row stays in registers, Vectors times 16 bytes a thread, all in flight at once.
// So mean and variance can be taken one after the other at no cost but a second barrier. For rows
// of up to 4 · Threads · Vectors elements. All four arrays must lie on 16-byte boundaries.
template <int Threads, int Vectors>
__global__ void __launch_bounds__(Threads)
    layer_norm_in_registers(const float* in, const float* weight, const float* bias, float* out,
                            std::size_t columns) {
  __shared__ float words[2][Threads / 32];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float4 held[Vectors];
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    held[k] = row_load(in, 4 * (k * Threads + threadIdx.x), columns, 0);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < Vectors; ++k) sum += (held[k].x + held[k].y) + (held[k].z + held[k].w);
  const float mean = layer_norm_block_sum<Threads>(words[0], sum) / static_cast<float>(columns);
  float squares = 0;
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    const std::size_t column = 4 * (k * Threads + threadIdx.x);
    const float4 v =
        make_float4(held[k].x - mean, held[k].y - mean, held[k].z - mean, held[k].w - mean);
    held[k] = v;
    if (column < columns) squares += v.x * v.x;
    if (column + 1 < columns) squares += v.y * v.y;
    if (column + 2 < columns) squares += v.z * v.z;
    if (column + 3 < columns) squares += v.w * v.w;
  }
  squares = layer_norm_block_sum<Threads>(words[1], squares);
  const float scale = rsqrtf(squares / static_cast<float>(columns) + kLayerNormEpsilon);
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    const std::size_t column = 4 * (k * Threads + threadIdx.x);
    const float4 v = held[k];
    const float4 factor = row_load(weight, column, columns, 0);
    const float4 offset = row_load(bias, column, columns, 0);
    row_store(out, column, columns,
              make_float4(v.x * scale * factor.x + offset.x, v.y * scale * factor.y + offset.y,
                          v.z * scale * factor.z + offset.z, v.w * scale * factor.w + offset.w));
  }
}
