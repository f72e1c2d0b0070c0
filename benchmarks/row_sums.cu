// SPDX-License-Identifier: Apache-2.0
#include "kernels/row_sums.cuh"

#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Size: rows.
class RowSums : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    rows_ = size[0];
    in_ = random_buffer<int>(rows_ * kRowSumsColumns, seed());
    out_ = DeviceBuffer<int>(rows_);
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>(in_.size() * sizeof(int)),
            .bytes_written = static_cast<double>(rows_ * sizeof(int)),
            .operations = static_cast<double>(in_.size())};
  }

  // Exact: integers.
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t row) {
          int sum = 0;
          for (std::size_t i = row * kRowSumsColumns; i < (row + 1) * kRowSumsColumns; ++i) {
            sum += random_element<int>(i, seed());
          }
          return sum;
        },
        Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel>
  void add(Kernel kernel) {
    launch(kernel, static_cast<unsigned>(parts_of(rows_, kRowSumsBlock)), kRowSumsBlock, in_.data(),
           out_.data(), rows_);
  }

 private:
  std::size_t rows_ = 0;
  DeviceBuffer<int> in_;
  DeviceBuffer<int> out_;
};

VARIANT(RowSums, plain_4) { add(row_sums<int, RowLayout::plain, false>); }
VARIANT(RowSums, padded_4) { add(row_sums<int, RowLayout::padded, false>); }
VARIANT(RowSums, swizzled_4) { add(row_sums<int, RowLayout::swizzled, false>); }
VARIANT(RowSums, plain_8) { add(row_sums<int2, RowLayout::plain, false>); }
VARIANT(RowSums, padded_8) { add(row_sums<int2, RowLayout::padded, false>); }
VARIANT(RowSums, swizzled_8) { add(row_sums<int2, RowLayout::swizzled, false>); }
VARIANT(RowSums, plain_16) { add(row_sums<int4, RowLayout::plain, false>); }
VARIANT(RowSums, padded_16) { add(row_sums<int4, RowLayout::padded, false>); }
VARIANT(RowSums, swizzled_16) { add(row_sums<int4, RowLayout::swizzled, false>); }
VARIANT(RowSums, copied_16) { add(row_sums<int4, RowLayout::swizzled, true>); }
VARIANT(RowSums, own_copies) { add(row_sums_own_copies); }
VARIANT(RowSums, atomics) { add(row_sums_atomics<1>); }
VARIANT(RowSums, atomics_one_bank) { add(row_sums_atomics<32>); }
VARIANT(RowSums, atomics_one_word) { add(row_sums_one_word); }

SIZES(RowSums, .emulated = {{512}, {301}}, .gpu = {{1000}, {524288}}, .large = {{8388608}},
      .tested = {{0}, {1}, {31}, {32}, {33}, {127}, {128}, {129}, {1009}}, .huge = {{67108867}})

}  // namespace
