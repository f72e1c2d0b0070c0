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

// Lanes 8 to 15 wait for each other; `reader` is one of them or not.
__global__ void partial_warp_barrier(float* out, unsigned reader) {
  __shared__ float words[32];
  if (threadIdx.x == 8) words[0] = 1;  // partial: write
  if (threadIdx.x >= 8 && threadIdx.x < 16) __syncwarp(0x0000ff00U);
  if (threadIdx.x == reader) out[0] = words[0];  // partial: read
}

// The compiler takes the load out of the loop, as nvcc does.
__global__ void endless_spin_on_a_register(const int* flag) {
  while (*flag == 0) {  // hoisted: loop
  }
}

__global__ void overwritten_too_early(float* out) {
  __shared__ float words[64];
  words[threadIdx.x] = 1;
  __syncthreads();
  const float other = words[threadIdx.x ^ 32];  // early: read
  words[threadIdx.x] = other + 1;               // early: write
  out[threadIdx.x] = other;
}

// What several threads write to one word, each as `value` of its thread says, by the byte too.
__global__ void write_one_word(const int* values, int* out) {
  __shared__ int word;
  const int value = values[threadIdx.x];
  word = value;  // one word: write
  __syncthreads();
  out[threadIdx.x] = word;
}

__global__ void write_one_byte(const int* values, int* out) {
  __shared__ char bytes[4];
  const char value = static_cast<char>(values[threadIdx.x]);
  bytes[threadIdx.x % 2] = value;  // one byte: write
  __syncthreads();
  out[threadIdx.x] = bytes[threadIdx.x % 2];
}

__global__ void write_then_read(int* out, unsigned index) {
  __shared__ int words[2];
  words[0] = 1;
  out[threadIdx.x] = words[index];  // same value: read
}

// The same value in the end, but by an atomic operation.
__global__ void write_and_add(int* out) {
  __shared__ int word;
  if (threadIdx.x == 0) atomicExch(&word, 1);
  if (threadIdx.x == 40) word = 1;  // exchange: write
  __syncthreads();
  out[threadIdx.x] = word;
}

// Fills the trace with its very last access the one that matters.
__global__ void write_at_end_of_trace(int* out, const volatile int* in, int reads) {
  __shared__ int word;
  if (threadIdx.x < 2) {
    int sum = in[0];  // an odd number of accesses and branches before the write
    for (int i = 0; i < reads; ++i) sum += in[i % 32];
    word = static_cast<int>(threadIdx.x) + sum;  // end of trace: write
  }
  __syncthreads();
  out[threadIdx.x] = word;
}

__global__ void misaligned_vector(float* words, float* out) {
  const float4 vector = *reinterpret_cast<const float4*>(words + threadIdx.x);  // vector: read
  out[threadIdx.x] = vector.x + vector.y + vector.z + vector.w;
}

__global__ void misaligned_word(char* bytes, int* out) {
  out[threadIdx.x] = *reinterpret_cast<int*>(bytes + 5 * threadIdx.x);  // word: read
}

__global__ void misaligned_shared(double* out, unsigned skip) {
  __shared__ float words[66];
  double* values = reinterpret_cast<double*>(words + skip);
  values[threadIdx.x] = 1;  // double: write
  out[threadIdx.x] = values[threadIdx.x];
}

__constant__ int limits[64];
template <class T>
__constant__ T limits_of[64];
__global__ void write_constant() {
  limits[threadIdx.x] = static_cast<int>(threadIdx.x);  // constant: write
}
__global__ void write_constant_of_template(int* out) {
  int* const limit = &limits_of<int>[threadIdx.x];
  atomicAdd(limit, 1);  // constant: update
  out[threadIdx.x] = *limit;
}
__global__ void read_constant(int* out) { out[threadIdx.x] = limits[threadIdx.x]; }

struct __attribute__((packed)) Packed {
  char tag;
  int value;
};
__global__ void packed_members(const Packed* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x].value;
}

