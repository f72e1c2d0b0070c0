// SPDX-License-Identifier: Apache-2.0
#include "kernels/table_lookup.cuh"

#include <algorithm>
#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Size: lookups.
class TableLookup : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    table_ = random_buffer<int>(kTableWords, seed());
    index_ = random_buffer<unsigned>(n_, seed() + 1);
    out_ = DeviceBuffer<int>(n_);
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>((n_ + kTableWords) * sizeof(int)),
            .bytes_written = static_cast<double>(n_ * sizeof(int))};
  }

  // Exact: elements are moved, not computed.
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          return random_element<int>(random_element<unsigned>(i, seed() + 1) % kTableWords, seed());
        },
        Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  // As many blocks as the GPU holds, in whole clusters.
  template <class Kernel>
  void look_up(Kernel kernel, std::size_t dynamic_bytes) {
    const std::size_t blocks =
        std::min(parts_of(n_, kTableBlock), resident_blocks(kernel, kTableBlock, dynamic_bytes));
    launch_with_shared(kernel,
                       static_cast<unsigned>(parts_of(blocks, kTableCluster) * kTableCluster),
                       kTableBlock, dynamic_bytes, table_.data(), index_.data(), out_.data(), n_);
  }

 private:
  std::size_t n_ = 0;
  DeviceBuffer<int> table_;
  DeviceBuffer<unsigned> index_;
  DeviceBuffer<int> out_;
};

VARIANT(TableLookup, global) { look_up(table_lookup_global, 0); }
VARIANT(TableLookup, distributed) {
  allow_dynamic_shared(table_lookup_distributed, kTablePartBytes);
  look_up(table_lookup_distributed, kTablePartBytes);
}

SIZES(TableLookup, .emulated = {{4096}, {20000}}, .gpu = {{100003}, {16777216}},
      .large = {{268435456}}, .tested = {{0}, {1}, {31}, {33}, {513}, {2049}, {100003}},
      .huge = {{2147483659}})

}  // namespace
