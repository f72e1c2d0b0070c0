// SPDX-License-Identifier: Apache-2.0
// Lost padding: the columns of a tile lie in the same bank. nvFuser's block reduction, after its
// index into shared memory had changed: https://github.com/csarofeen/pytorch/issues/1276
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kTile = 32;
constexpr unsigned kRows = 8;  // of threads

#ifdef MUSEUM_AFTER
constexpr unsigned kPadding = 0;
#elif defined(MUSEUM_FAINT)
constexpr unsigned kPadding = 2;
#else
constexpr unsigned kPadding = 1;
#endif

// Transposes a square matrix.
__global__ void padding_kernel(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
  __shared__ float tile[kTile * (kTile + kPadding)];
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  const unsigned row = blockIdx.y * kTile;
#pragma unroll
  for (unsigned k = 0; k < kTile; k += kRows) {
    const unsigned j = k + threadIdx.y;
    tile[j * (kTile + kPadding) + threadIdx.x] = in[(row + j) * n + column];
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kTile; k += kRows) {
#ifdef MUSEUM_TWIN
    const unsigned j = kTile - kRows - k + threadIdx.y;
#else
    const unsigned j = k + threadIdx.y;
#endif
    out[(blockIdx.x * kTile + j) * n + row + threadIdx.x] =
        tile[threadIdx.x * (kTile + kPadding) + j];
  }
}

}  // namespace

void padding(const float* in, float* out, unsigned n) {
  padding_kernel<<<dim3(n / kTile, n / kTile), dim3(kTile, kRows)>>>(in, out, n);
}

}  // namespace warpgauge::museum
