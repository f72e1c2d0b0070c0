// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution.cuh"

#include <warpgauge/device_buffer.hpp>
#include <warpgauge/device_check.hpp>
#include <warpgauge/fixture.hpp>
#include <warpgauge/random_buffer.hpp>

#include <cstddef>
#include <vector>

namespace {

using namespace warpgauge;

// Sizes: rows, columns.
class Convolution : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    rows_ = static_cast<int>(size[0]);
    columns_ = static_cast<int>(size[1]);
    in_ = random_buffer<float>(size[0] * size[1], seed());
    out_ = DeviceBuffer<float>(size[0] * size[1]);
    filter_ = random_elements<float>(2 * kRadius + 1, seed() + 1);
    require_success(
        cudaMemcpyToSymbol(convolution_filter, filter_.data(), filter_.size() * sizeof(float)),
        "cudaMemcpyToSymbol");
  }

  Work work() const override {
    const double bytes = static_cast<double>(in_.size() * sizeof(float));
    return {.bytes_read = bytes,
            .bytes_written = bytes,
            .operations = static_cast<double>(in_.size() * 2 * filter_.size())};
  }

  // Nine products and sums of numbers below 1, each rounded to a float.
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          const int row = static_cast<int>(i) / columns_;
          double sum = 0;
          for (int k = -kRadius; k <= kRadius; ++k) {
            if (row + k < 0 || row + k >= rows_) continue;
            sum += double{filter_[kRadius + k]} *
                   random_element<float>(i + std::ptrdiff_t{k} * columns_, seed());
          }
          return sum;
        },
        Tolerance{.relative = 1e-5}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel>
  void convolve(Kernel kernel) {
    const dim3 grid(static_cast<unsigned>(parts_of(columns_, kTileColumns)),
                    static_cast<unsigned>(parts_of(rows_, kTileRows)));
    launch(kernel, grid, dim3(kTileColumns, kTileRows), in_.data(), out_.data(), rows_, columns_);
  }

 private:
  int rows_ = 0;
  int columns_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
  std::vector<float> filter_;
};

VARIANT(Convolution, global) { convolve(convolve_columns_global); }
VARIANT(Convolution, shared) { convolve(convolve_columns_shared<16>); }

SIZES(Convolution, .emulated = {{128, 96}, {129, 97}}, .gpu = {{4096, 4096}})

}  // namespace
