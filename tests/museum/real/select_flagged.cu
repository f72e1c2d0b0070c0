// SPDX-License-Identifier: Apache-2.0
// CUB's selection by flags: kernels took their parameters as __grid_constant__. Told of in
// https://github.com/NVIDIA/cccl/issues/9763 and 9765, brought by
// https://github.com/NVIDIA/cccl/pull/6642. Here no element is selected, as in the report.
#include <cub/device/device_select.cuh>

#include "tests/museum/real/cub_fixture.hpp"

namespace {

using namespace warpgauge;

class SelectFlagged : public museum::CubFixture<char, char> {
 protected:
  void make() override {
    flags_ = DeviceBuffer<unsigned char>(n_);
    count_ = DeviceBuffer<int>(1);
    require_success(cudaMemset(flags_.data(), 0, n_), "cudaMemset");
  }

 private:
  // Elements of 16 bits: half as many.
  cudaError_t call(void* memory, std::size_t& bytes) override {
    return cub::DeviceSelect::Flagged(memory, bytes, reinterpret_cast<const short*>(in_.data()),
                                      flags_.data(), reinterpret_cast<short*>(out_.data()),
                                      count_.data(), static_cast<long long>(n_ / 2));
  }
  Check check(Coverage coverage) const override {
    return compare(
        count_, [](std::size_t) { return 0; }, Tolerance{}, coverage);
  }
  void poison_result() override { count_.poison(); }

  DeviceBuffer<unsigned char> flags_;
  DeviceBuffer<int> count_;
};

VARIANT_OF(Real, select_flagged, SelectFlagged) { run(); }
SIZES(Real, .gpu = {{134217728}})

}  // namespace
