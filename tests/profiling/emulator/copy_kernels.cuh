// SPDX-License-Identifier: Apache-2.0
// Copies of as many bytes as no single access moves. Threads are `step` bytes apart, so that copies
// overlap by a byte where it is one less than what each copies.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>

template <int Bytes>
struct Part {
  unsigned char bytes[Bytes];
};

enum class CopyBy { assignment, memcpy_of_constant, memcpy_of_variable, memmove, memset };

template <CopyBy By, int Bytes>
__device__ void copy_part(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  if constexpr (By == CopyBy::assignment) {
    *reinterpret_cast<Part<Bytes>*>(to) = *reinterpret_cast<const Part<Bytes>*>(from);  // part: =
  } else if constexpr (By == CopyBy::memcpy_of_constant) {
    std::memcpy(to, from, Bytes);  // part: constant
  } else if constexpr (By == CopyBy::memcpy_of_variable) {
    memcpy(to, from, bytes);  // part: variable
  } else if constexpr (By == CopyBy::memmove) {
    memmove(to, from, bytes);  // part: move
  } else {
    memset(to, static_cast<int>(threadIdx.x), bytes);  // part: set
  }
}

template <CopyBy By, int Bytes>
__global__ void write_parts(const unsigned char* in, unsigned char* out, unsigned step,
                            std::size_t bytes) {
  copy_part<By, Bytes>(out + threadIdx.x * step, in + threadIdx.x * Bytes, bytes);
}

template <CopyBy By, int Bytes>
__global__ void write_shared_parts(const unsigned char* in, unsigned char* out, unsigned step,
                                   std::size_t bytes) {
  __shared__ unsigned char parts[64 * Bytes];
  copy_part<By, Bytes>(parts + threadIdx.x * step, in + threadIdx.x * Bytes, bytes);
  __syncthreads();
  out[threadIdx.x] = parts[threadIdx.x];
}

// Each thread sets the first byte of its part and copies a part: its own, or one that begins a byte
// later and so ends with its neighbour's first.
template <CopyBy By, int Bytes>
__global__ void read_shared_parts(unsigned char* out, unsigned skip, std::size_t bytes) {
  __shared__ unsigned char parts[64 * Bytes + 1];
  for (unsigned i = threadIdx.x; i < sizeof parts; i += blockDim.x) parts[i] = 1;
  __syncthreads();
  parts[threadIdx.x * Bytes] = static_cast<unsigned char>(threadIdx.x);  // part: first byte
  copy_part<By, Bytes>(out + threadIdx.x * Bytes, parts + threadIdx.x * Bytes + skip, bytes);
}
