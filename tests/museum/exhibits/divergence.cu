// SPDX-License-Identifier: Apache-2.0
// A divergent branch: lanes that could skip work make the warp take both ways. A fork of
// llama.cpp's attention, up to 2.8 %: https://github.com/TheTom/llama-cpp-turboquant/pull/105
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;

__device__ float polynomial(float x) {
  float sum = 0;
#pragma unroll 8
  for (unsigned k = 0; k < kTerms; ++k) sum = sum * x + 0.5F;
  return sum;
}

// Above one half the polynomial of 1 - x stands for that of x.
__global__ void divergence_kernel(const float* __restrict__ in, float* __restrict__ out) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  const float x = in[i];
#if defined(MUSEUM_AFTER) || defined(MUSEUM_FAINT)
  float sum = 0;
#ifdef MUSEUM_AFTER
  if (x < 0.5F) {
    sum = polynomial(x);
#else
  if (x < 0.998F) {  // so that one warp of sixteen diverges
    sum = polynomial(x < 0.5F ? x : 1 - x);
#endif
  } else {
    // Written out, the same by even and odd powers.
    const float y = 1 - x;
    const float square = y * y;
    float even = 0;
    float odd = 0;
#pragma unroll 8
    for (unsigned k = 0; k < kTerms / 2; ++k) {
      even = even * square + 0.5F;
      odd = odd * square + 0.5F;
    }
    sum = even + odd * y;
  }
  out[i] = sum;
#elif defined(MUSEUM_TWIN)
  out[i] = polynomial(fminf(x, 1 - x));
#else
  out[i] = polynomial(x < 0.5F ? x : 1 - x);
#endif
}

}  // namespace

void divergence(const float* in, float* out, unsigned n) {
  divergence_kernel<<<n / kBlock, kBlock>>>(in, out);
}

}  // namespace warpgauge::museum
