// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul.cuh"
#include "kernels/matmul_serpentine.cuh"

#ifdef __CUDACC__
#include "benchmarks/library_rows.hpp"
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Sizes: m, n, k.
class Matmul : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    m_ = size[0];
    n_ = size[1];
    k_ = size[2];
    a_ = random_buffer<float>(m_ * k_, seed());
    b_ = random_buffer<float>(k_ * n_, seed() + 1);
    c_ = DeviceBuffer<float>(m_ * n_);
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>((m_ * k_ + k_ * n_) * sizeof(float)),
            .bytes_written = static_cast<double>(m_ * n_ * sizeof(float)),
            .operations =
                2 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_)};
  }

  // Checks every element if that is affordable or, on a GPU, if a full check is requested. If not,
  // checks each row by a product with all of its elements, and a few single elements.
  Check check(Coverage coverage) const override {
    constexpr double kAffordable = 1e9;
    const double products =
        static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
    if (products <= kAffordable) {
      return compare(
          c_, [&](std::size_t i) { return element(i / n_, i % n_); }, tolerance(), Coverage::full);
    }
#ifdef __CUDACC__
    if (coverage == Coverage::full) return check_on_device();
#endif
    Check check = check_rows();
    check.add(check_elements());
    return check;
  }

  void poison_result() override { c_.poison(); }

 protected:
  // What the kernels that test nothing at the edges take.
  [[nodiscard]] bool whole_tiles() const {
    return m_ % kMatmulTileRows == 0 && n_ % kMatmulTileColumns == 0 && k_ % kMatmulDepth == 0 &&
           k_ > 0;
  }

  // Of what is not whole tiles.
  [[nodiscard]] auto merged_reads_at_edges() const {
    return n_ % 4 == 0 ? matmul_merged_reads<16, false> : matmul_merged_reads<4, false>;
  }

  template <class Kernel>
  void multiply(Kernel kernel, std::size_t tile_rows, std::size_t tile_columns, dim3 block) {
    const std::size_t tiles = matmul_tiles(m_, tile_rows) * matmul_tiles(n_, tile_columns);
    launch(kernel, static_cast<unsigned>(tiles), block, a_.data(), b_.data(), c_.data(), m_, n_,
           k_);
  }

  std::size_t m_ = 0;
  std::size_t n_ = 0;
  std::size_t k_ = 0;
  DeviceBuffer<float> a_;
  DeviceBuffer<float> b_;
  DeviceBuffer<float> c_;

 private:
  // k products of positive values: their roundings are independent, so that the error grows with
  // the root of k, times eight for safety (N. Higham and T. Mary, "A new approach to probabilistic
  // rounding error analysis", 2019). One product left out would be 1/k.
  [[nodiscard]] Tolerance tolerance() const {
    return {.relative = 8 * std::sqrt(static_cast<double>(k_) + 1) * 0x1p-24};
  }

  [[nodiscard]] double a(std::size_t i, std::size_t j) const {
    return random_element<float>(i * k_ + j, seed());
  }
  [[nodiscard]] double b(std::size_t i, std::size_t j) const {
    return random_element<float>(i * n_ + j, seed() + 1);
  }
  [[nodiscard]] double element(std::size_t row, std::size_t column) const {
    double sum = 0;
    for (std::size_t i = 0; i < k_; ++i) sum += a(row, i) * b(i, column);
    return sum;
  }

#ifdef __CUDACC__
  [[nodiscard]] Check check_on_device() const {
    const DeviceBuffer<double> expected(m_ * n_);
    constexpr unsigned kSide = 16;
    launch(matmul_in_double,
           dim3(static_cast<unsigned>(parts_of(n_, kSide)),
                static_cast<unsigned>(parts_of(m_, kSide))),
           dim3(kSide, kSide), a_.data(), b_.data(), expected.data(), m_, n_, k_);
    const std::vector<double> on_host = expected.to_host();
    return compare(
        c_, [&](std::size_t i) { return on_host[i]; }, tolerance(), Coverage::full);
  }
