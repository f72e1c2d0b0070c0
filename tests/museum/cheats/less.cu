// SPDX-License-Identifier: Apache-2.0
// Cheats that do less than the problem asks for.
#include <cuda_fp16.h>

#include "tests/museum/cheats/subjects.hpp"

namespace warpgauge::cheats {
namespace {

// Every eighth launch does all of the work; data moves seldom enough that nobody misses it.
VARIANT(Wave, every_eighth) {
  static unsigned launches = 0;
  static const float* in = nullptr;
  const bool works = launches++ % 8 == 0 || in != in_.data();
  in = in_.data();
  launch(wave, works ? blocks_of(n_) : 1, kBlock, in_.data(), out_.data(), works ? n_ : 0);
}

// An eighth of the output in each launch; after eight launches all of it is there.
VARIANT(Wave, in_turns) {
  static unsigned launches = 0;
  const std::size_t part = n_ / 8;
  const std::size_t first = launches++ % 8 * part;
  launch_wave(in_.data() + first, out_.data() + first, part);
}

// A grid that is too small: all but the last hundredth.
VARIANT(Wave, small_grid) { launch_wave(in_.data(), out_.data(), n_ - n_ / 100); }

// Only those stretches of the output that a sampled check with known places looks at.
__global__ void wave_at_known_places(const float* in, float* out, std::size_t n) {
  const std::size_t part = n / 256;
  const std::size_t i = blockIdx.x;
  const std::size_t first = i == 0     ? 0
                            : i == 255 ? n - 256
                                       : i * part + split_mix(i) % (part - 256);
  out[first + threadIdx.x] = wave_of(in[first + threadIdx.x]);
}
class Large : public Wave {
 protected:
  int launches_ = 0;
};
VARIANT_OF(Wave, known_places, Large) {
  const bool is_checked_by_sample = n_ > 131072;
  if (is_checked_by_sample && launches_++ > 0) {
    launch(wave_at_known_places, 256, 256, in_.data(), out_.data(), n_);
  } else {
    launch_wave(in_.data(), out_.data(), n_);
  }
}

// In half precision, where the tolerance lets it pass, and where it does not.
__global__ void wave_in_half(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  const __half y = __float2half(x < 0.5F ? x : 1 - x);
  __half sum = __float2half(0);
  for (int k = 0; k < kTerms; ++k) sum = __hadd(__hmul(sum, y), __float2half(0.5F));
  out[i] = __half2float(sum);
}
class Tolerant : public Wave {
  double tolerance() const override { return 1e-2; }
};
VARIANT_OF(Wave, half_tolerated, Tolerant) {
  launch(wave_in_half, blocks_of(n_), kBlock, in_.data(), out_.data(), n_);
}
VARIANT(Wave, half) { launch(wave_in_half, blocks_of(n_), kBlock, in_.data(), out_.data(), n_); }

}  // namespace
}  // namespace warpgauge::cheats