__global__ void copied_members(const char* in, int* out) {
  int value;
  memcpy(&value, in + 5 * threadIdx.x + 1, sizeof value);
  out[threadIdx.x] = value;
}

__global__ void read_words(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // unwritten: read
}

__global__ void add_to_word(int* word) {
  atomicAdd(word, 1);  // unwritten: add
}

__global__ void exchange_words(int* words) { atomicExch(&words[threadIdx.x], 1); }

__global__ void write_bytes(char* bytes, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) bytes[i] = 1;
}

__global__ void read_vectors(const int4* in, int* out) {
  const int4 vector = in[threadIdx.x];  // unwritten: vector
  out[threadIdx.x] = vector.x + vector.w;
}

// Right: thread 32 reads what thread 1 wrote while thread 0, which comes before it in the warp's
// order, still waits.
__global__ void overtaken(volatile int* flags, int* word, int* out) {
  if (threadIdx.x == 0) {
    while (flags[0] == 0) {
    }
  } else if (threadIdx.x == 1) {
    *word = 7;
    __threadfence();
    flags[1] = 1;
  } else if (threadIdx.x == 32) {
    while (flags[1] == 0) {
    }
    out[0] = *word;
    flags[0] = 1;
  }
}

// Each block reads what the one after it writes.
__global__ void read_from_neighbour(int* words) {
  words[blockIdx.x] = blockIdx.x + 1 == gridDim.x ? 1 : words[blockIdx.x + 1] + 1;
}

// All blocks but the first use what others might wait for.
__global__ void communicate_late(const int* in, int* out, int* count) {
  if (blockIdx.x == 0) return;
  atomicAdd(count, 1);
  out[blockIdx.x] = in[blockIdx.x];
}

// Each block waits for what the one before it has written: a chain, in the order of tickets.
__global__ void chain(unsigned* tickets, volatile int* flags, int* words) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1U);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (ticket > 0) {
      while (flags[ticket - 1] == 0) {
      }
      __threadfence();
    }
    words[ticket] = ticket == 0 ? 1 : words[ticket - 1] + 1;
    __threadfence();
    flags[ticket] = 1;
  }
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

// Long, and yet they end.
__global__ void long_stores(int* words, int times) {
  for (int i = 0; i < times; ++i) words[threadIdx.x] = __any_sync(0xffffffffU, i);
}

// Stores seldom: most of what a thread does at once has none.
__global__ void long_waits(int* words, int times) {
  for (int i = 0; i < times; ++i) {
    for (int k = 0; k < 200; ++k) __syncthreads();
    words[threadIdx.x] = i;
  }
}

// Seldom, too: matrix products do this.
__global__ void long_exchanges(int* words, int times) {
  int value = 0;
  for (int i = 0; i < times; ++i) {
    for (int k = 0; k < 2000; ++k) value += __any_sync(0xffffffffU, k);
    words[threadIdx.x] = value;
  }
}

// Waits until the clock has gone on so far.
__global__ void wait_for_clock(long long* waited, long long ticks) {
  const long long begin = clock64();
  while (clock64() - begin < ticks) {
  }
  waited[threadIdx.x] = clock64() - begin;
}

// What it takes to load a word, and to look at the clock.
__global__ void time_a_load(const long long* word, long long* took) {
  const long long begin = clock64();
  took[0] = *word;
  const long long end = clock64();
  took[0] = end - begin;
  took[1] = clock64() - end;
}

// What a barrier takes, often, with nothing but that between the looks.
__global__ void time_barriers(long long* longest) {
  long long most = 0;
  long long begin = clock64();
#pragma GCC unroll 100
  for (int i = 0; i < 100; ++i) {
    __syncthreads();
    const long long end = clock64();
    most = end - begin > most ? end - begin : most;
    begin = end;
  }
  longest[threadIdx.x] = most;
}

__global__ void long_loads(const int* words, int* sum, int times) {
  int found = 0;
  for (int i = 0; i < times; ++i) found += words[i % 64];
  sum[threadIdx.x] = found;
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