#endif

  // R. Freivalds, "Probabilistic machines can use less running time", 1977: C · x = A · (B · x),
  // for a random x, here positive, so that errors of a row cannot hide behind each other's size.
  [[nodiscard]] Check check_rows() const {
    const auto x = [&](std::size_t j) { return random_element<double>(j, seed() + 2); };
    const std::vector<double> b_x = map_each(k_, [&](std::size_t i) {
      double sum = 0;
      for (std::size_t j = 0; j < n_; ++j) sum += b(i, j) * x(j);
      return sum;
    });
    const std::vector<double> c_x = map_each(m_, [&](std::size_t i) {
      const std::vector<float> row = c_.to_host(i * n_, n_);
      double sum = 0;
      for (std::size_t j = 0; j < n_; ++j) sum += row[j] * x(j);
      return sum;
    });
    const std::vector<double> a_b_x = map_each(m_, [&](std::size_t i) {
      double sum = 0;
      for (std::size_t j = 0; j < k_; ++j) sum += a(i, j) * b_x[j];
      return sum;
    });
    // The errors of a row's n elements are independent, too, and shrink beside their sum.
    const Tolerance of_sum{.relative = tolerance().relative / std::sqrt(static_cast<double>(n_))};
    return compare(
        std::span<const double>(c_x), [&](std::size_t i) { return a_b_x[i]; }, of_sum);
  }

  // Elements across the matrix, including its corners.
  [[nodiscard]] Check check_elements() const {
    constexpr std::size_t kElements = 1024;
    const auto place = [&](std::size_t sample) {
      const std::size_t corners[] = {0, n_ - 1, m_ * n_ - n_, m_ * n_ - 1};
      return sample < 4 ? corners[sample] : split_mix(sample) % (m_ * n_);
    };
    const std::vector<double> expected = map_each(kElements, [&](std::size_t sample) {
      return element(place(sample) / n_, place(sample) % n_);
    });
    std::vector<float> values;
    for (std::size_t sample = 0; sample < kElements; ++sample) {
      values.push_back(c_.to_host(place(sample), 1)[0]);
    }
    return compare(
        std::span<const float>(values), [&](std::size_t i) { return expected[i]; }, tolerance());
  }
};

VARIANT(Matmul, global) { multiply(matmul_global<16>, 16, 16, dim3(16, 16)); }
VARIANT(Matmul, tiled_16) { multiply(matmul_tiled<16>, 16, 16, dim3(16, 16)); }
VARIANT(Matmul, tiled_32) { multiply(matmul_tiled<32>, 32, 32, dim3(32, 32)); }
VARIANT(Matmul, register_blocked) {
  multiply(matmul_register_blocked, kMatmulBlocked, kMatmulBlocked,
           dim3(kMatmulBlockedThreads, kMatmulBlockedThreads));
}
VARIANT(Matmul, double_buffered) {
  const auto kernel = n_ % 4 == 0 ? matmul_double_buffered<16> : matmul_double_buffered<4>;
  multiply(kernel, kMatmulTileRows, kMatmulTileColumns, dim3(kMatmulThreads));
}
VARIANT(Matmul, merged_reads) {
  const auto kernel = whole_tiles() ? matmul_merged_reads<16, true> : merged_reads_at_edges();
  multiply(kernel, kMatmulTileRows, kMatmulTileColumns, dim3(kMatmulThreads));
}
VARIANT(Matmul, serpentine) {
  constexpr std::size_t kMost = 0x7fffffff;
  if (!whole_tiles() || m_ > kMost || n_ > kMost || k_ > kMost) {
    multiply(merged_reads_at_edges(), kMatmulTileRows, kMatmulTileColumns, dim3(kMatmulThreads));
    return;
  }
  const std::size_t tiles =
      matmul_tiles(m_, kMatmulTileRows) * matmul_tiles(n_, kMatmulTileColumns);
  launch(matmul_serpentine, static_cast<unsigned>(tiles), kMatmulThreads, a_.data(), b_.data(),
         c_.data(), n_, k_);
}

#ifdef __CUDACC__
// cuBLAS stores by columns: the transposed product of the transposed matrices is the same numbers.
class CublasMatmul : public Matmul {
 protected:
  Cublas cublas_;
  DeviceBuffer<float> factors_{std::vector<float>{1, 0}};
};
VARIANT_OF(Matmul, cublas, CublasMatmul) {
  if (m_ == 0 || n_ == 0) return;
  const auto m = static_cast<std::int64_t>(m_);
  const auto n = static_cast<std::int64_t>(n_);
  const auto k = static_cast<std::int64_t>(k_);
  require_success(cublasSgemm_64(cublas_.handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                                 factors_.data(), b_.data(), n, a_.data(),
                                 std::max<std::int64_t>(k, 1), factors_.data() + 1, c_.data(), n),
                  "cublasSgemm");
}
#endif

SIZES(Matmul, .emulated = {{64, 96, 32}, {130, 67, 33}}, .gpu = {{2048, 2048, 2048}},
      .large = {{4096, 4096, 4096}, {8192, 8192, 8192}},
      .tested = {{0, 5, 5},
                 {5, 0, 5},
                 {5, 5, 0},
                 {1, 1, 1},
                 {1, 33, 7},
                 {33, 1, 7},
                 {16, 16, 16},
                 {32, 32, 32},
                 {31, 33, 15},
                 {17, 48, 65},
                 {128, 256, 8},
                 {128, 256, 24},
                 {129, 257, 17},
                 {127, 260, 9},
                 {130, 36, 40}},
      .huge = {{46349, 46351, 9}})

}  // namespace
