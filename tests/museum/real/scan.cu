// SPDX-License-Identifier: Apache-2.0
// CUB's scan: its tuning for sm_90 was never chosen after https://github.com/NVIDIA/cccl/pull/3138;
// told of in https://github.com/NVIDIA/cccl/pull/3236.
#include <cub/device/device_scan.cuh>

#include "tests/museum/real/cub_fixture.hpp"

namespace {

using namespace warpgauge;

class Scan : public museum::CubFixture<unsigned, unsigned> {
  cudaError_t call(void* memory, std::size_t& bytes) override {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, in_.data(), out_.data(),
                                         static_cast<int>(n_));
  }
  Check check(Coverage coverage) const override {
    std::vector<unsigned> sums = in_.to_host(0, n_);
    unsigned sum = 0;
    for (unsigned& each : sums) {
      const unsigned now = each;
      each = sum;
      sum += now;
    }
    return compare(
        out_, [&](std::size_t i) { return sums[i]; }, Tolerance{}, coverage);
  }
};

VARIANT_OF(Real, scan, Scan) { run(); }
SIZES(Real, .gpu = {{33554432}})

}  // namespace
