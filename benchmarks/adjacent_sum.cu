// SPDX-License-Identifier: Apache-2.0
#include "kernels/adjacent_sum.cuh"

#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// Size: elements.
class AdjacentSum : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<int>(n_, seed());
    out_ = DeviceBuffer<int>(n_);
  }

  Work work() const override {
    const double bytes = static_cast<double>(n_ * sizeof(int));
    return {.bytes_read = bytes, .bytes_written = bytes, .operations = static_cast<double>(n_)};
  }

  // Exact: integers.
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          const int before = i == 0 ? 0 : random_element<int>(i - 1, seed());
          return repetitions() * (random_element<int>(i, seed()) + before);
        },
        Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  // How often the variant adds the same sum.
  [[nodiscard]] virtual int repetitions() const { return 1; }

  template <class Kernel>
  void add(Kernel kernel, std::size_t elements_per_block = kAdjacentBlock) {
    launch(kernel, static_cast<unsigned>(parts_of(n_, elements_per_block)), kAdjacentBlock,
           in_.data(), out_.data(), n_);
  }

 private:
  std::size_t n_ = 0;
  DeviceBuffer<int> in_;
  DeviceBuffer<int> out_;
};

class Repeated : public AdjacentSum {
  int repetitions() const override { return kAdjacentRounds; }
};

VARIANT(AdjacentSum, global) { add(adjacent_global); }
VARIANT(AdjacentSum, shared) { add(adjacent_shared); }
VARIANT(AdjacentSum, vectorized) { add(adjacent_vectorized, kAdjacentTile); }
VARIANT_OF(AdjacentSum, repeated_global, Repeated) { add(adjacent_repeated_global); }
VARIANT_OF(AdjacentSum, repeated_shared, Repeated) { add(adjacent_repeated_shared); }

SIZES(AdjacentSum, .emulated = {{4096}, {5003}}, .gpu = {{16777216}}, .large = {{268435456}},
      .tested = {{0},
                 {1},
                 {2},
                 {3},
                 {5},
                 {31},
                 {32},
                 {33},
                 {127},
                 {128},
                 {129},
                 {255},
                 {256},
                 {257},
                 {1009},
                 {4095},
                 {4097},
                 {8194},
                 {20011}},
      .huge = {{2147483659}})

}  // namespace
