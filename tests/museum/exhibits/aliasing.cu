// SPDX-License-Identifier: Apache-2.0
// Lost __restrict__: after each store what was read has to be read again. TensorFlow's kernels, 3
// to 5 %: https://github.com/tensorflow/tensorflow/pull/31223
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kOutputs = 8;  // a thread

#ifdef MUSEUM_AFTER
#define MUSEUM_RESTRICT
#else
#define MUSEUM_RESTRICT __restrict__
#endif
#if defined(MUSEUM_AFTER) || defined(MUSEUM_FAINT)
#define MUSEUM_RESTRICT_OUT
#else
#define MUSEUM_RESTRICT_OUT __restrict__
#endif

// Each element times each weight.
__global__ void aliasing_kernel(const float* MUSEUM_RESTRICT_OUT in,
                                const float* MUSEUM_RESTRICT weights,
                                float* MUSEUM_RESTRICT_OUT out, unsigned n) {
  const unsigned first = blockIdx.x * kBlock * kOutputs + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < kOutputs; ++k) {
    const unsigned i = first + k * kBlock;
    float sum = 0;
#pragma unroll
    for (unsigned w = 0; w < kWeights; ++w) {
#ifdef MUSEUM_TWIN
      sum = fmaf(sum, in[i], weights[kWeights - 1 - w]);
#else
      sum = sum * in[i] + weights[kWeights - 1 - w];
#endif
    }
#ifdef MUSEUM_TWIN
    if (n - i > 0 && i < n) out[i] = sum;
#else
    if (i < n) out[i] = sum;
#endif
  }
}

}  // namespace

void aliasing(const float* in, const float* weights, float* out, unsigned n) {
  aliasing_kernel<<<n / (kBlock * kOutputs), kBlock>>>(in, weights, out, n);
}

}  // namespace warpgauge::museum
