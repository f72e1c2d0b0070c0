// SPDX-License-Identifier: Apache-2.0
#include "kernels/dot.cuh"

#ifdef __CUDACC__
#include "benchmarks/library_rows.hpp"
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// As for the reduction, whole numbers: products and sums are exact.
template <class T>
constexpr std::int64_t kMagnitude = std::is_same_v<T, float>    ? 1 << 3
                                    : std::is_same_v<T, double> ? 1 << 13
                                                                : 1 << 20;

// Size: elements of each vector.
template <class T>
class Dot : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    a_ = whole_number_buffer<T>(n_, kMagnitude<T>, seed());
    b_ = whole_number_buffer<T>(n_, kMagnitude<T>, seed() + 1);
    out_ = DeviceBuffer<T>(1);
    ticket_ = DeviceBuffer<unsigned>(std::vector<unsigned>{0});
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>(2 * n_ * sizeof(T)),
            .bytes_written = sizeof(T),
            .operations = static_cast<double>(2 * n_)};
  }

  Check check(Coverage) const override {
    const auto expected = static_cast<T>(parallel_sum<std::int64_t>(n_, [&](std::size_t i) {
      return random_whole_number<std::int64_t>(i, kMagnitude<T>, seed()) *
             random_whole_number<std::int64_t>(i, kMagnitude<T>, seed() + 1);
    }));
    const T value = sum_on_host_ ? host_sum() : out_.to_host()[0];
    return compare(
        std::span<const T>(&value, 1), [&](std::size_t) { return expected; }, Tolerance{});
  }

  void poison_result() override {
    partial_.poison();
    out_.poison();
  }

 protected:
  // Elements that a thread has in flight.
  template <class Kernel>
  unsigned provide_grid(Kernel kernel, std::size_t elements, std::size_t dynamic_bytes = 0) {
    const unsigned blocks =
        grid_stride_blocks(kernel, kDotBlock, parts_of(n_, kDotBlock * elements), dynamic_bytes);
    if (partial_.size() != blocks) partial_ = DeviceBuffer<T>(blocks);
    return blocks;
  }

  std::size_t n_ = 0;
  bool sum_on_host_ = false;
  DeviceBuffer<T> a_;
  DeviceBuffer<T> b_;
  DeviceBuffer<T> partial_;
  DeviceBuffer<T> out_;
  DeviceBuffer<unsigned> ticket_;
#ifdef __CUDACC__
  Cublas cublas_;
#endif

 private:
  [[nodiscard]] T host_sum() const {
    T sum{0};
    for (const T partial : partial_.to_host()) sum += partial;
    return sum;
  }
};

using Types = Cases<float, double, std::int64_t>;

VARIANT_FOR(Dot, static_shared, Types) {
  const unsigned blocks = this->provide_grid(dot_static_shared<Case>, 1);
  this->sum_on_host_ = true;
  launch(dot_static_shared<Case>, blocks, kDotBlock, this->a_.data(), this->b_.data(),
         this->partial_.data(), this->n_);
}
VARIANT_FOR(Dot, dynamic_shared, Types) {
  constexpr std::size_t kBytes = kDotBlock * sizeof(Case);
  const unsigned blocks = this->provide_grid(dot_dynamic_shared<Case>, 1, kBytes);
  this->sum_on_host_ = true;
  launch_with_shared(dot_dynamic_shared<Case>, blocks, kDotBlock, kBytes, this->a_.data(),
                     this->b_.data(), this->partial_.data(), this->n_);
}
VARIANT_FOR(Dot, device_finish, Types) {
  const unsigned blocks = this->provide_grid(dot_device_finish<Case>, 1);
  launch(dot_device_finish<Case>, blocks, kDotBlock, this->a_.data(), this->b_.data(),
         this->partial_.data(), this->ticket_.data(), this->out_.data(), this->n_);
}
VARIANT_FOR(Dot, vectorized, Types) {
  const unsigned blocks =
      this->provide_grid(dot_vectorized<Case>, kDotInFlight * DotVector<Case>::kElements);
  launch(dot_vectorized<Case>, blocks, kDotBlock, this->a_.data(), this->b_.data(),
         this->partial_.data(), this->ticket_.data(), this->out_.data(), this->n_);
}

#ifdef __CUDACC__
// cuBLAS has no dot product of integers.
using Floats = Cases<float, double>;
VARIANT_FOR(Dot, cublas, Floats) {
  const auto n = static_cast<std::int64_t>(this->n_);
  if constexpr (std::is_same_v<Case, float>) {
    require_success(cublasSdot_64(this->cublas_.handle(), n, this->a_.data(), 1, this->b_.data(), 1,
                                  this->out_.data()),
                    "cublasSdot");
  } else {
    require_success(cublasDdot_64(this->cublas_.handle(), n, this->a_.data(), 1, this->b_.data(), 1,
                                  this->out_.data()),
                    "cublasDdot");
  }
}
#endif

SIZES(Dot, .emulated = {{4096}, {33792}}, .gpu = {{33792}, {16777216}}, .large = {{268435456}},
      .tested = {{0},
                 {1},
                 {2},
                 {31},
                 {32},
                 {33},
                 {97},
                 {255},
                 {256},
                 {257},
                 {1009},
                 {4096},
                 {8193},
                 {33792},
                 {150001}},
      .huge = {{2147483659}})

}  // namespace
