// SPDX-License-Identifier: Apache-2.0
// Kernels with one mistake each. Tests find the lines by the words in their comments.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#undef NDEBUG  // the kernels' assertions are wanted in any build
#include <cassert>

__global__ void missing_barrier(float* out) {
  __shared__ float words[256];
  words[threadIdx.x] = 1;                       // race: write
  out[threadIdx.x] = words[255 - threadIdx.x];  // race: read
}

__global__ void missing_warp_barrier(float* out) {
  __shared__ float words[32];
  words[threadIdx.x] = 1;  // warp race: write
  if (threadIdx.x < 16) __syncwarp(0x0000ffffU);
  out[threadIdx.x] = words[threadIdx.x ^ 16];  // warp race: read
}

__global__ void overwritten_too_early(float* out) {
  __shared__ float words[64];
  words[threadIdx.x] = 1;
  __syncthreads();
  const float other = words[threadIdx.x ^ 32];  // early: read
  words[threadIdx.x] = other + 1;               // early: write
  out[threadIdx.x] = other;
}

__global__ void divergent_barrier(float* out) {
  if (threadIdx.x < 20) {
    __syncthreads();  // divergent: first
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();  // divergent: second
  }
}

__global__ void exit_before_barrier(float* out) {
  if (threadIdx.x >= 40) return;
  __syncthreads();  // exit: barrier
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// The threads that are left vote, again and again.
__global__ void votes_of_the_rest(int* out) {
  if (threadIdx.x < 24) return;
  for (int turn = 0; turn < 3; ++turn) {
    const int thread = static_cast<int>(threadIdx.x);
    out[thread] = __syncthreads_count(thread % 2 == 0) +  // rest: count
                  100 * __syncthreads_and(thread >= 24) + 1000 * __syncthreads_or(thread < 24);
  }
}

__global__ void divergent_barrier_of_the_rest(float* out) {
  if (threadIdx.x == 5) return;
  if (threadIdx.x < 20) {
    __syncthreads();  // divergent rest: first
  } else {
    __syncthreads();  // divergent rest: second
  }
  out[threadIdx.x] = 1;
}

__global__ void absent_lanes(float* out) {
  float value = 1;
  if (threadIdx.x < 16) value = __shfl_down_sync(0xffffffffU, value, 1);  // absent: shuffle
  out[threadIdx.x] = value;
}

__global__ void warp_deadlock(float* out) {
  if (threadIdx.x < 16) __syncwarp();  // deadlock: waits
  __syncthreads();                     // deadlock: awaited
  out[threadIdx.x] = 1;
}

__global__ void foreign_mask(float* out) {
  __syncwarp(0x0000fffeU);  // mask: call
  out[threadIdx.x] = 1;
}

__global__ void uninitialized(float* out) {
  __shared__ float words[64];
  if (threadIdx.x < 32) words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x];  // uninitialized: read
}

__global__ void shared_beyond_end(float* out) {
  __shared__ float words[32];
  words[threadIdx.x + 1] = 1;  // shared bounds: write
  __syncthreads();
  if (threadIdx.x > 0) out[threadIdx.x] = words[threadIdx.x];
}

__global__ void dynamic_beyond_end(float* out) {
  extern __shared__ float dynamic_words[];
  dynamic_words[threadIdx.x] = 1;  // dynamic bounds: write
  out[threadIdx.x] = 1;
}

__global__ void global_beyond_end(float* out, std::size_t n) {
  out[n - 31 + threadIdx.x] = 1;  // global bounds: write
}

__global__ void wild_pointer(float* out) {
  out[std::size_t{threadIdx.x} << 40] = 1;  // wild: write
}

__global__ void null_pointer() {
  *static_cast<volatile float*>(nullptr) = 1;  // null: write
}

__device__ __noinline__ int deep(int n) {
  volatile char large[4096];
  large[n & 4095] = 1;
  return n == 0 ? 0 : deep(n - 1) + large[n & 4095];
}

__global__ void stack_overflow(int* out) { out[threadIdx.x] = deep(100); }

__global__ void endless_spin(const volatile int* flag) {
  while (*flag == 0) {  // spin: read
  }
}

__global__ void endless_loop(volatile int* sink) {
  for (unsigned i = 1; i != 0; i += 2) {
    __syncwarp();  // loop: wait
  }
  *sink = 1;
}

__global__ void trap_in_thread(float* out, unsigned thread) {
  if (threadIdx.x == thread) __trap();  // trap: call
  out[threadIdx.x] = 1;
}

__global__ void assertion_in_thread(float* out, unsigned thread) {
  assert(threadIdx.x != thread);  // assertion: fails
  out[threadIdx.x] = 1;
}

// Two operations of one mask that never become one.
__global__ void mixed_warp_operations(int* out) {
  if (threadIdx.x < 4) {
    out[threadIdx.x] = __reduce_add_sync(0xffffffffU, 1);  // mixed operations: sum
  } else {
    out[threadIdx.x] = __reduce_max_sync(0xffffffffU, 1);  // mixed operations: maximum
  }
}

__global__ void fault_in_block(float* out, unsigned block, unsigned grid) {
  if (blockIdx.x >= block) out[std::size_t{blockIdx.x} << 40] = static_cast<float>(grid);
  out[blockIdx.x] = 1;
}

// Bytes of one word written by different threads: no race.
__global__ void neighbouring_bytes(char* out) {
  __shared__ char bytes[64];
  bytes[threadIdx.x] = static_cast<char>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = bytes[63 - threadIdx.x];
}

__global__ void overlapping_bytes(char* out) {
  __shared__ char bytes[64];
  bytes[threadIdx.x] = 1;
  out[threadIdx.x] = bytes[63 - threadIdx.x];  // byte race: read
}
