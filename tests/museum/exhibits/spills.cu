// SPDX-License-Identifier: Apache-2.0
// Spills after an unroll: all rows of a column are held in registers at once, more than there are.
// nvFuser's outer reduction: https://github.com/NVIDIA/Fuser/pull/4184
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;

#ifdef MUSEUM_AFTER
constexpr unsigned kTogether = kSpillRows;
#elif defined(MUSEUM_FAINT)
constexpr unsigned kTogether = 16;
#else
constexpr unsigned kTogether = 8;
#endif

// The columns' polynomials, their coefficients from the last row to the first one. What is held is
// read before anything of it is used, as by a stage of a pipeline.
__global__ void __launch_bounds__(kBlock, 8)
    spills_kernel(const float* __restrict__ in, float* __restrict__ out, unsigned columns) {
  const unsigned column = blockIdx.x * kBlock + threadIdx.x;
  const float x = 0.5F;
  float sum = 0;
#pragma unroll 1
  for (unsigned stage = kSpillRows / kTogether; stage-- > 0;) {
    float held[kTogether];
#ifdef MUSEUM_TWIN
#pragma unroll
    for (unsigned k = kTogether; k-- > 0;) held[k] = in[(stage * kTogether + k) * columns + column];
#else
#pragma unroll
    for (unsigned k = 0; k < kTogether; ++k)
      held[k] = in[(stage * kTogether + k) * columns + column];
#endif
    __syncthreads();
#pragma unroll
    for (unsigned k = kTogether; k-- > 0;) sum = fmaf(sum, x, held[k]);
  }
  out[column] = sum;
}

}  // namespace

void spills(const float* in, float* out, unsigned columns) {
  spills_kernel<<<columns / kBlock, kBlock>>>(in, out, columns);
}

}  // namespace warpgauge::museum
