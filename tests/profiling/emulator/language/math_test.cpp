// SPDX-License-Identifier: Apache-2.0
// Mathematics that C++ lacks: rounding by name, special functions, bytes and half words of a word.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <random>

namespace warpgauge::emulator {
namespace {

using Wide = __float128;  // holds sums and products of doubles of like size exactly

constexpr unsigned kSeed = 3;

// Neighbours around the exact value, or the value itself.
template <class Real>
void expect_around(Wide exact, Real down, Real up, Real to_zero) {
  ASSERT_LE(static_cast<Wide>(down), exact);
  ASSERT_GE(static_cast<Wide>(up), exact);
  const bool representable = static_cast<Wide>(static_cast<Real>(exact)) == exact;
  ASSERT_EQ(up, representable ? down : std::nextafter(down, static_cast<Real>(HUGE_VAL)));
  ASSERT_EQ(to_zero, exact < 0 ? up : down);
}

TEST(DirectedRounding, EnclosesSumsAndProducts) {
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> any(-4, 4);
  for (int i = 0; i < 1000; ++i) {
    const double x = any(random);
    const double y = any(random);
    const auto s = static_cast<float>(x);
    const auto t = static_cast<float>(y);
    expect_around(Wide{s} + t, __fadd_rd(s, t), __fadd_ru(s, t), __fadd_rz(s, t));
    expect_around(Wide{s} - t, __fsub_rd(s, t), __fsub_ru(s, t), __fsub_rz(s, t));
    expect_around(Wide{s} * t, __fmul_rd(s, t), __fmul_ru(s, t), __fmul_rz(s, t));
    expect_around(Wide{s} * t + s, __fmaf_rd(s, t, s), __fmaf_ru(s, t, s), __fmaf_rz(s, t, s));
    expect_around(Wide{x} + y, __dadd_rd(x, y), __dadd_ru(x, y), __dadd_rz(x, y));
    expect_around(Wide{x} * y, __dmul_rd(x, y), __dmul_ru(x, y), __dmul_rz(x, y));
    expect_around(Wide{x} * y + x, __fma_rd(x, y, x), __fma_ru(x, y, x), __fma_rz(x, y, x));
    expect_around(Wide{x}, __double2float_rd(x), __double2float_ru(x), __double2float_rz(x));
    const auto n = static_cast<long long>(random()) << 31 | static_cast<long long>(random());
    expect_around(static_cast<Wide>(n), __ll2double_rd(n), __ll2double_ru(n), __ll2double_rz(n));
    const auto m = static_cast<unsigned long long>(n) << 1 | 1U;
    expect_around(static_cast<Wide>(m), __ull2float_rd(m), __ull2float_ru(m), __ull2float_rz(m));
    expect_around(static_cast<Wide>(m), __ull2double_rd(m), __ull2double_ru(m), __ull2double_rz(m));
  }
}

TEST(DirectedRounding, OfQuotientsAndRoots) {
  EXPECT_LT(__fdiv_rd(1.0F, 3.0F), __fdiv_ru(1.0F, 3.0F));
  EXPECT_EQ(__fdiv_rz(-1.0F, 3.0F), __fdiv_ru(-1.0F, 3.0F));
  EXPECT_EQ(__frcp_ru(4.0F), 0.25F);
  EXPECT_LT(__frcp_rd(3.0F), __frcp_ru(3.0F));
  EXPECT_LT(__dsqrt_rd(2.0), __dsqrt_ru(2.0));
  EXPECT_EQ(__fsqrt_rd(9.0F), 3.0F);
  EXPECT_EQ(__fadd_ru(1.0F, 1e-30F), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(__int2float_rz(INT_MAX), 2147483520.0F);
  EXPECT_EQ(__int2float_ru(INT_MAX), 2147483648.0F);
  EXPECT_EQ(1.0F + 1e-30F, 1.0F);  // the mode is as it was
}

// Figures of Abramowitz and Stegun, and of the functions' own identities.
TEST(SpecialFunctions, HaveKnownValues) {
  EXPECT_EQ(sinpi(1.0), 0.0);
  EXPECT_EQ(sinpi(0.5), 1.0);
  EXPECT_EQ(cospi(0.5), 0.0);
  EXPECT_EQ(sinpif(-1.5F), 1.0F);
  EXPECT_DOUBLE_EQ(cospi(1e6 + 0.25), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(rcbrt(27.0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(normcdf(0.0), 0.5);
  EXPECT_NEAR(normcdf(1.96), 0.9750021048517795, 1e-15);
  EXPECT_NEAR(normcdfinv(0.975), 1.959963984540054, 1e-14);
  EXPECT_DOUBLE_EQ(norm3d(2.0, 3.0, 6.0), 7.0);
  EXPECT_FLOAT_EQ(rnorm4df(2.0F, 4.0F, 5.0F, 6.0F), 1.0F / 9);
  EXPECT_NEAR(cyl_bessel_i0(1.0), 1.2660658777520084, 1e-14);
  EXPECT_NEAR(cyl_bessel_i1(-1.0), -0.5651591039924851, 1e-14);
  EXPECT_NEAR(erfcx(30.0), 0.018795888861416751, 1e-16);
  EXPECT_NEAR(erfcx(1.0), 0.427583576155807, 1e-14);
  for (const double y : {-3.5, -1.0, -1e-9, 0.0, 1e-3, 0.4, 2.0}) {
    EXPECT_NEAR(erfinv(std::erf(y)), y, 1e-9 * std::fabs(y)) << y;
  }
  for (const double y : {-2.0, 0.5, 3.0, 20.0}) {
    EXPECT_NEAR(erfcinv(std::erfc(y)), y, 1e-9 * std::fabs(y)) << y;
  }
  EXPECT_TRUE(std::isinf(erfinv(1.0)));
}

TEST(BytesOfWords, AreComputedEachAlone) {
  EXPECT_EQ(__vadd4(0x01ff7f80U, 0x01010180U), 0x02008000U);
  EXPECT_EQ(__vaddss4(0x7f80017fU, 0x01ff0101U), 0x7f80027fU);
  EXPECT_EQ(__vaddus2(0xffff0001U, 0x00020002U), 0xffff0003U);
  EXPECT_EQ(__vsubus4(0x01050000U, 0x02030001U), 0x00020000U);
  EXPECT_EQ(__vsub2(0x00000001U, 0x00010001U), 0xffff0000U);
  EXPECT_EQ(__vmaxs4(0x80017fffU, 0x00000000U), 0x00017f00U);
  EXPECT_EQ(__vminu2(0x8000ffffU, 0x7fff0001U), 0x7fff0001U);
  EXPECT_EQ(__vabs4(0xff018002U), 0x01018002U);
  EXPECT_EQ(__vabsss4(0xff018002U), 0x01017f02U);
  EXPECT_EQ(__vnegss2(0x80000001U), 0x7fffffffU);
  EXPECT_EQ(__vavgu4(0x0103ff00U, 0x0204ff01U), 0x0204ff01U);
  EXPECT_EQ(__vavgs2(0xfffd0003U, 0xfffe0004U), 0xfffd0004U);
  EXPECT_EQ(__vcmpgts4(0x01ff0080U, 0x0000007fU), 0xff000000U);
  EXPECT_EQ(__vcmpgtu4(0x01ff0080U, 0x0000007fU), 0xffff00ffU);
  EXPECT_EQ(__vseteq2(0x00010002U, 0x00010003U), 0x00010000U);
  EXPECT_EQ(__vsadu4(0x01ff0000U, 0x02000003U), 259U);
  EXPECT_EQ(__vsads4(0xff000000U, 0x01000000U), 2U);
}

TEST(BytesOfWords, AreMultipliedAndAddedUp) {
  EXPECT_EQ(__dp4a(0x01ff0203, 0x02030405, 100), 100 + 2 - 3 + 8 + 15);
  EXPECT_EQ(__dp4a(0x01ff0203U, 0x02030405U, 100U), 100U + 2 + 765 + 8 + 15);
  EXPECT_EQ(__dp2a_lo(0x00020003, 0x01020304, 1), 1 + 2 * 3 + 3 * 4);
  EXPECT_EQ(__dp2a_hi(0x00020003, 0x01020304, 1), 1 + 2 * 1 + 3 * 2);
  EXPECT_EQ(__double2hiint(-1.0), static_cast<int>(0xbff00000U));
  EXPECT_EQ(__hiloint2double(__double2hiint(0.1), __double2loint(0.1)), 0.1);
}

}  // namespace
}  // namespace warpgauge::emulator
