// SPDX-License-Identifier: Apache-2.0
// Functions of the device that are the same on the host: known answers.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <limits>
#include <random>

namespace warpgauge::emulator {
namespace {

TEST(Bits, AreCountedAndFound) {
  EXPECT_EQ(__popc(0xf0f0U), 8);
  EXPECT_EQ(__popcll(0xf0f0ULL << 32), 8);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffsll(1LL << 40), 41);
  EXPECT_EQ(__brev(1U), 0x80000000U);
  EXPECT_EQ(__brevll(3ULL), 0xc000000000000000ULL);
}

// By the rules of the PTX ISA for prmt.
TEST(Bytes, ArePermuted) {
  EXPECT_EQ(__byte_perm(0x33221100U, 0x77665544U, 0x3210), 0x33221100U);
  EXPECT_EQ(__byte_perm(0x33221100U, 0x77665544U, 0x7531), 0x77553311U);
  EXPECT_EQ(__byte_perm(0x33221100U, 0x77665544U, 0x0246), 0x00224466U);
  EXPECT_EQ(__byte_perm(0x00007f80U, 0, 0x9810), 0x00ff7f80U);
}

TEST(FunnelShifts, TakeTwoWordsForOne) {
  EXPECT_EQ(__funnelshift_l(0x80000001U, 0x0000000fU, 4), 0x000000f8U);
  EXPECT_EQ(__funnelshift_r(0x80000001U, 0x0000000fU, 4), 0xf8000000U);
  EXPECT_EQ(__funnelshift_l(1, 2, 32), 2U);
  EXPECT_EQ(__funnelshift_r(1, 2, 32), 1U);
  EXPECT_EQ(__funnelshift_lc(1, 2, 40), 1U);
  EXPECT_EQ(__funnelshift_rc(1, 2, 40), 2U);
}

TEST(Products, HaveUpperHalves) {
  EXPECT_EQ(__umulhi(0xffffffffU, 0xffffffffU), 0xfffffffeU);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(1ULL << 63, 6), 3U);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__mul24(-3, 5), -15);
  EXPECT_EQ(__mul24(0x01000002, 3), 6);
  EXPECT_EQ(__umul24(0xff000002U, 3), 6U);
}

TEST(Averages, DoNotOverflow) {
  EXPECT_EQ(__hadd(INT_MAX, INT_MAX), INT_MAX);
  EXPECT_EQ(__hadd(-3, 0), -2);
  EXPECT_EQ(__rhadd(-3, 0), -1);
  EXPECT_EQ(__uhadd(UINT_MAX, UINT_MAX - 1), UINT_MAX - 1);
  EXPECT_EQ(__urhadd(UINT_MAX, UINT_MAX - 1), UINT_MAX);
  EXPECT_EQ(__sad(INT_MIN, INT_MAX, 1), 0U);
  EXPECT_EQ(__usad(3, 8, 1), 6U);
}

TEST(Conversions, RoundAsNamedAndStayInRange) {
  EXPECT_EQ(__float2int_rn(2.5F), 2);
  EXPECT_EQ(__float2int_rn(-3.5F), -4);
  EXPECT_EQ(__float2int_rz(-2.9F), -2);
  EXPECT_EQ(__float2int_rd(-2.1F), -3);
  EXPECT_EQ(__float2int_ru(2.1F), 3);
  EXPECT_EQ(__float2int_rz(1e20F), INT_MAX);
  EXPECT_EQ(__float2int_rz(-1e20F), INT_MIN);
  EXPECT_EQ(__float2uint_rz(-5.0F), 0U);
  EXPECT_EQ(__float2uint_rz(4e9F), 4'000'000'000U);
  EXPECT_EQ(__float2uint_rz(4294967296.0F), UINT_MAX);
  EXPECT_EQ(__float2int_rz(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(__double2ll_rz(1e300), LLONG_MAX);
  EXPECT_EQ(__double2ull_rn(18446744073709549568.0), 18446744073709549568ULL);
}

TEST(Arithmetic, RoundsToNearest) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> any(0.25F, 4.0F);
  for (int i = 0; i < 100; ++i) {
    const float x = any(random);
    const float y = any(random);
    EXPECT_EQ(__fadd_rn(x, y), static_cast<float>(double{x} + double{y}));
    EXPECT_EQ(__fmul_rn(x, y), static_cast<float>(double{x} * double{y}));
    EXPECT_EQ(__fsqrt_rn(x), static_cast<float>(std::sqrt(double{x})));
    EXPECT_NEAR(__frsqrt_rn(x) * std::sqrt(double{x}), 1, 1e-6);
    EXPECT_NEAR(__sinf(x), std::sin(double{x}), 1e-6);
    EXPECT_NEAR(__powf(x, y), std::pow(double{x}, double{y}), 1e-4);
  }
  EXPECT_EQ(__saturatef(2), 1);
  EXPECT_EQ(__saturatef(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(VectorTypes, HaveCudasSizesAndAlignments) {
  static_assert(sizeof(uchar1) == 1 && sizeof(uchar3) == 3 && alignof(uchar4) == 4);
  static_assert(sizeof(short3) == 6 && alignof(short3) == 2 && alignof(ushort2) == 4);
  static_assert(sizeof(int3) == 12 && alignof(int3) == 4 && alignof(int2) == 8);
  static_assert(sizeof(long2) == 16 && alignof(long2) == 16 && alignof(long3) == 8);
  static_assert(sizeof(double3) == 24 && alignof(double3) == 8);
  static_assert(sizeof(double4) == 32 && alignof(double4) == 16 && alignof(longlong4) == 16);
  EXPECT_EQ(make_double4(1, 2, 3, 4).w, 4);
  EXPECT_EQ(make_uchar3(1, 2, 3).z, 3);
  EXPECT_EQ(make_ulong1(5).x, 5U);
  double4 a = make_double4(1, 2, 3, 4);
  const double4 b = a;
  a.x = 9;
  EXPECT_EQ(b.x + b.y + b.z + b.w, 10);
}

}  // namespace
}  // namespace warpgauge::emulator
