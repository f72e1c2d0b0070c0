// SPDX-License-Identifier: Apache-2.0
// The problems, solved as they should be, and in ways that look like a cheat and are none.
#include "tests/museum/cheats/subjects.hpp"

namespace warpgauge::cheats {

__global__ void wave(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = wave_of(in[i]);
}

__global__ void nothing() {}

namespace {

__global__ void add_up(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

VARIANT(Wave, honest) { launch_wave(in_.data(), out_.data(), n_); }

VARIANT(Total, honest) {
  require_success(cudaMemsetAsync(out_.data(), 0, sizeof(int)), "cudaMemsetAsync");
  launch(add_up, blocks_of(n_), kBlock, in_.data(), out_.data(), n_);
}

// Scratch memory of its first launch, which the next ones use.
class WithScratch : public Wave {
 protected:
  DeviceBuffer<float> scratch_;
};
VARIANT_OF(Wave, honest_scratch, WithScratch) {
  if (scratch_.size() != n_) scratch_ = DeviceBuffer<float>(n_);
  launch_wave(in_.data(), scratch_.data(), n_);
  launch_wave(in_.data(), out_.data(), n_);
}

// Half of it on another stream, which the default stream waits for and is waited for by.
VARIANT(Wave, honest_two_streams) {
  static cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    require_success(cudaStreamCreate(&made), "cudaStreamCreate");
    return made;
  }();
  const std::size_t half = n_ / 2;
  launch_wave(in_.data(), out_.data(), half);
  launch_wave(in_.data() + half, out_.data() + half, n_ - half, stream);
}

// What it needs is written once by prepare(), before any launch.
class WithTable : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    table_ = DeviceBuffer<float>(n_);
    require_success(cudaMemset(table_.data(), 0, n_ * sizeof(float)), "cudaMemset");
  }

 protected:
  DeviceBuffer<float> table_;
};
VARIANT_OF(Wave, honest_table, WithTable) { launch_wave(in_.data(), out_.data(), n_); }

SIZES(Wave, .emulated = {{8192}}, .gpu = {{4194304}})
SIZES(Total, .emulated = {{8192}}, .gpu = {{4194304}})

}  // namespace
}  // namespace warpgauge::cheats
