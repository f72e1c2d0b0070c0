// SPDX-License-Identifier: Apache-2.0
// Functions for dynamic programming, and the minima and maxima that CUDA has by name. The figures
// are worked out by hand from the functions' descriptions.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <climits>

namespace warpgauge::emulator {
namespace {

// -3 and 7, 5 and -8, -1 and -1, in the high and the low half.
constexpr unsigned kA = 0xfffd0007U;
constexpr unsigned kB = 0x0005fff8U;
constexpr unsigned kC = 0xffffffffU;

TEST(Dpx, ChoosesOfThree) {
  EXPECT_EQ(__vimax3_s32(-3, 5, -1), 5);
  EXPECT_EQ(__vimin3_s32(-3, 5, -1), -3);
  EXPECT_EQ(__vimax3_u32(3U, 5U, 0xffffffffU), 0xffffffffU);
  EXPECT_EQ(__vimin3_u32(3U, 5U, 0xffffffffU), 3U);
  EXPECT_EQ(__vimax3_s16x2(kA, kB, kC), 0x00050007U);
  EXPECT_EQ(__vimin3_s16x2(kA, kB, kC), 0xfffdfff8U);
  EXPECT_EQ(__vimax3_u16x2(kA, kB, 0), 0xfffdfff8U);
  EXPECT_EQ(__vimin3_u16x2(kA, kB, kC), 0x00050007U);
}

TEST(Dpx, ChoosesOfASum) {
  EXPECT_EQ(__viaddmax_s32(-3, 5, -1), 2);
  EXPECT_EQ(__viaddmax_s32(INT_MAX, 1, 4), 4);  // the sum is INT_MIN
  EXPECT_EQ(__viaddmin_s32(-3, 5, -1), -1);
  EXPECT_EQ(__viaddmax_u32(0xffffffffU, 2U, 0U), 1U);
  EXPECT_EQ(__viaddmin_u32(3U, 5U, 9U), 8U);
  EXPECT_EQ(__viaddmax_s16x2(kA, kB, kC), 0x0002ffffU);
  EXPECT_EQ(__viaddmin_s16x2(kA, kB, kC), 0xffffffffU);
  EXPECT_EQ(__viaddmax_s16x2(0x7fff0000U, 0x00010000U, 0x00040000U), 0x00040000U);  // wraps
  EXPECT_EQ(__viaddmax_u16x2(kA, kB, 0x00010001U), 0x0002ffffU);
  EXPECT_EQ(__viaddmin_u16x2(kA, kB, 0x00010001U), 0x00010001U);
}

TEST(Dpx, IsNotBelowZeroWhereThatIsAsked) {
  EXPECT_EQ(__vimax_s32_relu(-3, -5), 0);
  EXPECT_EQ(__vimax_s32_relu(-3, 5), 5);
  EXPECT_EQ(__vimin_s32_relu(-3, 5), 0);
  EXPECT_EQ(__vimin_s16x2_relu(kA, 0x00050005U), 0x00000005U);
  EXPECT_EQ(__vimax_s16x2_relu(kA, kC), 0x00000007U);
  EXPECT_EQ(__vimax3_s32_relu(-3, -2, -1), 0);
  EXPECT_EQ(__vimin3_s16x2_relu(kA, kB, kC), 0U);
  EXPECT_EQ(__viaddmax_s16x2_relu(kA, kB, kC), 0x00020000U);
  EXPECT_EQ(__viaddmin_s32_relu(3, 5, 9), 8);
}

TEST(Dpx, TellsWhichWasChosen) {
  bool first = false;
  bool high = false;
  bool low = false;
  EXPECT_EQ(__vibmax_s32(-3, 5, &first), 5);
  EXPECT_FALSE(first);
  EXPECT_EQ(__vibmin_u32(5U, 5U, &first), 5U);
  EXPECT_TRUE(first);
  EXPECT_EQ(__vibmax_s16x2(kA, kB, &high, &low), 0x00050007U);
  EXPECT_FALSE(high);
  EXPECT_TRUE(low);
  EXPECT_EQ(__vibmin_u16x2(kA, kB, &high, &low), 0x00050007U);
  EXPECT_FALSE(high);
  EXPECT_TRUE(low);
}

TEST(MinimaAndMaxima, HaveNamesByType) {
  EXPECT_EQ(umin(3U, 0xffffffffU), 3U);
  EXPECT_EQ(umax(3U, 0xffffffffU), 0xffffffffU);
  EXPECT_EQ(llmin(-1LL << 40, 1LL), -1LL << 40);
  EXPECT_EQ(llmax(-1LL << 40, 1LL), 1LL);
  EXPECT_EQ(ullmin(1ULL << 40, 1ULL), 1ULL);
  EXPECT_EQ(ullmax(1ULL << 40, 1ULL), 1ULL << 40);
}

}  // namespace
}  // namespace warpgauge::emulator
