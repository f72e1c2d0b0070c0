// SPDX-License-Identifier: Apache-2.0
#include "kernels/transpose.cuh"

#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Sizes: rows, columns.
class Transpose : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    rows_ = size[0];
    columns_ = size[1];
    in_ = random_buffer<float>(rows_ * columns_, seed());
    out_ = DeviceBuffer<float>(rows_ * columns_);
  }

  Work work() const override {
    const double bytes = static_cast<double>(rows_ * columns_ * sizeof(float));
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  // Exact: elements are moved, not computed.
  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t i) { return random_element<float>(source_of(i), seed()); },
        Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  // Index in the input of the element at index i of the output.
  [[nodiscard]] virtual std::size_t source_of(std::size_t i) const {
    return i % rows_ * columns_ + i / rows_;
  }

  template <class Kernel>
  void move(Kernel kernel, int tile, dim3 block) {
    const std::size_t tiles =
        transpose_tiles_across(rows_, tile) * transpose_tiles_across(columns_, tile);
    launch(kernel, static_cast<unsigned>(tiles), block, in_.data(), out_.data(), rows_, columns_);
  }

  template <class Kernel>
  void transpose(Kernel kernel) {
    move(kernel, kTransposeTile, dim3(kTransposeTile, kTransposeRows));
  }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

class CopyInstead : public Transpose {
  std::size_t source_of(std::size_t i) const override { return i; }
};

VARIANT_OF(Transpose, copy, CopyInstead) { transpose(transpose_copy); }
VARIANT(Transpose, naive) { transpose(transpose_naive); }
VARIANT(Transpose, shared) { transpose(transpose_tiled<0>); }
VARIANT(Transpose, padded) { transpose(transpose_tiled<1>); }
VARIANT(Transpose, swizzled) { transpose(transpose_swizzled); }
VARIANT(Transpose, wide) {
  move(transpose_wide, kTransposeWideTile, dim3(kTransposeWideThreads, kTransposeWideThreads));
}
VARIANT(Transpose, turned) {
  move(transpose_turned, kTransposeWideTile, dim3(kTransposeWideThreads, kTransposeWideThreads));
}

SIZES(Transpose, .emulated = {{256, 192}, {257, 191}}, .gpu = {{1025, 1023}, {4096, 4096}},
      .large = {{16384, 16384}},
      .tested = {{0, 5},
                 {5, 0},
                 {1, 1},
                 {1, 100},
                 {100, 1},
                 {31, 33},
                 {32, 32},
                 {33, 31},
                 {64, 96},
                 {63, 65},
                 {65, 127},
                 {36, 68},
                 {40, 61},
                 {61, 40},
                 {257, 191}},
      .huge = {{46349, 46351}, {46352, 46348}})

}  // namespace
