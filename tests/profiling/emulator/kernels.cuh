// SPDX-License-Identifier: Apache-2.0
// Right kernels whose counts are known by hand.
#pragma once

#include <cuda_runtime.h>

// Vectors, Stride apart.
template <int Stride>
__global__ void copy_vectors(const float4* in, float4* out) {
  __shared__ float4 vectors[128 * Stride];
  vectors[threadIdx.x * Stride] = in[threadIdx.x];
  __syncthreads();
  const float4 vector = vectors[threadIdx.x * Stride];
  out[threadIdx.x] = make_float4(vector.x + 1, vector.y, vector.z, vector.w);
}

__global__ void copy_doubles(const double* in, double* out) {
  __shared__ double values[32];
  values[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = values[31 - threadIdx.x];
}

__device__ inline float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffU, value, distance);
  }
  return value;
}

__global__ void sum_by_shuffles(const float* in, float* sum) {
  __shared__ float of_warp[8];
  float value = warp_sum(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = warp_sum(threadIdx.x < 8 ? of_warp[threadIdx.x] : 0.0F);
  if (threadIdx.x == 0) *sum = value;
}

__global__ void histogram(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x]], 1U);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Lane t makes t turns, and reads in every second of them: 31 requests when lanes stay together.
__global__ void ragged_loop(const int* turns, float* out) {
  __shared__ float words[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) words[i] = static_cast<float>(i);
  __syncwarp();
  float sum = 0;
  const int end = turns[threadIdx.x];
  for (int i = 0; i < end; i++) {
    if (((i ^ static_cast<int>(threadIdx.x)) & 1) != 0) {
      sum += words[(i * 32 + static_cast<int>(threadIdx.x)) & 1023];
    }
  }
  out[threadIdx.x] = sum;
}

__device__ __noinline__ float four_words(const float* words, int first) {
  float sum = 0;
  for (int i = 0; i < 4; i++) sum += words[first + i];
  return sum;
}

// Half of the lanes call a function, then all read: 5 requests when they meet again.
__global__ void divergent_call(float* out) {
  __shared__ float words[64];
  words[threadIdx.x] = 1;
  words[threadIdx.x + 32] = 2;
  __syncwarp();
  float sum = 0;
  if (threadIdx.x % 2 == 1) sum = four_words(words, static_cast<int>(threadIdx.x));
  out[threadIdx.x] = sum + words[threadIdx.x];
}

