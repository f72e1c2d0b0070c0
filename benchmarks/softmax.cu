// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Elements lie within ±16: a row has few that count, and many that hardly do.
constexpr std::int64_t kMagnitude = 16;

// Sizes: rows, columns.
class Softmax : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    rows_ = size[0];
    columns_ = size[1];
    in_ = whole_number_buffer<float>(rows_ * columns_, kMagnitude, seed());
    out_ = DeviceBuffer<float>(rows_ * columns_);
  }

  Work work() const override {
    const double elements = static_cast<double>(rows_ * columns_);
    return {.bytes_read = elements * sizeof(float),
            .bytes_written = elements * sizeof(float),
            .operations = 4 * elements};
  }

  Check check(Coverage coverage) const override {
    // The exponential is off by up to 2 units in the last place, and its argument, exact here, by
    // none; a sum of floats by a rounding for each addition.
    const Tolerance tolerance{.relative = static_cast<double>(columns_ + 16) * 0x1p-24};
    return compare(out_, Reference{.columns = columns_, .seed = seed()}, tolerance, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel>
  void by_rows(Kernel kernel, int threads = kSoftmaxBlock) {
    launch(kernel, static_cast<unsigned>(rows_), threads, in_.data(), out_.data(), columns_);
  }
  void in_registers();

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;

 private:
  struct Reference {
    std::size_t columns;
    std::uint64_t seed;
    std::size_t row = static_cast<std::size_t>(-1);  // whose largest element and sum these are
    double largest = 0;
    double sum = 0;

    [[nodiscard]] double element(std::size_t i) const {
      return random_whole_number<float>(i, kMagnitude, seed);
    }
    double operator()(std::size_t i) {
      if (i / columns != row) {
        row = i / columns;
        largest = element(row * columns);
        for (std::size_t j = 1; j < columns; ++j) {
          largest = std::max(largest, element(row * columns + j));
        }
        sum = 0;
        for (std::size_t j = 0; j < columns; ++j) {
          sum += std::exp(element(row * columns + j) - largest);
        }
      }
      return std::exp(element(i) - largest) / sum;
    }
  };
};

// Four vectors a thread or more where the row has them, so that much is in flight; more threads a
// block end up waiting for each other. A row that no block can hold is read twice.
void Softmax::in_registers() {
  if (columns_ <= 1024) {
    by_rows(softmax_in_registers<128, 2>, 128);
  } else if (columns_ <= 4096) {
    by_rows(softmax_in_registers<256, 4>, 256);
  } else if (columns_ <= 8192) {
    by_rows(softmax_in_registers<512, 4>, 512);
  } else if (columns_ <= 16384) {
    by_rows(softmax_in_registers<256, 16>, 256);
  } else {
    by_rows(softmax_online);
  }
}

VARIANT(Softmax, naive) {
  launch(softmax_naive, static_cast<unsigned>(parts_of(rows_, kSoftmaxBlock)), kSoftmaxBlock,
         in_.data(), out_.data(), rows_, columns_);
}
VARIANT(Softmax, shared) { by_rows(softmax_shared); }
VARIANT(Softmax, shuffle) { by_rows(softmax_shuffle); }
VARIANT(Softmax, online) { by_rows(softmax_online); }
VARIANT(Softmax, in_registers) { in_registers(); }

SIZES(Softmax, .emulated = {{8, 1024}, {5, 1027}}, .gpu = {{1000, 1023}, {16384, 4096}},
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
