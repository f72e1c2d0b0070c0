// SPDX-License-Identifier: Apache-2.0
// Reversal. The teaching versions reverse what one block holds, so segment by segment here; the
// last two reverse the whole array.
//
// Reading forwards and writing backwards, or the other way, is coalesced either way on GPUs since
// sm_20: a warp's 32 words are the same four sectors in any order.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Threads a block, one element each: the length of a segment. The last one may be shorter.
inline constexpr unsigned kReverseBlock = 256;

// Elements of the calling block's segment.
__device__ inline unsigned reverse_segment_length(std::size_t n) {
  const std::size_t left = n - std::size_t{blockIdx.x} * kReverseBlock;
  return left < kReverseBlock ? static_cast<unsigned>(left) : kReverseBlock;
}

// Element i of each segment becomes its last but i. The segment lies in an array whose size is
// known when compiled. 1 wavefront a request, one barrier.
__global__ void reverse_static_shared(const int* in, int* out, std::size_t n) {
  __shared__ int words[kReverseBlock];
  const std::size_t segment = std::size_t{blockIdx.x} * kReverseBlock;
  const unsigned length = reverse_segment_length(n);
  if (threadIdx.x < length) words[threadIdx.x] = in[segment + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < length) out[segment + threadIdx.x] = words[length - 1 - threadIdx.x];
}

// The same, the size of the array given by the launch: kReverseBlock · sizeof(int) bytes.
__global__ void reverse_dynamic_shared(const int* in, int* out, std::size_t n) {
  extern __shared__ __align__(16) unsigned char reverse_dynamic_memory[];
  int* words = reinterpret_cast<int*>(reverse_dynamic_memory);
  const std::size_t segment = std::size_t{blockIdx.x} * kReverseBlock;
  const unsigned length = reverse_segment_length(n);
  if (threadIdx.x < length) words[threadIdx.x] = in[segment + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < length) out[segment + threadIdx.x] = words[length - 1 - threadIdx.x];
}

// Bytes of dynamic shared memory that reverse_three_arrays takes for segments of `length`.
__host__ __device__ inline std::size_t reverse_three_arrays_bytes(std::size_t length) {
  return length * (sizeof(double) + sizeof(int) + sizeof(char));
}

// Three arrays of different types from one dynamic allocation, each reversed segment by segment.
// A launch gives one allocation, aligned for any type; each array in it must begin at a multiple of
// its own alignment. In the order of falling alignment that comes by itself, whatever the length:
// char before double would put the doubles at a multiple of 1.
__global__ void reverse_three_arrays(const double* doubles_in, const int* ints_in,
                                     const char* chars_in, double* doubles_out, int* ints_out,
                                     char* chars_out, std::size_t n) {
  extern __shared__ __align__(16) unsigned char reverse_dynamic_memory[];
  const std::size_t segment = std::size_t{blockIdx.x} * kReverseBlock;
  const unsigned length = reverse_segment_length(n);
  double* doubles = reinterpret_cast<double*>(reverse_dynamic_memory);
  int* ints = reinterpret_cast<int*>(doubles + length);
  char* chars = reinterpret_cast<char*>(ints + length);
  const unsigned thread = threadIdx.x;
  if (thread < length) {
    doubles[thread] = doubles_in[segment + thread];
    ints[thread] = ints_in[segment + thread];
    chars[thread] = chars_in[segment + thread];
  }
  __syncthreads();
  if (thread < length) {
    doubles_out[segment + thread] = doubles[length - 1 - thread];
    ints_out[segment + thread] = ints[length - 1 - thread];
    chars_out[segment + thread] = chars[length - 1 - thread];
  }
}

// The whole array: a segment reversed goes to where it lies mirrored.
__global__ void reverse_grid_wide(const int* in, int* out, std::size_t n) {
  __shared__ int words[kReverseBlock];
  const std::size_t segment = std::size_t{blockIdx.x} * kReverseBlock;
  const unsigned length = reverse_segment_length(n);
  if (threadIdx.x < length) words[threadIdx.x] = in[segment + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < length) {
    out[n - segment - length + threadIdx.x] = words[length - 1 - threadIdx.x];
  }
}

// Vectors of four that a thread has in flight, and elements of its block.
inline constexpr unsigned kReverseVectors = 4;
inline constexpr std::size_t kReverseTile = std::size_t{4} * kReverseVectors * kReverseBlock;

// The whole array without shared memory, four elements an access, turned round in registers. The
// mirror of a vector lies on a 16-byte boundary only if n is a multiple of four; otherwise every
// element is written by itself. `in` and `out` must lie on 16-byte boundaries.
__global__ void reverse_vectorized(const int* in, int* out, std::size_t n) {
  const std::size_t tile = blockIdx.x * kReverseTile;
  int4 held[kReverseVectors];
#pragma unroll
  for (unsigned k = 0; k < kReverseVectors; ++k) {
    const std::size_t i = tile + 4 * (k * kReverseBlock + threadIdx.x);
    if (i + 4 <= n) held[k] = *reinterpret_cast<const int4*>(in + i);
  }
#pragma unroll
  for (unsigned k = 0; k < kReverseVectors; ++k) {
    const std::size_t i = tile + 4 * (k * kReverseBlock + threadIdx.x);
    const int4 v = held[k];
    if (i + 4 > n) {
      for (std::size_t j = i; j < n; ++j) out[n - 1 - j] = in[j];
    } else if (n % 4 == 0) {
      *reinterpret_cast<int4*>(out + (n - 4 - i)) = make_int4(v.w, v.z, v.y, v.x);
    } else {
      int* mirror = out + (n - 4 - i);
      mirror[0] = v.w;
      mirror[1] = v.z;
      mirror[2] = v.y;
      mirror[3] = v.x;
    }
  }
}
