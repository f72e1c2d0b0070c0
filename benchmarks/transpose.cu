// SPDX-License-Identifier: Apache-2.0
#include "kernels/transpose.cuh"

#include <cstddef>
#include <vector>

#include "profiling/device_buffer.hpp"
#include "profiling/fixture.hpp"
#include "profiling/random_input.hpp"

namespace {

using namespace warpgauge;

// Sizes: rows, columns.
class Transpose : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    rows_ = size[0];
    columns_ = size[1];
    host_in_ = random_values(rows_ * columns_);
    in_ = DeviceBuffer<float>(host_in_);
    out_ = DeviceBuffer<float>(rows_ * columns_);
  }

  Work work() const override {
    const double bytes = static_cast<double>(rows_ * columns_ * sizeof(float));
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  // Exact: elements are moved, not computed.
  Check check() const override {
    return compare<float>(
        out_.to_host(), [&](std::size_t i) { return host_in_[i % rows_ * columns_ + i / rows_]; },
        Tolerance{});
  }

 protected:
  template <class Kernel>
  void transpose(Kernel kernel) {
    const auto tiles =
        static_cast<unsigned>(transpose_tiles_across(rows_) * transpose_tiles_across(columns_));
    launch(kernel, tiles, dim3(kTransposeTile, kTransposeRows), in_.data(), out_.data(), rows_,
           columns_);
  }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<float> host_in_;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

VARIANT(Transpose, naive) { transpose(transpose_naive); }
VARIANT(Transpose, shared) { transpose(transpose_tiled<0>); }
VARIANT(Transpose, padded) { transpose(transpose_tiled<1>); }

SIZES(Transpose, .emulated = {{256, 192}, {257, 191}}, .gpu = {{1025, 1023}, {4096, 4096}})

}  // namespace
