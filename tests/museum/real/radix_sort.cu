// SPDX-License-Identifier: Apache-2.0
// CUB's radix sort: the leader of a match was found by another function, up to 30 % slower on an
// H200: https://github.com/NVIDIA/cccl/pull/6452.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "tests/museum/real/cub_fixture.hpp"

namespace {

using namespace warpgauge;

class RadixSort : public museum::CubFixture<unsigned, unsigned> {
  cudaError_t call(void* memory, std::size_t& bytes) override {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, in_.data(), out_.data(),
                                          static_cast<int>(n_));
  }
  Check check(Coverage coverage) const override {
    std::vector<unsigned> sorted = in_.to_host(0, n_);
    std::sort(sorted.begin(), sorted.end());
    return compare(
        out_, [&](std::size_t i) { return sorted[i]; }, Tolerance{}, coverage);
  }
};

VARIANT_OF(Real, radix_sort, RadixSort) { run(); }
SIZES(Real, .gpu = {{33554432}})

}  // namespace
