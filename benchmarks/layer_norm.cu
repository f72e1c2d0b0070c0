// SPDX-License-Identifier: Apache-2.0
#include "kernels/layer_norm.cuh"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Sizes: rows, columns.
class LayerNorm : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    rows_ = size[0];
    columns_ = size[1];
    in_ = random_buffer<float>(rows_ * columns_, seed());
    weight_ = random_buffer<float>(columns_, seed() + 1);
    bias_ = random_buffer<float>(columns_, seed() + 2);
    out_ = DeviceBuffer<float>(rows_ * columns_);
  }

  Work work() const override {
    const double elements = static_cast<double>(rows_ * columns_);
    return {.bytes_read = (elements + static_cast<double>(2 * columns_)) * sizeof(float),
            .bytes_written = elements * sizeof(float),
            .operations = 8 * elements};
  }

  Check check(Coverage coverage) const override {
    // Elements lie in [0, 1): their mean is off by a rounding for each addition, and what differs
    // from it little is scaled up, by 316 at most, one over the square root of kLayerNormEpsilon.
    const Tolerance tolerance{.relative = 1e-4,
                              .absolute = 1e-4 + static_cast<double>(columns_) * 0x1p-24};
    return compare(out_, Reference{.columns = columns_, .seed = seed()}, tolerance, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel>
  void by_rows(Kernel kernel, int threads = kLayerNormBlock) {
    launch(kernel, static_cast<unsigned>(rows_), threads, in_.data(), weight_.data(), bias_.data(),
           out_.data(), columns_);
  }
  void in_registers();

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> weight_;
  DeviceBuffer<float> bias_;
  DeviceBuffer<float> out_;

 private:
  struct Reference {
    std::size_t columns;
    std::uint64_t seed;
    std::size_t row = static_cast<std::size_t>(-1);  // whose mean and scale these are
    double mean = 0;
    double scale = 0;

    [[nodiscard]] double element(std::size_t i) const { return random_element<float>(i, seed); }
    double operator()(std::size_t i) {
      const std::size_t column = i % columns;
      if (i / columns != row) {
        row = i / columns;
        double sum = 0;
        for (std::size_t j = 0; j < columns; ++j) sum += element(row * columns + j);
        mean = sum / static_cast<double>(columns);
        double squares = 0;
        for (std::size_t j = 0; j < columns; ++j) {
          squares += std::pow(element(row * columns + j) - mean, 2);
        }
        scale = 1 / std::sqrt(squares / static_cast<double>(columns) + double{kLayerNormEpsilon});
      }
      return (element(i) - mean) * scale * random_element<float>(column, seed + 1) +
             random_element<float>(column, seed + 2);
    }
  };
};

// Four vectors a thread or more where the row has them, so that much is in flight; more threads a
// block end up waiting for each other. A row that no block can hold is read twice.
void LayerNorm::in_registers() {
  if (columns_ <= 1024) {
    by_rows(layer_norm_in_registers<128, 2>, 128);
  } else if (columns_ <= 4096) {
    by_rows(layer_norm_in_registers<256, 4>, 256);
  } else if (columns_ <= 8192) {
    by_rows(layer_norm_in_registers<512, 4>, 512);
  } else if (columns_ <= 16384) {
    by_rows(layer_norm_in_registers<512, 8>, 512);
  } else {
    by_rows(layer_norm_online);
  }
}

VARIANT(LayerNorm, naive) {
  launch(layer_norm_naive, static_cast<unsigned>(parts_of(rows_, kLayerNormBlock)), kLayerNormBlock,
         in_.data(), weight_.data(), bias_.data(), out_.data(), rows_, columns_);
}
VARIANT(LayerNorm, shared) { by_rows(layer_norm_shared); }
VARIANT(LayerNorm, shuffle) { by_rows(layer_norm_shuffle); }
VARIANT(LayerNorm, online) { by_rows(layer_norm_online); }
VARIANT(LayerNorm, in_registers) { in_registers(); }

SIZES(LayerNorm, .emulated = {{8, 1024}, {5, 1027}}, .gpu = {{1000, 1023}, {16384, 4096}},
      .large = {{65536, 4096}},
      .tested = {{0, 5},
                 {5, 0},
                 {1, 1},
                 {1, 2},
                 {300, 1},
                 {257, 3},
                 {3, 31},
                 {2, 1024},
                 {2, 1025},
                 {3, 2047},
                 {1, 4096},
                 {2, 4099},
                 {1, 8192},
                 {1, 16384},
                 {1, 16387}},
      .huge = {{524309, 4099}})

}  // namespace
