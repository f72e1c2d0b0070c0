// SPDX-License-Identifier: Apache-2.0
// A new barrier: one more in each step of a loop, as it ends a race, here without need. llama.cpp's
// scan of state spaces, 2.7 % slower: https://github.com/ggml-org/llama.cpp/pull/24360
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;

// Step by step, the mean of each element and its two neighbours in a ring of kBlock. Two buffers
// take turns, so that one barrier a step is enough.
__global__ void barrier_kernel(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float ring[2][kBlock];
  const unsigned thread = threadIdx.x;
  const unsigned left = (thread + kBlock - 1) % kBlock;
  const unsigned right = (thread + 1) % kBlock;
  float value = in[blockIdx.x * kBlock + thread];
#pragma unroll 4
  for (unsigned step = 0; step < kBarrierSteps; ++step) {
    float* now = ring[step % 2];
    now[thread] = value;
    __syncthreads();
#ifdef MUSEUM_TWIN
    value = (now[right] + value + now[left]) * (1.0F / 3.0F);
#else
    value = (now[left] + value + now[right]) * (1.0F / 3.0F);
#endif
#ifdef MUSEUM_AFTER
    __syncthreads();
#elif defined(MUSEUM_FAINT)
    if (step % 4 == 0) __syncthreads();
#endif
  }
  out[blockIdx.x * kBlock + thread] = value;
}

}  // namespace

void barrier(const float* in, float* out, unsigned columns) {
  barrier_kernel<<<columns / kBlock, kBlock>>>(in, out);
}

}  // namespace warpgauge::museum
