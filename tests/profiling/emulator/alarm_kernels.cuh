// SPDX-License-Identifier: Apache-2.0
// Kernels with a mistake, each beside its harmless twin. Tests find the lines by the words in their
// comments.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// What each thread has to say goes to one place, whose value does not depend on who comes last if
// all say the same.
template <class T>
__global__ void tell_all(const int* values, T* told) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T value = static_cast<T>(values[thread]);
  *told = value;  // told: write
}

// Takes long, and calls nothing that the emulator sees.
template <int Steps>
__device__ __forceinline__ double long_straight_line(double value) {
  if constexpr (Steps == 0) return value;
  if constexpr (Steps > 0) return long_straight_line<Steps - 1>(exp(sin(value)));
}

// The same, by blocks that are busy for long before anything else can be seen of them.
__global__ void tell_slowly(const int* values, int* told, double* busy) {
  const int value = values[blockIdx.x];
  const double begin = busy[blockIdx.x];
  *told = value;  // told slowly: write
  busy[blockIdx.x] = long_straight_line<40>(begin);
}

// So often that a lane's trace is full at a store, with one record before them or without.
template <bool Before>
__global__ void tell_often(int* told, int times) {
  if constexpr (Before) told[times + threadIdx.x] = 7;
  for (int i = 0; i < times; ++i) told[i] = 7;
}

// The same value, but somebody looks at it meanwhile: block 0, or the last thread.
__global__ void tell_and_look(int* told, int* out, unsigned block) {
  const bool looks = blockIdx.x == block && threadIdx.x + 1 == blockDim.x;
  if (looks) out[0] = *told;  // looked: read
  *told = 1;                  // looked: write
}

__global__ void read_before_write(int* words) {
  const int other = words[blockDim.x - 1 - threadIdx.x];  // exchange: read
  words[threadIdx.x] = other;                             // exchange: write
}

__global__ void read_barrier_write(int* words) {
  const int other = words[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  words[threadIdx.x] = other;
}

// A global scratch array in place of shared memory, one a block.
__global__ void scratch_without_barrier(int* scratch, int* out) {
  int* own = scratch + blockIdx.x * blockDim.x;
  own[threadIdx.x] = static_cast<int>(threadIdx.x);                        // scratch: write
  out[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x ^ 1U] + 1;  // scratch: read
}

__global__ void scratch_with_syncwarp(int* scratch, int* out) {
  int* own = scratch + blockIdx.x * blockDim.x;
  own[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x ^ 1U] + 1;
}

// __syncwarp is not enough for the neighbour of the next warp.
__global__ void scratch_across_warps(int* scratch, int* out) {
  scratch[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = scratch[(threadIdx.x + 1) % blockDim.x];
}

// Bytes side by side are no race, bytes that two threads touch are.
__global__ void neighbouring_global_bytes(unsigned char* bytes) {
  bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
}
__global__ void overlapping_global_bytes(unsigned char* bytes, int* words) {
  bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);                 // bytes: write
  if (threadIdx.x < 8) words[threadIdx.x + 8] = static_cast<int>(threadIdx.x);  // bytes: words
}

__global__ void count_atomically(int* count) { atomicAdd(count, 1); }

__global__ void count_and_look(int* count, int* out) {
  atomicAdd(count, 1);        // count: add
  out[threadIdx.x] = *count;  // count: read
}

// The first warp waits for what the second has written, by a flag in global memory.
__global__ void hand_over_word(volatile int* flag, int* word, int* out, bool fence) {
  if (threadIdx.x == 32) {
    *word = 5;  // flag: write
    if (fence) __threadfence_block();
    *flag = 1;
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    out[0] = *word;  // flag: read
  }
}

// The last block adds what all have written; a thread of each writes, all threads of the last add.
__global__ void last_block_adds(int* partial, unsigned* ticket, int* sum, bool fence) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = static_cast<int>(blockIdx.x);  // last: write
    if (fence) __threadfence();
    last = atomicAdd(ticket, 1U) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x < gridDim.x) atomicAdd(sum, partial[threadIdx.x]);  // last: read
}

