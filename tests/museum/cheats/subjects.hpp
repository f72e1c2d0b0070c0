// SPDX-License-Identifier: Apache-2.0
// The problems that the cheats pretend to solve, with honest input, reference and check. A cheat is
// a variant of one of these.
#pragma once

#include <algorithm>
#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace warpgauge::cheats {

inline constexpr unsigned kBlock = 256;
inline constexpr int kTerms = 256;

[[nodiscard]] inline unsigned blocks_of(std::size_t n) {
  return static_cast<unsigned>(parts_of(n, kBlock));
}

template <class T>
__host__ __device__ T wave_of(T x) {
  const T y = x < T(0.5) ? x : T(1) - x;
  T sum = 0;
  for (int k = 0; k < kTerms; ++k) sum = sum * y + T(0.5);
  return sum;
}

// Each element from one other. Size: elements.
class Wave : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<float>(n_, seed());
    out_ = DeviceBuffer<float>(n_);
  }
  Work work() const override {
    return {.bytes_read = static_cast<double>(n_ * sizeof(float)),
            .bytes_written = static_cast<double>(n_ * sizeof(float)),
            .operations = 2.0 * kTerms * static_cast<double>(n_)};
  }
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [this](std::size_t i) {
          return wave_of<double>(static_cast<double>(random_element<float>(i, seed())));
        },
        Tolerance{.relative = tolerance()}, coverage);
  }
  void poison_result() override { out_.poison(); }

 protected:
  [[nodiscard]] virtual double tolerance() const { return 1e-4; }

  std::size_t n_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

// One number from all. Size: elements.
class Total : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = whole_number_buffer<int>(n_, 1 << 13, seed());
    out_ = DeviceBuffer<int>(1);
  }
  Work work() const override {
    return {.bytes_read = static_cast<double>(n_ * sizeof(int)), .bytes_written = sizeof(int)};
  }
  Check check(Coverage coverage) const override {
    const int expected = parallel_sum<int>(
        n_, [this](std::size_t i) { return random_whole_number<int>(i, 1 << 13, seed()); });
    return compare(
        out_, [&](std::size_t) { return expected; }, Tolerance{}, coverage);
  }
  void poison_result() override { out_.poison(); }

 protected:
  std::size_t n_ = 0;
  DeviceBuffer<int> in_;
  DeviceBuffer<int> out_;
};

// Computes the first n elements.
__global__ void wave(const float* in, float* out, std::size_t n);
// Does nothing that a result depends on.
__global__ void nothing();

inline void launch_wave(const float* in, float* out, std::size_t n, cudaStream_t stream = nullptr) {
  wave<<<blocks_of(n), kBlock, 0, stream>>>(in, out, n);
}

}  // namespace warpgauge::cheats
