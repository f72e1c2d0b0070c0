// SPDX-License-Identifier: Apache-2.0
// What all products of matrices of bf16 are measured with, on GPUs only: factors, and a check that
// is exact.
#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/tensor_matmul.cuh"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace warpgauge {

// Factors are odd whole numbers between -15 and 15, which bf16 holds; a sum of products is exact as
// long as it stays below 2^24, for which k may be 70,000.
inline constexpr std::int64_t kTensorMagnitude = 16;

// Bits of bf16, so that checks compare them as they are.
using Bits = std::uint16_t;

inline __nv_bfloat16* bf16(const DeviceBuffer<Bits>& buffer) {
  return reinterpret_cast<__nv_bfloat16*>(buffer.data());
}

inline DeviceBuffer<Bits> factors(std::size_t count, std::uint64_t seed) {
  const DeviceBuffer<float> values = whole_number_buffer<float>(count, kTensorMagnitude, seed);
  DeviceBuffer<Bits> buffer(count);
  launch(tensor_rounded<__nv_bfloat16>,
         static_cast<unsigned>(std::min<std::size_t>(parts_of(count, 256), 4096)), 256,
         values.data(), bf16(buffer), count);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after filling the input");
  return buffer;
}

// Sizes: m, n, k.
class TensorProduct : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    m_ = size[0];
    n_ = size[1];
    k_ = size[2];
    a_ = factors(m_ * k_, seed());
    b_ = factors(n_ * k_, seed() + 1);
    c_ = DeviceBuffer<Bits>(m_ * n_);
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>((m_ * k_ + k_ * n_) * sizeof(Bits)),
            .bytes_written = static_cast<double>(m_ * n_ * sizeof(Bits)),
            .operations =
                2 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_)};
  }

  // Exact: sums are, and are rounded once. Of a big product the device computes all again: even a
  // sample of it would take the host a second.
  Check check(Coverage coverage) const override {
    constexpr double kAffordable = 1e8;
    const double products =
        static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
    if (products <= kAffordable) {
      return compare(
          c_, [&](std::size_t i) { return element(i / n_, i % n_); }, Tolerance{}, coverage);
    }
    const DeviceBuffer<Bits> expected(m_ * n_);
    constexpr unsigned kSide = 16;
    launch(tensor_matmul_in_whole_numbers<__nv_bfloat16>,
           dim3(static_cast<unsigned>(parts_of(n_, kSide)),
                static_cast<unsigned>(parts_of(m_, kSide))),
           dim3(kSide, kSide), bf16(a_), bf16(b_), bf16(expected), m_, n_, k_);
    const std::vector<Bits> on_host = expected.to_host();
    return compare(
        c_, [&](std::size_t i) { return on_host[i]; }, Tolerance{}, Coverage::full);
  }

  void poison_result() override { c_.poison(); }

 protected:
  // As the kernels of tensor_matmul.cuh do it.
  template <TensorLayout Layout>
  void multiply() {
    const auto kernel = k_ % 8 == 0 ? tensor_matmul<Layout, true> : tensor_matmul<Layout, false>;
    constexpr std::size_t kBytes = kTensorSharedBytes<Layout>;
    allow_dynamic_shared(kernel, kBytes);
    const std::size_t tiles = parts_of(m_, kTensorRows) * parts_of(n_, kTensorColumns);
    launch_with_shared(kernel, static_cast<unsigned>(tiles), kTensorThreads, kBytes, bf16(a_),
                       bf16(b_), bf16(c_), m_, n_, k_);
  }

  std::size_t m_ = 0;
  std::size_t n_ = 0;
  std::size_t k_ = 0;
  DeviceBuffer<Bits> a_;
  DeviceBuffer<Bits> b_;
  DeviceBuffer<Bits> c_;

 private:
  [[nodiscard]] Bits element(std::size_t row, std::size_t column) const {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < k_; ++i) {
      sum += random_whole_number<std::int32_t>(row * k_ + i, kTensorMagnitude, seed()) *
             random_whole_number<std::int32_t>(column * k_ + i, kTensorMagnitude, seed() + 1);
    }
    return __nv_bfloat16_raw(__float2bfloat16(static_cast<float>(sum))).x;
  }
};

}  // namespace warpgauge