// The halo is read before its guard: what the first and the last thread get goes nowhere.
__global__ void halo_before_guard(const int* in, int* out) {
  __shared__ int words[66];
  words[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads();
  const int sum = words[threadIdx.x] + words[threadIdx.x + 2];  // halo: read
  if (threadIdx.x > 0 && threadIdx.x + 1 < blockDim.x) out[threadIdx.x] = sum;
}

__global__ void halo_without_guard(const int* in, int* out) {
  __shared__ int words[66];
  words[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x + 2];  // no guard: read
}

// The first blocks only look.
__global__ void later_blocks_update(const int* looked_at, int* updated, int* out) {
  if (blockIdx.x < 2) {
    if (*looked_at > 100) out[blockIdx.x] = 1;  // look: read
  } else {
    atomicMax(updated, static_cast<int>(blockIdx.x));  // look: update
  }
}

template <bool of_device>
__global__ void count_blocks(int* count) {
  if constexpr (of_device) {
    atomicAdd(count, 1);
  } else {
    atomicAdd_block(count, 1);  // scope: update
  }
}

template <bool of_device>
__global__ void take_turns(int* lock, int* shared_by_all) {
  if constexpr (of_device) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
  } else {
    while (atomicCAS_block(lock, 0, 1) != 0) {  // scope: lock
    }
  }
  __threadfence();
  *shared_by_all += 1;  // scope: critical
  __threadfence();
  if constexpr (of_device) {
    atomicExch(lock, 0);
  } else {
    atomicExch_block(lock, 0);
  }
}

// The value leaves the thread without memory.
__global__ void halo_to_neighbour(const int* in, int* out) {
  __shared__ int words[66];
  words[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads();
  const int before = __shfl_down_sync(0xffffffffU, words[threadIdx.x], 1);  // shuffled: read
  if (threadIdx.x > 0 && threadIdx.x + 1 < blockDim.x) out[threadIdx.x] = before;
}

__global__ void unwritten_before_guard(const int* in, int* out, unsigned n) {
  const int value = in[threadIdx.x];  // unwritten guard: read
  if (threadIdx.x < n) out[threadIdx.x] = value;
}

__global__ void divide(const int* by, int* out) {
  out[threadIdx.x] = 100 / by[threadIdx.x];  // division: by
}

// They read: a store so far away might hit the emulator's own memory.
__global__ void far_shared(int* out, int index) {
  __shared__ int words[64];
  words[threadIdx.x] = 1;
  __syncthreads();
  int far = 0;
  if (threadIdx.x == 3) far = words[index];  // far: read
  out[threadIdx.x] = words[threadIdx.x] + far;
}

__global__ void far_shared_of_one(int* out, int index) {
  __shared__ int words[64];
  const int thread = static_cast<int>(threadIdx.x);
  words[thread] = 2;
  __syncthreads();
  out[thread] = words[thread == 3 ? index : thread];  // far of one: read
}

__global__ void every_fourth_block_traps(int* out) {
  if (blockIdx.x % 4 == 1) __trap();  // fourth: trap
  out[blockIdx.x] = 1;
}

struct TwoDoubles {
  double first, second;
};

// A vector beside a struct of its size, which need not be aligned to it.
__global__ void vector_by_words(const float* words, TwoDoubles* pairs, float* out) {
  const float4 vector = *reinterpret_cast<const float4*>(words + 2);  // by words: read
  pairs[threadIdx.x] = {vector.x, vector.y};
  out[threadIdx.x] = vector.z + vector.w;
}

__global__ void store_vector(float* out) {
  *reinterpret_cast<float4*>(out + 2) = make_float4(1, 2, 3, 4);  // vector: write
}
