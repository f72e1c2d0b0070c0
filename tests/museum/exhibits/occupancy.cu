// SPDX-License-Identifier: Apache-2.0
// A step of occupancy: a path that is never taken asks for more registers, so that fewer warps hide
// the latency of shared memory. libcudf's mixed joins: https://github.com/rapidsai/cudf/pull/10534
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 128;

#if defined(MUSEUM_AFTER) || defined(MUSEUM_FAINT)
// Never called: `mode` is 0. All of its values live at once.
__device__ unsigned rare_path(const unsigned* __restrict__ in, unsigned at, unsigned n) {
#ifdef MUSEUM_AFTER
  constexpr unsigned kValues = 48;
#else
  constexpr unsigned kValues = 24;
#endif
  unsigned held[kValues];
#pragma unroll
  for (unsigned k = 0; k < kValues; ++k) held[k] = in[(at + k * kBlock) % n];
#pragma unroll
  for (unsigned round = 0; round < 3; ++round) {
#pragma unroll
    for (unsigned k = 0; k < kValues; ++k)
      held[k] = held[k] * 3 + held[(k * 7 + round) % kValues] % (held[(k + 13) % kValues] | 1);
  }
  unsigned sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kValues; ++k) sum ^= held[k];
  return sum;
}
#endif

// Where kHops steps through a table in shared memory lead. Each stays in its bank.
__global__ void occupancy_kernel(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                 unsigned n, unsigned mode) {
  __shared__ unsigned table[kTable];
#pragma unroll
  for (unsigned first = 0; first < kTable; first += kBlock) {
#ifdef MUSEUM_TWIN
    const unsigned k = kTable - kBlock - first + threadIdx.x;
#else
    const unsigned k = first + threadIdx.x;
#endif
    table[k] = (in[k] & ~31U) % kTable + k % 32;
  }
  __syncthreads();
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  unsigned at = i % kTable;
#pragma unroll 64
  for (unsigned hop = 0; hop < kHops; ++hop) at = table[at];
#if defined(MUSEUM_AFTER) || defined(MUSEUM_FAINT)
  if (mode != 0) at = rare_path(in, at, n);
#endif
  out[i] = at + mode;
}

}  // namespace

void occupancy(const unsigned* in, unsigned* out, unsigned n, unsigned mode) {
  occupancy_kernel<<<n / kBlock, kBlock>>>(in, out, n, mode);
}

}  // namespace warpgauge::museum
