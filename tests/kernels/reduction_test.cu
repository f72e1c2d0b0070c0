// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction.cuh"

#include <algorithm>

#include "profiling/check.hpp"
#include "tests/kernels/device_test.hpp"

namespace {

using namespace warpgauge;

using ReductionKernel = void (*)(const float*, float*, std::size_t);

class ReductionTest : public DeviceTest {
 protected:
  void expect_sums(ReductionKernel kernel) {
    for (const std::size_t n : awkward_sizes(kReductionBlock)) {
      const auto host_in = input(n);
      const DeviceBuffer<float> in(host_in);
      const DeviceBuffer<float> partial((n + kReductionBlock - 1) / kReductionBlock);
      launch(kernel, static_cast<unsigned>(partial.size()), kReductionBlock, in.data(),
             partial.data(), n);
      expect_clean();
      const Check check = compare<float>(
          partial.to_host(),
          [&](std::size_t block) {
            double sum = 0;
            const std::size_t end = std::min<std::size_t>((block + 1) * kReductionBlock, n);
            for (std::size_t i = block * kReductionBlock; i < end; ++i) sum += host_in[i];
            return sum;
          },
          Tolerance{.relative = 8 * 0x1p-24});
      EXPECT_TRUE(check.passed()) << n << ": " << check.message();
    }
  }
};

TEST_F(ReductionTest, InterleavedDivergentIsRightAtEverySize) {
  expect_sums(reduce_interleaved_divergent);
}
TEST_F(ReductionTest, InterleavedIndexedIsRightAtEverySize) {
  expect_sums(reduce_interleaved_indexed);
}
TEST_F(ReductionTest, SequentialIsRightAtEverySize) { expect_sums(reduce_sequential); }

}  // namespace
