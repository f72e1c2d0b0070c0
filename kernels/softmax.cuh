// SPDX-License-Identifier: Apache-2.0
// Softmax of every row of a matrix of floats, row-major: out = exp(in - largest) / sum of these.
//
// The largest is taken off so that no exponential overflows. Each row is needed for the largest,
// for the sum and for the result; the steps below differ in how often it comes from global memory,
// and in how the threads of a row share what they found.
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <cstddef>

#include "kernels/row_vectors.cuh"

// Threads a block. In all variants but the naive one a block has one row.
inline constexpr int kSoftmaxBlock = 256;

// A thread a row, in three passes. The lanes of a warp are `columns` elements apart: up to 32
// sectors a request, of which each lane uses 4 bytes.
__global__ void softmax_naive(const float* in, float* out, std::size_t rows, std::size_t columns) {
  const std::size_t row = std::size_t{blockIdx.x} * kSoftmaxBlock + threadIdx.x;
  if (row >= rows) return;
  in += row * columns;
  out += row * columns;
  float largest = -FLT_MAX;
  for (std::size_t i = 0; i < columns; ++i) largest = fmaxf(largest, in[i]);
  float sum = 0;
  for (std::size_t i = 0; i < columns; ++i) sum += expf(in[i] - largest);
  for (std::size_t i = 0; i < columns; ++i) out[i] = expf(in[i] - largest) / sum;
}

// A block a row, neighbouring threads neighbouring elements: 4 sectors a request. Two trees in
// shared memory, 1 wavefront a request and 17 barriers a row. Three passes over global memory; the
// second and third find a row that is not too long in a cache.
__global__ void softmax_shared(const float* in, float* out, std::size_t columns) {
  __shared__ float words[kSoftmaxBlock];
  const unsigned thread = threadIdx.x;
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float largest = -FLT_MAX;
  for (std::size_t i = thread; i < columns; i += kSoftmaxBlock) largest = fmaxf(largest, in[i]);
  words[thread] = largest;
  for (unsigned step = kSoftmaxBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    if (thread < step) words[thread] = fmaxf(words[thread], words[thread + step]);
  }
  __syncthreads();
  largest = words[0];
  __syncthreads();  // all have read it before the words are used again

  float sum = 0;
  for (std::size_t i = thread; i < columns; i += kSoftmaxBlock) sum += expf(in[i] - largest);
  words[thread] = sum;
  for (unsigned step = kSoftmaxBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    if (thread < step) words[thread] += words[thread + step];
  }
  __syncthreads();
  const float factor = 1 / words[0];
  for (std::size_t i = thread; i < columns; i += kSoftmaxBlock) {
    out[i] = expf(in[i] - largest) * factor;
  }
}

// The same passes, the trees replaced by exchanges between the registers of a warp and one word a
// warp in shared memory: 2 barriers a row.
__global__ void softmax_shuffle(const float* in, float* out, std::size_t columns) {
  constexpr int kWarps = kSoftmaxBlock / 32;
  __shared__ float largest_of[kWarps];
  __shared__ float sum_of[kWarps];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float largest = -FLT_MAX;
  for (std::size_t i = threadIdx.x; i < columns; i += kSoftmaxBlock) {
    largest = fmaxf(largest, in[i]);
  }
  for (int step = 16; step > 0; step /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, step));
  }
  if (threadIdx.x % 32 == 0) largest_of[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int warp = 0; warp < kWarps; ++warp) largest = fmaxf(largest, largest_of[warp]);

  float sum = 0;
  for (std::size_t i = threadIdx.x; i < columns; i += kSoftmaxBlock) sum += expf(in[i] - largest);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  if (threadIdx.x % 32 == 0) sum_of[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int warp = 0; warp < kWarps; ++warp) sum += sum_of[warp];
  const float factor = 1 / sum;
  for (std::size_t i = threadIdx.x; i < columns; i += kSoftmaxBlock) {
    out[i] = expf(in[i] - largest) * factor;
  }
}

// What is known of a part of a row: its largest element, and the sum of exp(element - largest).
struct SoftmaxPart {
  float largest = -FLT_MAX;
  float sum = 0;
};

// The sum of either part is brought to the larger of the two largest elements first.
__device__ inline SoftmaxPart softmax_joined(SoftmaxPart a, SoftmaxPart b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

// The block's part, in every thread. One barrier.
template <int Threads>
__device__ SoftmaxPart softmax_block(SoftmaxPart part) {
  __shared__ SoftmaxPart part_of[Threads / 32];
  for (int step = 16; step > 0; step /= 2) {
    part = softmax_joined(part, {__shfl_xor_sync(0xffffffffU, part.largest, step),
                                 __shfl_xor_sync(0xffffffffU, part.sum, step)});
  }
  if (threadIdx.x % 32 == 0) part_of[threadIdx.x / 32] = part;
  __syncthreads();
  part = part_of[0];
  for (int warp = 1; warp < Threads / 32; ++warp) part = softmax_joined(part, part_of[warp]);
  return part;
}

// Online: largest and sum in one pass, the sum corrected whenever a larger element comes. Two
// passes over global memory instead of three, for more exponentials; 1 barrier a row.
__global__ void softmax_online(const float* in, float* out, std::size_t columns) {
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  SoftmaxPart part;
  for (std::size_t i = threadIdx.x; i < columns; i += kSoftmaxBlock) {
    part = softmax_joined(part, {in[i], 1});
  }
  part = softmax_block<kSoftmaxBlock>(part);
  const float factor = 1 / part.sum;
  for (std::size_t i = threadIdx.x; i < columns; i += kSoftmaxBlock) {
    out[i] = expf(in[i] - part.largest) * factor;
  }
}

// In one pass: the row stays in registers, Vectors times 16 bytes a thread, all in flight at once.
// Each exponential is taken once, against the thread's own largest element, and corrected by one
// factor a thread. For rows of up to 4 · Threads · Vectors elements. `in` and `out` must lie on
// 16-byte boundaries.
template <int Threads, int Vectors>
__global__ void __launch_bounds__(Threads)
    softmax_in_registers(const float* in, float* out, std::size_t columns) {
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float4 held[Vectors];
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    held[k] = row_load(in, 4 * (k * Threads + threadIdx.x), columns, -FLT_MAX);
  }
  SoftmaxPart part;
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    const float4 v = held[k];
    part.largest = fmaxf(part.largest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  const float own = part.largest;
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    const float4 v = held[k];
    held[k] = make_float4(expf(v.x - own), expf(v.y - own), expf(v.z - own), expf(v.w - own));
    // A thread without elements has 4 · Vectors ones here, which its factor makes 0.
    part.sum += (held[k].x + held[k].y) + (held[k].z + held[k].w);
  }
  part = softmax_block<Threads>(part);
  const float factor = expf(own - part.largest) / part.sum;
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    const float4 v = held[k];
    row_store(out, 4 * (k * Threads + threadIdx.x), columns,
              make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor));
  }
}
