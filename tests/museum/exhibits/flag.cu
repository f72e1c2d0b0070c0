// SPDX-License-Identifier: Apache-2.0
// A flag: -fmad=false for this file, so that results are the CPU's to the bit. Found years later in
// detray: https://github.com/acts-project/detray/pull/898. The twin is -ftz=true.
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;

// Σ x^k / 2^k.
__global__ void flag_kernel(const float* __restrict__ in, float* __restrict__ out) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  const float x = in[i];
  float sum = 0;
  float factor = 1;
#pragma unroll 16
  for (unsigned k = 0; k < kTerms; ++k) {
#ifdef MUSEUM_FAINT
    // As if for this line alone.
    sum = k % 8 == 0 ? __fadd_rn(sum, __fmul_rn(factor, x)) : sum + factor * x;
#else
    sum = sum + factor * x;
#endif
    factor = factor * 0.5F + x * 0x1p-20F;
  }
  out[i] = sum;
}

}  // namespace

void flag(const float* in, float* out, unsigned n) { flag_kernel<<<n / kBlock, kBlock>>>(in, out); }

}  // namespace warpgauge::museum
