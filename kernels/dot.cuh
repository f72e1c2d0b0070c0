// SPDX-License-Identifier: Apache-2.0
// Dot product of two vectors of n elements, T being float, double or long (64-bit integers).
//
// Every variant walks through the input by the size of the grid and adds in registers; a block then
// adds its threads' sums. The first two leave one partial sum a block, for the host to add.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

inline constexpr unsigned kDotBlock = 256;

template <class T>
__device__ T dot_grid_stride_sum(const T* a, const T* b, std::size_t n) {
  T sum{0};
  const std::size_t threads = std::size_t{gridDim.x} * kDotBlock;
  for (std::size_t i = std::size_t{blockIdx.x} * kDotBlock + threadIdx.x; i < n; i += threads) {
    sum += a[i] * b[i];
  }
  return sum;
}

// The block's sum of cache[0] to cache[kDotBlock - 1], in cache[0]. 1 wavefront a request (2 for
// 8-byte elements), 8 barriers.
template <class T>
__device__ void dot_tree(T* cache) {
  for (unsigned step = kDotBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) cache[threadIdx.x] += cache[threadIdx.x + step];
  }
}

// A cache of one element a thread, its size known when compiled.
template <class T>
__global__ void dot_static_shared(const T* a, const T* b, T* partial, std::size_t n) {
  __shared__ T cache[kDotBlock];
  cache[threadIdx.x] = dot_grid_stride_sum(a, b, n);
  dot_tree(cache);
  if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

// The same cache, its size given by the launch: kDotBlock · sizeof(T) bytes.
template <class T>
__global__ void dot_dynamic_shared(const T* a, const T* b, T* partial, std::size_t n) {
  extern __shared__ __align__(16) unsigned char dot_dynamic_memory[];
  T* cache = reinterpret_cast<T*>(dot_dynamic_memory);
  cache[threadIdx.x] = dot_grid_stride_sum(a, b, n);
  dot_tree(cache);
  if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

template <class T>
__device__ T dot_warp_sum(T sum) {
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffU, sum, step);
  return sum;
}

// The sum over the block, in thread 0. One barrier.
template <class T>
__device__ T dot_block_sum(T sum) {
  __shared__ T sums[kDotBlock / 32];
  sum = dot_warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return T{0};
  return dot_warp_sum(threadIdx.x < kDotBlock / 32 ? sums[threadIdx.x] : T{0});
}

// The last block adds up all partial sums. Each block writes its partial sum before it draws its
// ticket; __threadfence ensures that order. The ticket is 0 before and after.
template <class T>
__device__ void dot_finish(T sum, T* partial, unsigned* ticket, T* out) {
  __shared__ bool last;
  sum = dot_block_sum(sum);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ticket, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  T total{0};
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kDotBlock) total += partial[i];
  total = dot_block_sum(total);
  if (threadIdx.x > 0) return;
  *out = total;
  *ticket = 0;
}

// Leaves nothing for the host: one number comes back, without a copy or a wait in between.
template <class T>
__global__ void dot_device_finish(const T* a, const T* b, T* partial, unsigned* ticket, T* out,
                                  std::size_t n) {
  dot_finish(dot_grid_stride_sum(a, b, n), partial, ticket, out);
}

// 16 bytes of T, one access.
template <class T>
struct DotVector;
template <>
struct DotVector<float> {
  using Type = float4;
  static constexpr std::size_t kElements = 4;
};
template <>
struct DotVector<double> {
  using Type = double2;
  static constexpr std::size_t kElements = 2;
};
template <>
struct DotVector<std::int64_t> {
  using Type = longlong2;
  static constexpr std::size_t kElements = 2;
};

__device__ inline float dot_of(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}
__device__ inline double dot_of(double2 a, double2 b) { return a.x * b.x + a.y * b.y; }
__device__ inline std::int64_t dot_of(longlong2 a, longlong2 b) { return a.x * b.x + a.y * b.y; }

// Pairs of vectors that a thread has in flight.
inline constexpr int kDotInFlight = 2;

// 16 bytes an access, several in flight. `a` and `b` must lie on 16-byte boundaries.
template <class T>
__global__ void dot_vectorized(const T* a, const T* b, T* partial, unsigned* ticket, T* out,
                               std::size_t n) {
  using Vector = typename DotVector<T>::Type;
  constexpr std::size_t kElements = DotVector<T>::kElements;
  const Vector* vectors_a = reinterpret_cast<const Vector*>(a);
  const Vector* vectors_b = reinterpret_cast<const Vector*>(b);
  const std::size_t vectors = n / kElements;
  const std::size_t threads = std::size_t{gridDim.x} * kDotBlock;
  const std::size_t thread = std::size_t{blockIdx.x} * kDotBlock + threadIdx.x;

  T sums[kDotInFlight] = {};
  std::size_t i = thread;
  for (; i + (kDotInFlight - 1) * threads < vectors; i += kDotInFlight * threads) {
    Vector held_a[kDotInFlight];
    Vector held_b[kDotInFlight];
#pragma unroll
    for (int k = 0; k < kDotInFlight; ++k) {
      held_a[k] = vectors_a[i + k * threads];
      held_b[k] = vectors_b[i + k * threads];
    }
#pragma unroll
    for (int k = 0; k < kDotInFlight; ++k) sums[k] += dot_of(held_a[k], held_b[k]);
  }
  for (; i < vectors; i += threads) sums[0] += dot_of(vectors_a[i], vectors_b[i]);
  const std::size_t rest = vectors * kElements + thread;
  if (rest < n) sums[0] += a[rest] * b[rest];
  T sum = sums[0];
#pragma unroll
  for (int k = 1; k < kDotInFlight; ++k) sum += sums[k];
  dot_finish(sum, partial, ticket, out);
}
