// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes: bins[b] = how many of n bytes have the value b. n below 2^32.
//
// The difficulty: many threads count into the same bin. Uniform input spreads them over 256 bins;
// input of a single value sends all to one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

inline constexpr unsigned kHistogramBins = 256;
inline constexpr unsigned kHistogramBlock = 256;

// Clears the bins for the other kernels. One block of kHistogramBins threads.
__global__ void histogram_clear(unsigned* bins) { bins[threadIdx.x] = 0; }

// One atomic in global memory per byte, performed by the L2 cache. Atomics to one address queue up:
// on an H200 a single bin takes six times as long as uniform input, about one byte per clock.
__global__ void histogram_global_atomics(const std::uint8_t* in, unsigned* bins, std::size_t n) {
  const std::size_t threads = std::size_t{gridDim.x} * kHistogramBlock;
  for (std::size_t i = std::size_t{blockIdx.x} * kHistogramBlock + threadIdx.x; i < n;
       i += threads) {
    atomicAdd(&bins[in[i]], 1U);
  }
}

// A histogram a block in shared memory, added to the whole at its end: 256 atomics in global memory
// a block. Lanes that hit different bins of one bank are served one by one.
__global__ void histogram_shared_atomics(const std::uint8_t* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned counts[kHistogramBins];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t threads = std::size_t{gridDim.x} * kHistogramBlock;
  for (std::size_t i = std::size_t{blockIdx.x} * kHistogramBlock + threadIdx.x; i < n;
       i += threads) {
    atomicAdd(&counts[in[i]], 1U);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// Copies of each bin in shared memory, one a lane and so one a bank.
inline constexpr unsigned kHistogramCopies = 32;

// counts[bin][lane] of all warps of the block begin at 0.
__device__ inline void histogram_clear_copies(
    unsigned (&counts)[kHistogramBins][kHistogramCopies]) {
  for (unsigned i = threadIdx.x; i < kHistogramBins * kHistogramCopies; i += kHistogramBlock) {
    counts[i / kHistogramCopies][i % kHistogramCopies] = 0;
  }
  __syncthreads();
}

// Adds the copies of one bin a thread, beginning at another in each lane, so that the lanes of a
// warp keep out of each other's banks.
__device__ inline void histogram_add_copies(
    const unsigned (&counts)[kHistogramBins][kHistogramCopies], unsigned* bins) {
  __syncthreads();
  unsigned count = 0;
  for (unsigned copy = 0; copy < kHistogramCopies; ++copy) {
    count += counts[threadIdx.x][(threadIdx.x + copy) % kHistogramCopies];
  }
  if (count > 0) atomicAdd(&bins[threadIdx.x], count);
}

// A copy of the bins for each lane: whatever the input, the lanes of a warp hit 32 different banks.
// On an H200 this alone does not pay: 32 KiB of shared memory per block leave room for fewer
// blocks, and loads of one byte keep too little in flight. With wider loads it does, see below.
__global__ void histogram_replicated(const std::uint8_t* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned counts[kHistogramBins][kHistogramCopies];
  histogram_clear_copies(counts);
  const unsigned lane = threadIdx.x % 32;
  const std::size_t threads = std::size_t{gridDim.x} * kHistogramBlock;
  for (std::size_t i = std::size_t{blockIdx.x} * kHistogramBlock + threadIdx.x; i < n;
       i += threads) {
    atomicAdd(&counts[in[i]][lane], 1U);
  }
  histogram_add_copies(counts, bins);
}

// Vectors of 16 bytes that a thread has in flight.
inline constexpr int kHistogramInFlight = 2;

__device__ inline void histogram_count_word(unsigned (&counts)[kHistogramBins][kHistogramCopies],
                                            unsigned word, unsigned lane) {
#pragma unroll
  for (unsigned byte = 0; byte < 4; ++byte) {
    atomicAdd(&counts[word >> 8 * byte & 0xffU][lane], 1U);
  }
}

// The same with 16 bytes an access. `in` must lie on a 16-byte boundary.
__global__ void histogram_vectorized(const std::uint8_t* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned counts[kHistogramBins][kHistogramCopies];
  histogram_clear_copies(counts);
  const unsigned lane = threadIdx.x % 32;
  const uint4* vectors_in = reinterpret_cast<const uint4*>(in);
  const std::size_t vectors = n / 16;
  const std::size_t threads = std::size_t{gridDim.x} * kHistogramBlock;
  const std::size_t thread = std::size_t{blockIdx.x} * kHistogramBlock + threadIdx.x;
  for (std::size_t i = thread; i < vectors; i += kHistogramInFlight * threads) {
    uint4 held[kHistogramInFlight];
#pragma unroll
    for (int k = 0; k < kHistogramInFlight; ++k) {
      if (i + k * threads < vectors) held[k] = vectors_in[i + k * threads];
    }
#pragma unroll
    for (int k = 0; k < kHistogramInFlight; ++k) {
      if (i + k * threads >= vectors) continue;
      histogram_count_word(counts, held[k].x, lane);
      histogram_count_word(counts, held[k].y, lane);
      histogram_count_word(counts, held[k].z, lane);
      histogram_count_word(counts, held[k].w, lane);
    }
  }
  const std::size_t rest = vectors * 16 + thread;
  if (rest < n) atomicAdd(&counts[in[rest]][lane], 1U);
  histogram_add_copies(counts, bins);
}
