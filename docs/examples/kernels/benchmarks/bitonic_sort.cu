// SPDX-License-Identifier: Apache-2.0
#include "kernels/bitonic_sort.cuh"

#include <warpgauge/device_buffer.hpp>
#include <warpgauge/device_check.hpp>
#include <warpgauge/fixture.hpp>
#include <warpgauge/random_buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

using namespace warpgauge;

// Size: keys, a multiple of a segment's.
class BitonicSort : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    in_ = random_buffer<unsigned>(size[0], seed());
    out_ = DeviceBuffer<unsigned>(size[0]);
  }

  Work work() const override {
    const double bytes = static_cast<double>(in_.size() * sizeof(unsigned));
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  // Exact: keys are moved, not computed.
  Check check(Coverage coverage) const override {
    std::vector<unsigned> sorted = random_elements<unsigned>(in_.size(), seed());
    for (auto segment = sorted.begin(); segment != sorted.end(); segment += kSegment) {
      std::sort(segment, segment + kSegment);
    }
    return compare(
        out_, [&](std::size_t i) { return sorted[i]; }, Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel>
  void sort(Kernel kernel) {
    const auto segments = static_cast<unsigned>(in_.size() / kSegment);
    launch(kernel, segments, kSortThreads, in_.data(), out_.data());
  }

 private:
  DeviceBuffer<unsigned> in_;
  DeviceBuffer<unsigned> out_;
};

VARIANT(BitonicSort, shared) { sort(bitonic_sort); }

SIZES(BitonicSort, .emulated = {{8192}}, .gpu = {{16777216}})

}  // namespace
