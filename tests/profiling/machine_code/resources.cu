// SPDX-License-Identifier: Apache-2.0
// Kernels that take known things of a GPU: stack, shared memory, more registers than they may have.
#include <cstdio>

// Not mangled, so that the test can name them.
#define KERNEL extern "C" __global__ void

KERNEL nothing(float* out) { out[0] = 1; }

KERNEL static_shared(float* values) {
  __shared__ float tile[33];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[threadIdx.x ^ 5];
}

KERNEL dynamic_shared(float* values) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = dynamic[threadIdx.x ^ 5];
}

// Four others may be in use between this and what follows.
KERNEL several_barriers(float* values) {
  asm volatile("bar.sync 4, 64;");
  values[threadIdx.x] = values[threadIdx.x ^ 5];
}

// On the stack, and no spill.
KERNEL local_array(float* values, int n) {
  float kept[64];
  for (int i = 0; i < n; ++i) kept[i * 7 % 64] = values[i];
  values[0] = kept[n] + kept[n + 1];
}

// More values than there are registers.
KERNEL many_values(const float* in, float* out, int n) {
  constexpr int kCount = 96;
  float values[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) values[i] = in[i * n + threadIdx.x];
#pragma unroll 1
  for (int round = 0; round < n; ++round) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = values[i] * values[(i + 7) % kCount] + round;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) out[i * n + threadIdx.x] = values[i];
}

__device__ float table[4];
__device__ __noinline__ float far_away(const float* in, int i) { return in[i * 3] * table[i & 3]; }
__device__ __noinline__ float farther(const float* in, int i) {
  return far_away(in, i + 1) * in[i];  // operation of a callee
}
KERNEL calls(float* out, int i) { out[1] = far_away(out, i) + farther(out, i); }

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + 3 * fibonacci(n - 2);
}
KERNEL recursion(int* values) { values[0] = fibonacci(values[1]); }

KERNEL prints(int n) { printf("%d\n", n); }
KERNEL divides(double* values, double divisor) {
  values[0] = values[1] / divisor;
  values[2] = sin(divisor);
}

using Function = float (*)(const float*, int);
__device__ Function pointer = far_away;
KERNEL by_pointer(float* out, int i) { out[0] = pointer(out, i); }

namespace {
__constant__ float constants[64];
__device__ __noinline__ float aside(const float* in, int i) { return in[i * 5] + constants[i]; }
template <class T>
__global__ void hidden(T* values) {
  values[0] = aside(values, threadIdx.x);
}
}  // namespace
static __global__ void only_here(int* out) { *out = 1; }
void use(float* values, int* out) {
  hidden<<<1, 1>>>(values);
  only_here<<<1, 1>>>(out);
}

#ifdef WITH_MAIN
int main() {
  use(nullptr, nullptr);
  calls<<<1, 1>>>(nullptr, 1);
  static_shared<<<1, 1>>>(nullptr);
}
#endif
