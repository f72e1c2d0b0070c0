// SPDX-License-Identifier: Apache-2.0
// On GPUs only: the emulator has no tensor cores.
#ifdef __CUDACC__
#include "kernels/tensor_matmul.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benchmarks/library_rows.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Factors are odd whole numbers between -15 and 15, which bf16 holds; a sum of products is exact as
// long as it stays below 2^24, for which k may be 70,000.
constexpr std::int64_t kMagnitude = 16;

// Bits of bf16, so that checks compare them as they are.
using Bits = std::uint16_t;

__nv_bfloat16* bf16(const DeviceBuffer<Bits>& buffer) {
  return reinterpret_cast<__nv_bfloat16*>(buffer.data());
}

DeviceBuffer<Bits> factors(std::size_t count, std::uint64_t seed) {
  const DeviceBuffer<float> values = whole_number_buffer<float>(count, kMagnitude, seed);
  DeviceBuffer<Bits> buffer(count);
  launch(tensor_rounded, static_cast<unsigned>(std::min<std::size_t>(parts_of(count, 256), 4096)),
         256, values.data(), bf16(buffer), count);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after filling the input");
  return buffer;
}

// Sizes: m, n, k.
class TensorMatmul : public KernelFixture {
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

  // Exact: sums are, and are rounded once.
  Check check(Coverage coverage) const override {
    constexpr double kAffordable = 1e8;
    const double products =
        static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
    if (products <= kAffordable || coverage == Coverage::sampled) {
      return compare(
          c_, [&](std::size_t i) { return element(i / n_, i % n_); }, Tolerance{}, coverage);
    }
    const DeviceBuffer<Bits> expected(m_ * n_);
    constexpr unsigned kSide = 16;
    launch(tensor_matmul_in_whole_numbers,
           dim3(static_cast<unsigned>(parts_of(n_, kSide)),
                static_cast<unsigned>(parts_of(m_, kSide))),
           dim3(kSide, kSide), bf16(a_), bf16(b_), bf16(expected), m_, n_, k_);
    const std::vector<Bits> on_host = expected.to_host();
    return compare(
        c_, [&](std::size_t i) { return on_host[i]; }, Tolerance{}, Coverage::full);
  }

  void poison_result() override { c_.poison(); }

 protected:
  template <TensorLayout Layout>
  void multiply() {
    const auto kernel = k_ % 8 == 0 ? tensor_matmul<Layout, true> : tensor_matmul<Layout, false>;
    constexpr std::size_t kBytes = kTensorSharedBytes<Layout>;
    require_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(kBytes)),
                    "cudaFuncSetAttribute");
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
      sum += random_whole_number<std::int32_t>(row * k_ + i, kMagnitude, seed()) *
             random_whole_number<std::int32_t>(column * k_ + i, kMagnitude, seed() + 1);
    }
    return __nv_bfloat16_raw(__float2bfloat16(static_cast<float>(sum))).x;
  }
};

VARIANT(TensorMatmul, plain) { multiply<TensorLayout::plain>(); }
VARIANT(TensorMatmul, padded) { multiply<TensorLayout::padded>(); }
VARIANT(TensorMatmul, swizzled) { multiply<TensorLayout::swizzled>(); }

// cuBLAS stores by columns: the transposed product of the transposed matrices is the same numbers.
class CublasTensorMatmul : public TensorMatmul {
 protected:
  Cublas cublas_;
  DeviceBuffer<float> scales_{std::vector<float>{1, 0}};
};
VARIANT_OF(TensorMatmul, cublas, CublasTensorMatmul) {
  if (m_ == 0 || n_ == 0) return;
  const auto m = static_cast<std::int64_t>(m_);
  const auto n = static_cast<std::int64_t>(n_);
  const auto k = static_cast<std::int64_t>(k_);
  const auto stride = std::max<std::int64_t>(k, 1);
  require_success(cublasGemmEx_64(cublas_.handle(), CUBLAS_OP_T, CUBLAS_OP_N, n, m, k,
                                  scales_.data(), b_.data(), CUDA_R_16BF, stride, a_.data(),
                                  CUDA_R_16BF, stride, scales_.data() + 1, c_.data(), CUDA_R_16BF,
                                  n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                  "cublasGemmEx");
}

SIZES(TensorMatmul, .gpu = {{2048, 2048, 2048}}, .large = {{4096, 4096, 4096}, {8192, 8192, 8192}},
      .tested = {{0, 5, 5},
                 {5, 0, 5},
                 {5, 5, 0},
                 {1, 1, 1},
                 {8, 8, 8},
                 {1, 33, 7},
                 {33, 1, 72},
                 {128, 256, 64},
                 {128, 256, 192},
                 {129, 257, 65},
                 {127, 264, 136},
                 {300, 520, 1000}},
      .huge = {{46349, 46352, 8}})

}  // namespace
#endif
