// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil.cuh"

#include <algorithm>
#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

constexpr int kRadius = 3;

// Size: elements.
class Stencil : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<int>(n_, seed());
    out_ = DeviceBuffer<int>(n_);
  }

  Work work() const override {
    const double bytes = static_cast<double>(n_ * sizeof(int));
    return {.bytes_read = bytes,
            .bytes_written = bytes,
            .operations = static_cast<double>(2 * kRadius * n_)};
  }

  // Exact: integers.
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          int sum = 0;
          const std::size_t first = i < kRadius ? 0 : i - kRadius;
          for (std::size_t j = first; j <= std::min(i + kRadius, n_ - 1); ++j) {
            sum += random_element<int>(j, seed());
          }
          return sum;
        },
        Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel>
  void add(Kernel kernel, std::size_t elements_per_block = kStencilBlock) {
    launch(kernel, static_cast<unsigned>(parts_of(n_, elements_per_block)), kStencilBlock,
           in_.data(), out_.data(), n_);
  }

 private:
  std::size_t n_ = 0;
  DeviceBuffer<int> in_;
  DeviceBuffer<int> out_;
};

VARIANT(Stencil, global) { add(stencil_global<kRadius>); }
VARIANT(Stencil, shared) { add(stencil_shared<kRadius>); }
VARIANT(Stencil, vectorized) { add(stencil_vectorized<kRadius>, kStencilTile); }

SIZES(Stencil, .emulated = {{4096}, {5003}}, .gpu = {{16777216}}, .large = {{268435456}},
      .tested = {{0},   {1},   {2},   {3},   {4},   {5},    {7},    {31},   {32},   {33},   {127},
                 {128}, {129}, {255}, {256}, {257}, {1009}, {4095}, {4097}, {8194}, {20011}},
      .huge = {{2147483659}})

}  // namespace
