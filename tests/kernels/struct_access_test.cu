// SPDX-License-Identifier: Apache-2.0
#include "kernels/struct_access.cuh"

#include "profiling/check.hpp"
#include "tests/kernels/device_test.hpp"

namespace {

using namespace warpgauge;

unsigned blocks(std::size_t n) {
  return static_cast<unsigned>((n + kStructBlock - 1) / kStructBlock);
}

class StructAccessTest : public DeviceTest {
 protected:
  template <class Struct>
  void expect_counts_up() {
    for (const std::size_t n : awkward_sizes(kStructBlock)) {
      for (const int field : {0, 17, 31}) {
        const auto host_in = input(n);
        const DeviceBuffer<float> in(host_in);
        const DeviceBuffer<float> out(n);
        launch(struct_access<Struct>, blocks(n), kStructBlock, in.data(), out.data(), n, field);
        expect_clean();
        const Check check = compare<float>(
            out.to_host(), [&](std::size_t i) { return double{host_in[i]} + kStructRounds; },
            Tolerance{.relative = kStructRounds * 0x1p-24});
        EXPECT_TRUE(check.passed()) << n << ", field " << field << ": " << check.message();
      }
    }
  }

  template <int Stride>
  void expect_sums() {
    for (const std::size_t n : awkward_sizes(kStructBlock)) {
      const auto host_in = input(n);
      const DeviceBuffer<float> in(host_in);
      const DeviceBuffer<float> out(n);
      launch(strided_access<Stride>, blocks(n), kStructBlock, in.data(), out.data(), n);
      expect_clean();
      const Check check = compare<float>(
          out.to_host(),
          [&](std::size_t i) {
            const std::size_t block = i / kStructBlock * kStructBlock;
            double sum = 0;
            for (int round = 0; round < kStructRounds; ++round) {
              const std::size_t word = block + (i - block) * Stride + round;
              sum += word < n ? double{host_in[word]} : 0.0;
            }
            return sum;
          },
          Tolerance{.relative = kStructRounds * 0x1p-24});
      EXPECT_TRUE(check.passed()) << n << ": " << check.message();
    }
  }
};

TEST_F(StructAccessTest, UnpaddedIsRightAtEverySize) { expect_counts_up<UnpaddedStruct>(); }
TEST_F(StructAccessTest, PaddedIsRightAtEverySize) { expect_counts_up<PaddedStruct>(); }
TEST_F(StructAccessTest, BroadcastIsRightAtEverySize) { expect_sums<0>(); }
TEST_F(StructAccessTest, Stride1IsRightAtEverySize) { expect_sums<1>(); }
TEST_F(StructAccessTest, Stride2IsRightAtEverySize) { expect_sums<2>(); }
TEST_F(StructAccessTest, Stride32IsRightAtEverySize) { expect_sums<32>(); }

}  // namespace
