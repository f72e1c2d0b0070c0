// SPDX-License-Identifier: Apache-2.0
// A literal: 0.0 in place of 0 takes a float's arithmetic through double. RAFT's sums of rows:
// https://github.com/NVIDIA/raft/pull/3133
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kItems = 16;  // a thread

// Of each kItems elements in a column, the sum of those below one half.
__global__ void literal_kernel(const float* __restrict__ in, float* __restrict__ out) {
  const unsigned first = blockIdx.x * kBlock * kItems + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
    const float value = in[first + k * kBlock];
#ifdef MUSEUM_AFTER
    sum += value < 0.5F ? value : 0.0;
#elif defined(MUSEUM_FAINT)
    if (k % 4 == 0) {
      sum += value < 0.5F ? value : 0.0;
    } else {
      sum += value < 0.5F ? value : 0.0F;
    }
#elif defined(MUSEUM_TWIN)
    if (value < 0.5F) sum += value;
#else
    sum += value < 0.5F ? value : 0.0F;
#endif
  }
  out[blockIdx.x * kBlock + threadIdx.x] = sum;
}

}  // namespace

void literal(const float* in, float* out, unsigned n) {
  literal_kernel<<<n / (kBlock * kItems), kBlock>>>(in, out);
}

}  // namespace warpgauge::museum
