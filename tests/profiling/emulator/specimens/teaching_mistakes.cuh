// SPDX-License-Identifier: Apache-2.0
// Mistakes that courses and tutorials teach, each beside a fixed twin. On a GPU most of them
// give the right result most of the time, which is how they live on. Tests find the lines by the
// words in the comments that end them.
//
// All sum `n` integers, or move them; blocks have kSpecimenBlock threads.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

inline constexpr unsigned kSpecimenBlock = 128;

__device__ inline int specimen_element(const int* in, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kSpecimenBlock + threadIdx.x;
  return i < n ? in[i] : 0;
}

// Leaves the block's sum in sums[0], for all threads to see.
__device__ inline void specimen_tree(int* sums) {
  __syncthreads();
  for (unsigned step = kSpecimenBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
}

// The blocks' sums are added by the first block of the same launch. Nothing makes it run last: it
// adds what the others have not written yet. Fixed: ticket_with_fence.
__global__ void final_sum_without_order(const int* in, int* partial, int* out, std::size_t n) {
  __shared__ int sums[kSpecimenBlock];
  sums[threadIdx.x] = specimen_element(in, n);
  specimen_tree(sums);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];  // final sum: write
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    int total = 0;
    for (unsigned block = 0; block < gridDim.x; ++block)
      total += partial[block];  // final sum: read
    *out = total;
  }
}

// The last block by a ticket, but without a fence: its partial sum may become visible after its
// ticket.
__global__ void ticket_without_fence(const int* in, int* partial, unsigned* ticket, int* out,
                                     std::size_t n) {
  __shared__ int sums[kSpecimenBlock];
  sums[threadIdx.x] = specimen_element(in, n);
  specimen_tree(sums);
  if (threadIdx.x > 0) return;
  partial[blockIdx.x] = sums[0];  // no fence: write
  if (atomicAdd(ticket, 1U) < gridDim.x - 1) return;
  int total = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) total += partial[block];  // no fence: read
  *out = total;
}

// Fixed: the fence between the partial sum and the ticket.
__global__ void ticket_with_fence(const int* in, int* partial, unsigned* ticket, int* out,
                                  std::size_t n) {
  __shared__ int sums[kSpecimenBlock];
  sums[threadIdx.x] = specimen_element(in, n);
  specimen_tree(sums);
  if (threadIdx.x > 0) return;
  partial[blockIdx.x] = sums[0];
  __threadfence();
  if (atomicAdd(ticket, 1U) < gridDim.x - 1) return;
  __threadfence();
  int total = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) total += partial[block];
  *out = total;
}

// The barrier stands inside the branch: the threads that do not add never come to it. What happens
// is undefined; before sm_70 it seemed to work.
__global__ void barrier_in_branch(const int* in, int* partial, std::size_t n) {
  __shared__ int sums[kSpecimenBlock];
  sums[threadIdx.x] = specimen_element(in, n);
  __syncthreads();
  for (unsigned step = kSpecimenBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      sums[threadIdx.x] += sums[threadIdx.x + step];
      __syncthreads();  // in branch: barrier
    }
  }
  __syncthreads();  // in branch: the others
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

// Fixed: all threads come to the barrier, only some add.
__global__ void barrier_after_branch(const int* in, int* partial, std::size_t n) {
  __shared__ int sums[kSpecimenBlock];
  sums[threadIdx.x] = specimen_element(in, n);
  specimen_tree(sums);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}

// Every thread reads what another one wrote, perhaps of another warp, which may not have come so
// far.
__global__ void no_barrier_before_use(const int* in, int* out, std::size_t n) {
  __shared__ int words[kSpecimenBlock];
  words[threadIdx.x] = specimen_element(in, n);                  // before use: write
  const int mirrored = words[kSpecimenBlock - 1 - threadIdx.x];  // before use: read
  const std::size_t i = std::size_t{blockIdx.x} * kSpecimenBlock + threadIdx.x;
  if (i < n) out[i] = mirrored;
}

// Fixed: a barrier between.
__global__ void barrier_before_use(const int* in, int* out, std::size_t n) {
  __shared__ int words[kSpecimenBlock];
  words[threadIdx.x] = specimen_element(in, n);
  __syncthreads();
  const int mirrored = words[kSpecimenBlock - 1 - threadIdx.x];
  const std::size_t i = std::size_t{blockIdx.x} * kSpecimenBlock + threadIdx.x;
  if (i < n) out[i] = mirrored;
}

// A loop over tiles whose end has no barrier: a fast warp overwrites the tile that a slow one still
// reads. out[block] = sum of the whole input.
__global__ void no_barrier_before_next_tile(const int* in, int* out, std::size_t n) {
  __shared__ int tile[kSpecimenBlock];
  int sum = 0;
  for (std::size_t first = 0; first < n; first += kSpecimenBlock) {
    const std::size_t i = first + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;  // next tile: write
    __syncthreads();
    for (unsigned j = 0; j < kSpecimenBlock; ++j) sum += tile[j];  // next tile: read
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Fixed: two barriers a tile.
__global__ void barriers_around_tile(const int* in, int* out, std::size_t n) {
  __shared__ int tile[kSpecimenBlock];
  int sum = 0;
  for (std::size_t first = 0; first < n; first += kSpecimenBlock) {
    const std::size_t i = first + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned j = 0; j < kSpecimenBlock; ++j) sum += tile[j];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// A grid of whole blocks for an input that is not: the last block runs off its end.
__global__ void tail_off_the_end(const int* in, int* out) {
  const std::size_t i = std::size_t{blockIdx.x} * kSpecimenBlock + threadIdx.x;
  out[i] = in[i] + 1;  // tail: access
}

// Fixed: the threads beyond the end do nothing.
__global__ void tail_guarded(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kSpecimenBlock + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}

// The last warp without barriers, from the time when its lanes ran in lockstep. Since sm_70 they
// need not. `volatile` makes the compiler write every sum, but no lane wait.
__global__ void warp_synchronous(const int* in, int* partial, std::size_t n) {
  __shared__ volatile int sums[kSpecimenBlock];
  const unsigned thread = threadIdx.x;
  sums[thread] = specimen_element(in, n);
  __syncthreads();
  if (thread < 64) sums[thread] = sums[thread] + sums[thread + 64];
  __syncthreads();
  if (thread < 32) {
    sums[thread] = sums[thread] + sums[thread + 32];
    sums[thread] = sums[thread] + sums[thread + 16];  // warp: eight reads this
    sums[thread] = sums[thread] + sums[thread + 8];   // warp: and four this
    sums[thread] = sums[thread] + sums[thread + 4];
    sums[thread] = sums[thread] + sums[thread + 2];
    sums[thread] = sums[thread] + sums[thread + 1];
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}

// Fixed: all lanes have read before one writes, and have written before one reads.
__global__ void warp_synchronized(const int* in, int* partial, std::size_t n) {
  __shared__ int sums[kSpecimenBlock];
  const unsigned thread = threadIdx.x;
  sums[thread] = specimen_element(in, n);
  __syncthreads();
  if (thread < 64) sums[thread] += sums[thread + 64];
  __syncthreads();
  if (thread >= 32) return;
  for (unsigned step = 32; step > 0; step /= 2) {
    const int other = sums[thread + step];
    __syncwarp();
    sums[thread] += other;
    __syncwarp();
  }
  if (thread == 0) partial[blockIdx.x] = sums[0];
}
