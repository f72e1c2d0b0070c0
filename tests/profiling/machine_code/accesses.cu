// SPDX-License-Identifier: Apache-2.0
// Kernels with known memory accesses. cubin_test.cpp says what nvcc must make of each.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// Not mangled, so that the test can name them.
#define KERNEL extern "C" __global__ void

template <class T>
__device__ T* shared() {
  extern __shared__ char bytes[];
  return reinterpret_cast<T*>(bytes);
}

KERNEL load_u8(int* out, int i) { *out = shared<volatile unsigned char>()[i]; }
KERNEL load_s8(int* out, int i) { *out = shared<volatile signed char>()[i]; }
KERNEL load_u16(int* out, int i) { *out = shared<volatile unsigned short>()[i]; }
KERNEL load_s16(int* out, int i) { *out = shared<volatile short>()[i]; }
KERNEL load_32(int* out, int i) { *out = shared<volatile int>()[i]; }
KERNEL load_fixed(int* out) { *out = shared<volatile int>()[5]; }
KERNEL load_64(double* out, int i) { *out = shared<volatile double>()[i]; }
KERNEL load_128(float4* out, int i) { *out = shared<float4>()[i]; }

KERNEL store_8(int value, int i) { shared<volatile char>()[i] = static_cast<char>(value); }
KERNEL store_16(int value, int i) { shared<volatile short>()[i] = static_cast<short>(value); }
KERNEL store_32(int value, int i) { shared<volatile int>()[i] = value; }
KERNEL store_64(double value, int i) { shared<volatile double>()[i] = value; }
KERNEL store_128(const float4* in, int i) { shared<float4>()[i] = *in; }

KERNEL atomic_add(int i) { atomicAdd(&shared<int>()[i], 2); }
KERNEL atomic_count(int i) { atomicAdd(&shared<int>()[i], 1); }
KERNEL atomic_count_returned(int* out, int i) { *out = atomicAdd(&shared<int>()[i], 1); }
KERNEL atomic_maximum(int* out, int i) { *out = atomicMax(&shared<int>()[i], 1); }
KERNEL atomic_exchange_64(unsigned long long* out, int i) {
  *out = atomicExch(&shared<unsigned long long>()[i], 2ULL);
}
KERNEL compare_and_swap(int* out, int i) { *out = atomicCAS(&shared<int>()[i], 2, 3); }
KERNEL compare_and_swap_64(unsigned long long* out, int i) {
  *out = atomicCAS(&shared<unsigned long long>()[i], 2ULL, 3ULL);
}
KERNEL atomic_add_float(int i) { atomicAdd(&shared<float>()[i], 2.0F); }

KERNEL copy_4(const int* in, int i) { __pipeline_memcpy_async(&shared<int>()[i], in, 4); }
KERNEL copy_8(const int2* in, int i) { __pipeline_memcpy_async(&shared<int2>()[i], in, 8); }
KERNEL copy_16(const int4* in, int i) { __pipeline_memcpy_async(&shared<int4>()[i], in, 16); }

KERNEL global_load_8(const volatile signed char* in, int* out) { *out = *in; }
KERNEL global_load_128(const float4* in, float4* out) { *out = *in; }
struct alignas(32) Wide {
  double values[4];
};
KERNEL global_load_256(const Wide* in, Wide* out) { *out = *in; }
KERNEL global_reduce(int* out) { atomicAdd(out, 3); }
KERNEL global_reduce_float(float* out) { atomicAdd(out, 3.0F); }
KERNEL global_atomic(int* out) { out[1] = atomicAdd(out, 3); }
KERNEL global_atomic_float(float* out) { out[1] = atomicAdd(out, 3.0F); }
KERNEL global_compare_and_swap(int* out) { out[1] = atomicCAS(out, 3, 4); }

KERNEL generic(int* out, int i, bool is_shared) {
  volatile int* place = is_shared ? &shared<int>()[i] : out;
  out[1] = *place;
  *place = 4;
}
KERNEL generic_atomic(int* out, int i, bool is_shared) {
  atomicAdd(is_shared ? &shared<int>()[i] : out, 2);
}

KERNEL local_and_constant(int* out, int i) {
  volatile int kept[32];
  kept[i] = 3;
  *out = kept[i + 1];
}

KERNEL load_matrices(unsigned* out, unsigned address) {
  unsigned a;
  unsigned b;
  unsigned c;
  unsigned d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(address));
  *out = a + b + c + d;
}
KERNEL load_matrix(unsigned* out, unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0},[%1];"
               : "=r"(*out)
               : "r"(address));
}

// Loads of neighbours become one wide load; what was stored stays in a register.
KERNEL merged(float4* out, int i) {
  const float* from = shared<float>() + 4 * i;
  *out = make_float4(from[0], from[1], from[2], from[3]);  // merged loads
}
KERNEL kept(float* out, float value) {
  shared<float>()[threadIdx.x] = value;
  *out = shared<float>()[threadIdx.x];  // kept in a register
}

// A call within a call that are inlined, and one that is not.
__device__ float inner(int i) {
  return shared<volatile float>()[i];  // inner
}
__device__ float outer(int i) {
  return inner(2 * i);  // outer
}
__device__ __noinline__ float4 far_away(const float4* in, int i) {
  return in[i * 3];  // far away
}
KERNEL inlined(float* out, int i) {
  out[0] = outer(i);
  out[1] = inner(i + 7);
}
KERNEL called(float4* out, int i) { out[1] = far_away(out, i); }
// Rows of the table are counted from the beginning of each function.
KERNEL inlined_too(float* out, int i) {
  *out = outer(i + 1);  // call
}

namespace {
template <class T>
__global__ void hidden(T* out) {
  *out = 3;
}
}  // namespace
static __global__ void only_here(int* out) { *out = 1; }
template <int Count, class T>
__global__ void templated(T* out, std::size_t n) {
  out[n] = Count;
}
void use(int* out) {
  hidden<<<1, 1>>>(out);
  only_here<<<1, 1>>>(out);
  templated<4><<<1, 1>>>(out, 1);
}
