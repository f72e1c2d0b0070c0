// SPDX-License-Identifier: Apache-2.0
// CUB's sum of bytes: whether they can be loaded as vectors was decided too late in the kernel.
// Brought by https://github.com/NVIDIA/cccl/pull/5507, told of in
// https://github.com/NVIDIA/cccl/pull/5542.
#include <cub/device/device_reduce.cuh>

#include "tests/museum/real/cub_fixture.hpp"

namespace {

using namespace warpgauge;

class ReduceBytes : public museum::CubFixture<unsigned char, unsigned char> {
  std::size_t results() const override { return 1; }
  cudaError_t call(void* memory, std::size_t& bytes) override {
    return cub::DeviceReduce::Sum(memory, bytes, in_.data(), out_.data(), static_cast<int>(n_));
  }
  Check check(Coverage coverage) const override {
    unsigned sum = 0;
    for (const unsigned char each : in_.to_host(0, n_)) sum += each;
    return compare(
        out_, [&](std::size_t) { return static_cast<unsigned char>(sum); }, Tolerance{}, coverage);
  }
};

VARIANT_OF(Real, reduce_bytes, ReduceBytes) { run(); }
SIZES(Real, .gpu = {{67108864}})

}  // namespace
