// SPDX-License-Identifier: Apache-2.0
// Atomics instead of a block's reduction: each thread adds to the sum in global memory. AMReX's
// reductions: https://github.com/AMReX-Codes/amrex/issues/275
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kItems = 16;  // a thread

// kSums sums, of as many elements each. out is 0 before.
__global__ void atomics_kernel(const float* __restrict__ in, float* __restrict__ out) {
  const unsigned first = blockIdx.x * kBlock * kItems + threadIdx.x;
  float sum = 0;
#ifdef MUSEUM_TWIN
#pragma unroll
  for (unsigned k = kItems; k > 0; --k) sum += in[first + (k - 1) * kBlock];
#else
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) sum += in[first + k * kBlock];
#endif
  float* to = out + blockIdx.x * kSums / gridDim.x;
#ifdef MUSEUM_AFTER
  atomicAdd(to, sum);
#elif defined(MUSEUM_FAINT)
  for (unsigned offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(to, sum);
#else
  __shared__ float warps[kBlock / 32];
  for (unsigned offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < kBlock / 32 ? warps[threadIdx.x] : 0;
    for (unsigned offset = kBlock / 64; offset > 0; offset /= 2)
      sum += __shfl_down_sync(~0U, sum, offset);
    if (threadIdx.x == 0) atomicAdd(to, sum);
  }
#endif
}

}  // namespace

void atomics(const float* in, float* out, unsigned n) {
  cudaMemsetAsync(out, 0, kSums * sizeof(float));
  atomics_kernel<<<n / (kBlock * kItems), kBlock>>>(in, out);
}

}  // namespace warpgauge::museum
