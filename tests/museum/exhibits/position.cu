// SPDX-License-Identifier: Apache-2.0
// A position computed in 64 bits: blocks walk through all tiles, and divide where they are by
// numbers that only the launch knows. llama.cpp's matrix products:
// https://github.com/ggml-org/llama.cpp/pull/22298
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;

#ifdef MUSEUM_AFTER
using Position = unsigned long long;
#else
using Position = unsigned;
#endif
#if defined(MUSEUM_AFTER) || defined(MUSEUM_FAINT)
using Counter = unsigned long long;
#else
using Counter = unsigned;
#endif

// Each tile of a row is reversed.
__global__ void position_kernel(const float* __restrict__ in, float* __restrict__ out,
                                unsigned rows, unsigned columns, unsigned tile) {
  const Counter all = Counter{rows} * columns;
  const Counter step = Counter{gridDim.x} * kBlock;
  for (Counter count = Counter{blockIdx.x} * kBlock + threadIdx.x; count < all; count += step) {
    const auto at = static_cast<Position>(count);
    const Position row = at / columns;
    const Position column = at % columns;
    const Position first = column / tile * tile;
    const Position within = column - first;
    const Position left = columns - first;
    const Position length = left < tile ? left : tile;
#ifdef MUSEUM_TWIN
    const Position last = first + (length - 1);
    out[(row * columns + last) - within] = in[at];
#else
    out[row * columns + first + (length - 1 - within)] = in[at];
#endif
  }
}

}  // namespace

void position(const float* in, float* out, unsigned rows, unsigned columns, unsigned tile) {
  position_kernel<<<1056, kBlock>>>(in, out, rows, columns, tile);
}

}  // namespace warpgauge::museum
