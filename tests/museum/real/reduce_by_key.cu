// SPDX-License-Identifier: Apache-2.0
// CUB's reduction by key: kernels took their parameters as __grid_constant__. Told of in
// https://github.com/NVIDIA/cccl/issues/9822, taken back by
// https://github.com/NVIDIA/cccl/pull/9858.
#include <cub/device/device_reduce.cuh>

#include "tests/museum/real/cub_fixture.hpp"

namespace warpgauge::museum {

struct ByteSum {
  __host__ __device__ unsigned char operator()(unsigned char a, unsigned char b) const {
    return static_cast<unsigned char>(a + b);
  }
};

}  // namespace warpgauge::museum

namespace {

using namespace warpgauge;

class ReduceByKey : public museum::CubFixture<unsigned char, unsigned char> {
 protected:
  void make() override {
    keys_ = DeviceBuffer<unsigned char>(n_);
    count_ = DeviceBuffer<int>(1);
    values_ = DeviceBuffer<unsigned char>(n_);
    require_success(cudaMemset(values_.data(), 1, n_), "cudaMemset");
  }

 private:
  cudaError_t call(void* memory, std::size_t& bytes) override {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, in_.data(), keys_.data(), values_.data(),
                                          out_.data(), count_.data(), museum::ByteSum{},
                                          static_cast<int>(n_));
  }
  Check check(Coverage coverage) const override {
    const std::vector<unsigned char> all = in_.to_host(0, n_);
    int runs = 0;
    for (std::size_t i = 0; i < n_; ++i) runs += i == 0 || all[i] != all[i - 1] ? 1 : 0;
    return compare(
        count_, [&](std::size_t) { return runs; }, Tolerance{}, coverage);
  }
  void poison_result() override { count_.poison(); }

  DeviceBuffer<unsigned char> keys_;
  DeviceBuffer<unsigned char> values_;
  DeviceBuffer<int> count_;
};

VARIANT_OF(Real, reduce_by_key, ReduceByKey) { run(); }
SIZES(Real, .gpu = {{33554432}})

}  // namespace
