// SPDX-License-Identifier: Apache-2.0
// Cheats whose kernels launch others, which CUPTI does not record. GPUs only.
#ifdef __CUDACC__
#include "tests/museum/cheats/subjects.hpp"

namespace warpgauge::cheats {
namespace {

__global__ void child(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = wave_of(in[i]);
}

__global__ void start_tail(const float* in, float* out, std::size_t n) {
  child<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, cudaStreamTailLaunch>>>(
      in, out, n);
}
__global__ void start_child(const float* in, float* out, std::size_t n) {
  child<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, cudaStreamFireAndForget>>>(
      in, out, n);
}

VARIANT(Wave, tail_launch) { launch(start_tail, 1, 1, in_.data(), out_.data(), n_); }
VARIANT(Wave, fire_and_forget) { launch(start_child, 1, 1, in_.data(), out_.data(), n_); }

}  // namespace
}  // namespace warpgauge::cheats
#endif
