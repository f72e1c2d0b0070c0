// SPDX-License-Identifier: Apache-2.0
// CUB's sum of elements of 16 bytes: loaded as vectors, which they need not be. Told of in
// https://github.com/NVIDIA/cccl/issues/9761, taken back by
// https://github.com/NVIDIA/cccl/pull/9762.
#include <cub/device/device_reduce.cuh>
#include <cuda/std/complex>

#include "tests/museum/real/cub_fixture.hpp"

namespace {

using namespace warpgauge;

class ReduceLarge : public museum::CubFixture<double, double> {
  std::size_t results() const override { return 2; }
  cudaError_t call(void* memory, std::size_t& bytes) override {
    return cub::DeviceReduce::Sum(
        memory, bytes, reinterpret_cast<const cuda::std::complex<double>*>(in_.data()),
        reinterpret_cast<cuda::std::complex<double>*>(out_.data()), static_cast<int>(n_ / 2));
  }
  Check check(Coverage coverage) const override {
    double sums[2] = {};
    const std::vector<double> all = in_.to_host(0, n_);
    for (std::size_t i = 0; i < n_; ++i) sums[i % 2] += all[i];
    return compare(
        out_, [&](std::size_t i) { return sums[i]; }, Tolerance{.relative = 1e-9}, coverage);
  }
};

VARIANT_OF(Real, reduce_large, ReduceLarge) { run(); }
SIZES(Real, .gpu = {{33554432}})

}  // namespace