__global__ void reverse(const float* in, float* out) {
  extern __shared__ float reversed[];
  reversed[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = reversed[blockDim.x - 1 - threadIdx.x];
}

// Has shared memory of both kinds.
template <int StaticWords>
__global__ void reverse_twice(const float* in, float* out) {
  __shared__ float once[StaticWords];
  extern __shared__ float twice[];
  const unsigned last = blockDim.x - 1;
  once[threadIdx.x] = in[last - threadIdx.x];
  __syncthreads();
  twice[threadIdx.x] = once[last - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = twice[threadIdx.x];
}

__global__ void reverse_bytes(const char* in, char* out) {
  extern __shared__ char reversed_bytes[];
  reversed_bytes[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = reversed_bytes[blockDim.x - 1 - threadIdx.x];
}

// More accesses without a barrier than a lane's trace holds.
__global__ void long_loop(float* out, int turns) {
  __shared__ float words[32];
  words[threadIdx.x] = 1;
  __syncwarp();
  float sum = 0;
  for (int i = 0; i < turns; i++) sum += words[(i + threadIdx.x) & 31];
  out[threadIdx.x] = sum;
}

// Warp 0 waits for warp 1 by way of memory, with more accesses than a trace holds.
__global__ void hand_over(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    *out = 7;
  }
  if (threadIdx.x == 32) *flag = 1;
}

// Lane 0 keeps its warp waiting for another; then all store together.
__global__ void held_up_warp(volatile int* flag, float* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
  }
  out[threadIdx.x] = 1;
  if (threadIdx.x == 32) *flag = 1;
}

template <bool Twice>
__global__ void to_integers(const float* __restrict__ in, int* __restrict__ out) {
  const unsigned i = threadIdx.x;
  const int integer = static_cast<int>(in[i] + 0.5F * in[i ^ 1U]);
  __syncwarp();
  out[i] = Twice ? integer + static_cast<int>(in[i]) : integer;
}

__global__ void shift_ones(const int* in, int* out) {
  const unsigned i = threadIdx.x;
  out[i] = 1 << in[i];
}

template <class T>
struct Loader {
  __device__ static T at(const T* place) { return *place; }
};

// Two loads of one place in the source.
__global__ void load_twice(const int* in, int* out) {
  const int first = Loader<int>::at(in + threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = first + Loader<int>::at(in + threadIdx.x);
}

struct Triple {
  float x, y, z;
};

// A template, so that g++ may choose whether to inline it.
template <class Value>
__device__ float length_of(Value triple, int rounds) {
  float sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum += triple.x * triple.x + triple.y * triple.y + triple.z * triple.z;
    triple = {triple.y - sum, triple.z * 0.5F, triple.x + static_cast<float>(i)};
  }
  return sum;
}

__global__ void add_lengths(const Triple* in, float* out, int rounds) {
  out[threadIdx.x] = length_of(in[threadIdx.x], rounds) + length_of(in[threadIdx.x + 32], rounds);
}

struct FloatSpan {  // as large as the vectors that are copied
  const float* values;
  std::size_t count;
};

__global__ void copy_vectors_of_spans(FloatSpan in, FloatSpan out) {
  const float4 vector = __ldg(reinterpret_cast<const float4*>(in.values) + threadIdx.x);
  __stcs(reinterpret_cast<float4*>(const_cast<float*>(out.values)) + threadIdx.x, vector);
}

// order[i] = the block that took the i-th ticket.
__global__ void take_tickets(unsigned* next, unsigned* order) {
  if (threadIdx.x == 0) order[atomicAdd(next, 1U)] = blockIdx.x;
}

struct Coefficients {
  float values[40];
};
__global__ void by_value(Coefficients coefficients, float* out) {
  out[threadIdx.x] = coefficients.values[threadIdx.x + 8];
}

__constant__ float constants[32] = {5, 4, 3, 2, 1};
__device__ float device_words[32];
__device__ int device_counter;
__constant__ float settable[8];
__global__ void use_settable() { device_words[threadIdx.x] = settable[threadIdx.x % 8]; }
__global__ void count_up() { atomicAdd(&device_counter, 1); }
// A variable of a template has no section of its own.
template <class T>
__constant__ T constants_of[32];
__global__ void use_constants_of() {
  device_words[threadIdx.x] = constants_of<float>[threadIdx.x] + constants_of<int>[threadIdx.x];
}
__global__ void constant_and_device_variables() {
  device_words[threadIdx.x] = constants[threadIdx.x];
}

__global__ void own_indices(unsigned* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = gridDim.x * blockDim.y + threadIdx.y + warpSize;
}

__global__ void votes(unsigned* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[0 + lane] = __ballot_sync(0xffffffffU, lane % 3 == 0);
  out[32 + lane] = static_cast<unsigned>(__any_sync(0xffffffffU, lane == 17));
  out[64 + lane] = static_cast<unsigned>(__all_sync(0xffffffffU, lane != 17));
  out[96 + lane] = __match_any_sync(0xffffffffU, lane / 8);
  out[128 + lane] = static_cast<unsigned>(__shfl_sync(0xffffffffU, lane, 5, 8));
  out[160 + lane] = static_cast<unsigned>(__shfl_up_sync(0xffffffffU, lane, 3, 16));
  out[192 + lane] = static_cast<unsigned>(__shfl_down_sync(0xffffffffU, lane, 3, 16));
  out[224 + lane] = static_cast<unsigned>(__shfl_xor_sync(0xffffffffU, lane, 9));
  if (lane < 12) out[256 + lane] = __ballot_sync(0x00000fffU, lane % 2);
}

__global__ void matches_and_reductions(unsigned* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto give = [&](int row, auto value) {
    out[32 * row + lane] = static_cast<unsigned>(value);
  };
  int all = 7;
  give(0, __match_all_sync(0xffffffffU, lane / 32, &all));
  give(1, all);
  give(2, __match_all_sync(0xffffffffU, lane / 31, &all));
  give(3, all);
  give(4, __reduce_add_sync(0xffffffffU, lane - 20));
  give(5, __reduce_min_sync(0xffffffffU, lane - 20));
  give(6, __reduce_max_sync(0xffffffffU, lane - 20));
  give(7, __reduce_min_sync(0xffffffffU, threadIdx.x - 20));
  give(8, __reduce_max_sync(0xffffffffU, threadIdx.x - 20));
  give(9, __reduce_and_sync(0xffffffffU, ~(1U << (lane % 4))));
  give(10, __reduce_or_sync(0xffffffffU, 1U << (lane % 5)));
  give(11, __reduce_xor_sync(0xffffffffU, lane == 3 ? 6U : 1U));
  if (lane >= 8 && lane < 12) give(12, __reduce_add_sync(0x00000f00U, lane));
}

__global__ void barrier_votes(int* out) {
  const int thread = static_cast<int>(threadIdx.x);
  out[thread] = __syncthreads_count(thread < 40);
  out[64 + thread] = __syncthreads_and(thread < 40);
  out[128 + thread] = __syncthreads_or(thread == 40);
}

// Each atomic operation once by each thread, on a word of its own kind.
__global__ void atomics(int* words, unsigned long long* wide, float* real) {
  const int thread = static_cast<int>(threadIdx.x);
  atomicAdd(&words[0], thread);
  atomicSub(&words[1], thread);
  atomicMax(&words[2], thread);
  atomicMin(&words[3], -thread);
  atomicOr(&words[4], 1 << (thread % 8));
  atomicExch(&words[5], 9);
  atomicCAS(&words[6], 0, 11);
  atomicAdd(wide, 1ULL << 33);
  atomicAdd(real, 0.5F);
}

// As above, of other scopes and widths.
__global__ void scoped_atomics(int* words, unsigned short* halves, unsigned long long* wide) {
  atomicAdd_block(&words[0], 1);
  atomicAdd_system(&words[1], 2);
  atomicMax_system(&words[2], static_cast<int>(threadIdx.x));
  atomicCAS_block(&words[3], 0, 5);
  if (atomicCAS(&halves[1], static_cast<unsigned short>(0), static_cast<unsigned short>(7)) == 0) {
    halves[0] = static_cast<unsigned short>(threadIdx.x);
  }
  atomicCAS_system(wide, 0ULL, 1ULL << 40);
}

// One operation of each type that CUDA has it for; T of 64 bits where `wide` is.
__global__ void atomics_of_all_types(unsigned* words, unsigned long long* wide,
                                     long long* wide_signed, double* real) {
  const unsigned thread = threadIdx.x;
  atomicInc(&words[0], 9);
  atomicDec(&words[1], 9);
  atomicXor(&words[2], 1U << thread % 32);
  atomicAnd_block(&words[3], ~(1U << thread % 32));
  atomicMin(&wide[0], 1ULL << (40 + thread % 8));
  atomicMax(&wide[1], 1ULL << (40 + thread % 8));
  atomicAnd(&wide[2], ~(1ULL << (32 + thread % 8)));
  atomicOr(&wide[3], 1ULL << (32 + thread % 8));
  atomicXor(&wide[4], 1ULL << 33);
  atomicExch(&wide[5], 1ULL << 50);
  atomicMin_system(&wide_signed[0], -static_cast<long long>(thread) - (1LL << 40));
  atomicMax_block(&wide_signed[1], static_cast<long long>(thread) - (1LL << 40));
  atomicAdd(real, 0.25);
}

// Shuffles as CUDA overloads them: what is shorter than int becomes one.
__global__ void shuffles_of_all_types(double* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto give = [&](int row, auto value) { out[32 * row + lane] = static_cast<double>(value); };
  give(0, __shfl_sync(0xffffffffU, lane + 0.5, 3));
  give(1, __shfl_sync(0xffffffffU, (1LL << 40) + lane, 3));
  give(2, __shfl_xor_sync(0xffffffffU, (1ULL << 40) + threadIdx.x, 1));
  give(3, __shfl_down_sync(0xffffffffU, static_cast<unsigned short>(lane), 1));
  give(4, __shfl_up_sync(0xffffffffU, static_cast<float>(lane) + 0.25F, 1));
  give(5, __shfl_sync(0xffffffffU, 1L << 40 | lane, 3));
  give(6, __shfl_sync(0xffffffffU, lane == 3, 3));
  const short lesser = static_cast<short>(-lane);
  static_assert(sizeof(__shfl_sync(0xffffffffU, lesser, 0)) == sizeof(int));
  give(7, __shfl_sync(0xffffffffU, lesser, 3));
}

// Loads and stores that say how they are to be cached; every second word.
__global__ void hinted(const float4* in, float* out) {
  const float4 a = __ldcg(&in[threadIdx.x]);
  const float b = __ldcs(&in[threadIdx.x].x) + __ldca(&in[threadIdx.x].x);
  __stcs(&out[2 * threadIdx.x], a.w + b);
  __stcg(&out[2 * threadIdx.x], a.w + b);
  __stwt(&out[2 * threadIdx.x], a.w + b);
}

template <class Vector>
__global__ void copy_any(const Vector* in, Vector* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void print() {
  __nanosleep(100);
  if (threadIdx.x % 16 == 0) printf("thread %d of block %u\n", threadIdx.x, blockIdx.x);
}

__global__ void read_only(const float* in, float* out) {
  out[threadIdx.x] = __ldg(&in[2 * threadIdx.x]);
}
