// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction.cuh"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "profiling/device_buffer.hpp"
#include "profiling/fixture.hpp"
#include "profiling/random_input.hpp"

namespace {

using namespace warpgauge;

// Each partial sum is a tree of log2(256) = 8 additions; inputs are positive, so every rounding is
// relative to a part of the result.
constexpr Tolerance kTolerance{.relative = 8 * 0x1p-24};

// Size: elements.
class Reduction : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    host_in_ = random_values(n_);
    in_ = DeviceBuffer<float>(host_in_);
    partial_ = DeviceBuffer<float>((n_ + kReductionBlock - 1) / kReductionBlock);
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>(n_ * sizeof(float)),
            .bytes_written = static_cast<double>(partial_.size() * sizeof(float)),
            .operations = static_cast<double>(n_)};
  }

  Check check() const override {
    return compare<float>(
        partial_.to_host(),
        [&](std::size_t block) {
          const std::size_t first = block * kReductionBlock;
          const std::size_t end = std::min(first + kReductionBlock, n_);
          double sum = 0;
          for (std::size_t i = first; i < end; ++i) sum += host_in_[i];
          return sum;
        },
        kTolerance);
  }

 protected:
  template <class Kernel>
  void reduce(Kernel kernel) {
    launch(kernel, static_cast<unsigned>(partial_.size()), kReductionBlock, in_.data(),
           partial_.data(), n_);
  }

 private:
  std::size_t n_ = 0;
  std::vector<float> host_in_;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> partial_;
};

VARIANT(Reduction, interleaved_divergent) { reduce(reduce_interleaved_divergent); }
VARIANT(Reduction, interleaved_indexed) { reduce(reduce_interleaved_indexed); }
VARIANT(Reduction, sequential) { reduce(reduce_sequential); }

SIZES(Reduction, .emulated = {{4096}, {4000}}, .gpu = {{999999}, {16777216}})

}  // namespace
