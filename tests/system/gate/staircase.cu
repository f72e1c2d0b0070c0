// SPDX-License-Identifier: Apache-2.0
// A kernel of some 2 µs that waits for a number of clock cycles, ten nanoseconds more from size to
// size: by this one sees, on a GPU, whether a time follows a change that is smaller than the step
// of the timestamps. See docs/explain/measurement.md.
#include <cuda_runtime.h>

#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"

inline constexpr unsigned kStaircaseBlock = 128;
inline constexpr unsigned kStaircaseBlocks = 128;

__global__ void staircase_wait(long long cycles, int* out) {
  const long long start = clock64();
  while (clock64() - start < cycles) continue;
  out[blockIdx.x * kStaircaseBlock + threadIdx.x] = static_cast<int>(cycles);
}

namespace {

using namespace warpgauge;

// Size: cycles.
class Staircase : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    cycles_ = static_cast<long long>(size[0]);
    out_ = DeviceBuffer<int>(std::size_t{kStaircaseBlocks} * kStaircaseBlock);
  }

  Work work() const override {
    return {.bytes_written = static_cast<double>(out_.size() * sizeof(int))};
  }

  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t) { return static_cast<int>(cycles_); }, Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  void wait() { launch(staircase_wait, kStaircaseBlocks, kStaircaseBlock, cycles_, out_.data()); }

 private:
  long long cycles_ = 0;
  DeviceBuffer<int> out_;
};

VARIANT(Staircase, wait) { wait(); }

SIZES(Staircase, .emulated = {{100}},
      .gpu = {{1400}, {1420}, {1440}, {1460}, {1480}, {1500}, {1520}, {1540}})

}  // namespace
