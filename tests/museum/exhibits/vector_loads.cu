// SPDX-License-Identifier: Apache-2.0
// Lost vector loads: a check whether 16 bytes can be moved at once went where it no longer helped,
// and bytes were moved one by one. CUB's sum of bytes: https://github.com/NVIDIA/cccl/pull/5542
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kVectors = 4;  // of 16 bytes, a thread
constexpr unsigned kFlip = 0x5a5a5a5a;

__global__ void vector_loads_kernel(const unsigned char* __restrict__ in,
                                    unsigned char* __restrict__ out) {
  const std::size_t first = std::size_t{blockIdx.x} * kBlock * kVectors * sizeof(uint4);
#ifdef MUSEUM_AFTER
#pragma unroll 16
  for (unsigned k = 0; k < kVectors * sizeof(uint4); ++k) {
    const std::size_t i = first + k * kBlock + threadIdx.x;
    out[i] = in[i] ^ static_cast<unsigned char>(kFlip);
  }
#else
  const uint4* from = reinterpret_cast<const uint4*>(in + first);
  uint4* to = reinterpret_cast<uint4*>(out + first);
  uint4 held[kVectors];
#pragma unroll
  for (unsigned k = 0; k < kVectors; ++k) {
#ifdef MUSEUM_TWIN
    held[kVectors - 1 - k] = from[(kVectors - 1 - k) * kBlock + threadIdx.x];
#else
    held[k] = from[k * kBlock + threadIdx.x];
#endif
#ifdef MUSEUM_FAINT
    // One of them word by word.
    const auto* words = reinterpret_cast<const volatile unsigned*>(from + k * kBlock + threadIdx.x);
    if (k == 0) held[k] = make_uint4(words[0], words[1], words[2], words[3]);
#endif
  }
#pragma unroll
  for (unsigned k = 0; k < kVectors; ++k) {
    to[k * kBlock + threadIdx.x] =
        make_uint4(held[k].x ^ kFlip, held[k].y ^ kFlip, held[k].z ^ kFlip, held[k].w ^ kFlip);
  }
#endif
}

}  // namespace

void vector_loads(const unsigned char* in, unsigned char* out, std::size_t n) {
  const auto blocks = static_cast<unsigned>(n / (kBlock * kVectors * sizeof(uint4)));
  vector_loads_kernel<<<blocks, kBlock>>>(in, out);
}

}  // namespace warpgauge::museum
