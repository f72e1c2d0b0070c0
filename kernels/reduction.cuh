// SPDX-License-Identifier: Apache-2.0
// Sum of n elements, T being float, double or int (which wraps around).
//
// The first variants compute a block's sum by a tree in shared memory with log2(256) = 8 steps and
// differ in which threads add which elements; the next ones shorten the tree. All of these leave
// one partial sum per block for the host to add. The last variants finish on the device.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstddef>

// Threads a block; in the first variants also elements.
inline constexpr unsigned kReductionBlock = 256;

// Adds neighbours first; every thread tests whether its index is a multiple of the step. Few lanes
// of every warp work: all 8 warps stay busy to the end, with most of their lanes idle.
template <class T>
__global__ void reduce_interleaved_divergent(const T* in, T* partial, std::size_t n) {
  __shared__ T sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kReductionBlock + thread;
  sums[thread] = i < n ? in[i] : T{0};
  __syncthreads();
  for (unsigned step = 1; step < kReductionBlock; step *= 2) {
    if (thread % (2 * step) == 0) sums[thread] += sums[thread + step];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

// The same additions by neighbouring threads, so that whole warps retire. Now the lanes of a warp
// are 2 · step words apart: up to 16 wavefronts a request.
template <class T>
__global__ void reduce_interleaved_indexed(const T* in, T* partial, std::size_t n) {
  __shared__ T sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kReductionBlock + thread;
  sums[thread] = i < n ? in[i] : T{0};
  __syncthreads();
  for (unsigned step = 1; step < kReductionBlock; step *= 2) {
    const unsigned index = 2 * step * thread;
    if (index < kReductionBlock) sums[index] += sums[index + step];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

// Halves added onto each other: neighbouring threads, neighbouring words. 1 wavefront a request.
template <class T>
__global__ void reduce_sequential(const T* in, T* partial, std::size_t n) {
  __shared__ T sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kReductionBlock + thread;
  sums[thread] = i < n ? in[i] : T{0};
  __syncthreads();
  for (unsigned step = kReductionBlock / 2; step > 0; step /= 2) {
    if (thread < step) sums[thread] += sums[thread + step];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

// Elements of a block of the variants that add two while they load.
inline constexpr std::size_t kReductionPairs = std::size_t{2} * kReductionBlock;

template <class T>
__device__ T reduction_pair(const T* in, std::size_t n) {
  const std::size_t i = blockIdx.x * kReductionPairs + threadIdx.x;
  T sum = i < n ? in[i] : T{0};
  if (i + kReductionBlock < n) sum += in[i + kReductionBlock];
  return sum;
}

// Before, half of the threads only loaded; here each adds two elements while loading. Half as many
// blocks, and barriers, for the same elements.
template <class T>
__global__ void reduce_first_add(const T* in, T* partial, std::size_t n) {
  __shared__ T sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  sums[thread] = reduction_pair(in, n);
  __syncthreads();
  for (unsigned step = kReductionBlock / 2; step > 0; step /= 2) {
    if (thread < step) sums[thread] += sums[thread + step];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

// The last six steps concern one warp only: no barrier of the block, and no other warp, is needed.
// The lanes of a warp may run apart, so each step waits twice: all have read, then all have
// written.
template <class T>
__global__ void reduce_unrolled_last_warp(const T* in, T* partial, std::size_t n) {
  __shared__ T sums[kReductionBlock];
  const unsigned thread = threadIdx.x;
  sums[thread] = reduction_pair(in, n);
  __syncthreads();
  for (unsigned step = kReductionBlock / 2; step > 32; step /= 2) {
    if (thread < step) sums[thread] += sums[thread + step];
    __syncthreads();
  }
  if (thread >= 32) return;
#pragma unroll
  for (unsigned step = 32; step > 0; step /= 2) {
    const T other = sums[thread + step];
    __syncwarp();
    sums[thread] += other;
    __syncwarp();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

template <class T>
__device__ T reduction_warp_sum(T sum) {
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffU, sum, step);
  return sum;
}

// The sum over the block, in thread 0: registers exchanged within each warp, one word a warp in
// shared memory, one barrier.
template <class T>
__device__ T reduction_block_sum(T sum) {
  __shared__ T sums[32];
  sum = reduction_warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return T{0};
  return reduction_warp_sum(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : T{0});
}

// No tree in shared memory at all.
template <class T>
__global__ void reduce_warp_shuffle(const T* in, T* partial, std::size_t n) {
  const T sum = reduction_block_sum(reduction_pair(in, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// 16 bytes of T, one access.
template <class T>
struct ReductionVector;
template <>
struct ReductionVector<float> {
  using Type = float4;
  static constexpr std::size_t kElements = 4;
};
template <>
struct ReductionVector<int> {
  using Type = int4;
  static constexpr std::size_t kElements = 4;
};
template <>
struct ReductionVector<double> {
  using Type = double2;
  static constexpr std::size_t kElements = 2;
};

__device__ inline float reduction_sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ inline int reduction_sum_of(int4 v) { return (v.x + v.y) + (v.z + v.w); }
__device__ inline double reduction_sum_of(double2 v) { return v.x + v.y; }

// Vectors that a thread has in flight.
inline constexpr int kReductionInFlight = 4;

// The calling thread's part of the sum, whatever the grid: it steps through the input by the size
// of the grid, 16 bytes an access. `in` must lie on a 16-byte boundary.
template <class T>
__device__ T reduction_grid_stride_sum(const T* in, std::size_t n) {
  using Vector = typename ReductionVector<T>::Type;
  constexpr std::size_t kElements = ReductionVector<T>::kElements;
  const Vector* vectors_in = reinterpret_cast<const Vector*>(in);
  const std::size_t vectors = n / kElements;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

  T sums[kReductionInFlight] = {};
  std::size_t i = thread;
  for (; i + (kReductionInFlight - 1) * threads < vectors; i += kReductionInFlight * threads) {
    Vector held[kReductionInFlight];
#pragma unroll
    for (int k = 0; k < kReductionInFlight; ++k) held[k] = vectors_in[i + k * threads];
#pragma unroll
    for (int k = 0; k < kReductionInFlight; ++k) sums[k] += reduction_sum_of(held[k]);
  }
  for (; i < vectors; i += threads) sums[0] += reduction_sum_of(vectors_in[i]);
  const std::size_t rest = vectors * kElements + thread;
  if (rest < n) sums[0] += in[rest];
  T sum = sums[0];
#pragma unroll
  for (int k = 1; k < kReductionInFlight; ++k) sum += sums[k];
  return sum;
}

// As many blocks as the GPU holds at once; each adds in registers until the input ends. The tree,
// and its barrier, then occur once per block instead of once every 512 elements.
template <class T>
__global__ void reduce_vectorized(const T* in, T* partial, std::size_t n) {
  const T sum = reduction_block_sum(reduction_grid_stride_sum(in, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// Finishing by a second kernel, of one block: a launch ends with everything written. *out is the
// sum of `count` partial sums.
template <class T>
__global__ void reduce_partials(const T* partial, T* out, std::size_t count) {
  T sum{0};
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) sum += partial[i];
  sum = reduction_block_sum(sum);
  if (threadIdx.x == 0) *out = sum;
}

// Clears the sum for reduce_atomic. One thread.
template <class T>
__global__ void reduce_clear(T* out) {
  *out = T{0};
}

// Finishing by atomics: one a block, in no particular order, so that sums of floating point differ
// in their last bits from run to run. *out must be 0.
template <class T>
__global__ void reduce_atomic(const T* in, T* out, std::size_t n) {
  const T sum = reduction_block_sum(reduction_grid_stride_sum(in, n));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// The last block finishes. Each block writes its partial sum, makes it visible by __threadfence and
// only then draws a ticket, so the block with the last ticket sees all partial sums. The ticket is
// 0 again afterwards.
template <class T>
__global__ void reduce_last_block(const T* in, T* partial, unsigned* ticket, T* out,
                                  std::size_t n) {
  __shared__ bool last;
  const T sum = reduction_block_sum(reduction_grid_stride_sum(in, n));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ticket, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  T total{0};
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) total += partial[i];
  total = reduction_block_sum(total);
  if (threadIdx.x > 0) return;
  *out = total;
  *ticket = 0;
}

// Finishes after a barrier of the whole grid. All blocks must run at once, so it needs a
// cooperative launch.
template <class T>
__global__ void reduce_grid_sync(const T* in, T* partial, T* out, std::size_t n) {
  const T sum = reduction_block_sum(reduction_grid_stride_sum(in, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x > 0) return;
  T total{0};
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) total += partial[i];
  total = reduction_block_sum(total);
  if (threadIdx.x == 0) *out = total;
}
