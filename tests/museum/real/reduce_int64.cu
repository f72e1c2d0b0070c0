// SPDX-License-Identifier: Apache-2.0
// CUB's sum of 64-bit integers: three at a time, which no instruction does for them. Brought by
// https://github.com/NVIDIA/cccl/pull/2756, taken back by https://github.com/NVIDIA/cccl/pull/2944.
#include <cub/device/device_reduce.cuh>

#include "tests/museum/real/cub_fixture.hpp"

namespace {

using namespace warpgauge;

class ReduceInt64 : public museum::CubFixture<long long, long long> {
  std::size_t results() const override { return 1; }
  cudaError_t call(void* memory, std::size_t& bytes) override {
    return cub::DeviceReduce::Sum(memory, bytes, in_.data(), out_.data(), static_cast<int>(n_));
  }
  Check check(Coverage coverage) const override {
    long long sum = 0;
    for (const long long each : in_.to_host(0, n_)) sum += each;
    return compare(
        out_, [&](std::size_t) { return sum; }, Tolerance{}, coverage);
  }
};

VARIANT_OF(Real, reduce_int64, ReduceInt64) { run(); }
SIZES(Real, .gpu = {{16777216}})

}  // namespace
