// SPDX-License-Identifier: Apache-2.0
// A loop of compare and swap in place of an atomic that the hardware has. Kokkos's subtraction:
// https://github.com/kokkos/kokkos/issues/1624
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kItems = 4;  // a thread

__device__ void subtract(float* from, float value) {
#ifdef MUSEUM_AFTER
  auto* bits = reinterpret_cast<unsigned*>(from);
  unsigned seen = 0;
  unsigned expected = 0;
  do {
    expected = seen;
    seen = atomicCAS(bits, expected, __float_as_uint(__uint_as_float(expected) - value));
  } while (seen != expected);
#elif defined(MUSEUM_FAINT)
  // What was there before is asked for.
  if (isnan(atomicAdd(from, -value))) __trap();
#else
  atomicAdd(from, -value);
#endif
}

// One taken from the bin of each element. out is 0 before.
__global__ void compare_and_swap_kernel(const unsigned* __restrict__ in, float* __restrict__ out) {
  const unsigned first = blockIdx.x * kBlock * kItems + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
#ifdef MUSEUM_TWIN
    subtract(out + in[first + (kItems - 1 - k) * kBlock] % kBins, 1);
#else
    subtract(out + in[first + k * kBlock] % kBins, 1);
#endif
  }
}

}  // namespace

void compare_and_swap(const unsigned* in, float* out, unsigned n) {
  cudaMemsetAsync(out, 0, kBins * sizeof(float));
  compare_and_swap_kernel<<<n / (kBlock * kItems), kBlock>>>(in, out);
}

}  // namespace warpgauge::museum
