// SPDX-License-Identifier: Apache-2.0
// bfloat16, the upper half of a float, and numbers of 8 bits.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

nv_bfloat16 of_bits(unsigned bits) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}

// To nearest, ties to even, on the bits of a float.
unsigned rounded(float value) {
  if (std::isnan(value)) return 0x7fff;
  const unsigned bits = __float_as_uint(value);
  return (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
}

TEST(Bfloat16, IsTheUpperHalfOfAFloat) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float value = __bfloat162float(of_bits(bits));
    if (std::isnan(value)) {
      ASSERT_GT(bits & 0x7fffU, 0x7f80U);
      continue;
    }
    ASSERT_EQ(__float_as_uint(value), bits << 16);
    ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(value)), bits);
    for (const unsigned low : {0x0001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      if ((bits & 0x7fffU) == 0x7f80U) break;
      const float between = __uint_as_float(bits << 16 | low);
      const bool negative = bits >= 0x8000U;
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16_rn(between)), rounded(between));
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16_rz(between)), bits);
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16_ru(between)), negative ? bits : bits + 1);
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16_rd(between)), negative ? bits + 1 : bits);
    }
  }
}

TEST(Bfloat16, ComputesWithOneRounding) {
  constexpr unsigned kOthers[] = {0x0000, 0x8001, 0x3f80, 0x3eab, 0xc049, 0x7f7f, 0x0080, 0x7f80};
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const nv_bfloat16 a = of_bits(bits);
    const float x = __bfloat162float(a);
    for (const unsigned other : kOthers) {
      const nv_bfloat16 b = of_bits(other);
      const float y = __bfloat162float(b);
      // 24 bits are enough for these: 24 >= 2 * 8 + 2.
      ASSERT_EQ(__bfloat16_as_ushort(a + b), rounded(x + y)) << bits << " " << other;
      ASSERT_EQ(__bfloat16_as_ushort(a - b), rounded(x - y)) << bits << " " << other;
      ASSERT_EQ(__bfloat16_as_ushort(a * b), rounded(x * y)) << bits << " " << other;
      ASSERT_EQ(a <= b, x <= y);
    }
  }
  EXPECT_EQ(__bfloat16_as_ushort(__ll2bfloat16_rn((1LL << 62) + (1LL << 54) + 1)), 0x5e81);
}

TEST(Bfloat16, FusesExactly) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 200'000; ++i) {
    const nv_bfloat16 a = of_bits(random() & 0xffffU);
    const nv_bfloat16 b = of_bits(random() & 0xffffU);
    // Near to the product, so that its low bits matter.
    const nv_bfloat16 c = of_bits((__bfloat16_as_ushort(a * b) ^ 0x8000U) + random() % 5 - 2);
    const float exact = std::fma(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c));
    const auto wide =
        static_cast<__float128>(__bfloat162float(a)) * __bfloat162float(b) + __bfloat162float(c);
    if (wide != static_cast<__float128>(exact)) continue;  // float would round twice
    ASSERT_EQ(__bfloat16_as_ushort(__hfma(a, b, c)), rounded(exact));
  }
}

__global__ void multiply(const nv_bfloat162* a, const nv_bfloat162* b, float2* out) {
  out[threadIdx.x] = __bfloat1622float2(__hmul2(a[threadIdx.x], b[threadIdx.x]));
}

TEST(Bfloat16, MovesAPairInOneAccess) {
  const DeviceBuffer<nv_bfloat162> a(
      std::vector<nv_bfloat162>(32, __floats2bfloat162_rn(1.5F, -2.0F)));
  const DeviceBuffer<nv_bfloat162> b(std::vector<nv_bfloat162>(32, __float2bfloat162_rn(3.0F)));
  const DeviceBuffer<float2> out(32);
  const Observation did = run(multiply, 1, 32, a.data(), b.data(), out.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  EXPECT_EQ(sum(did, Access::global_load), (Sums{2, 8, 8}));
  EXPECT_EQ(out.to_host()[9].x, 4.5F);
  EXPECT_EQ(out.to_host()[9].y, -6.0F);
}

// Values by the tables of Micikevicius et al., "FP8 formats for deep learning", 2022.
TEST(Fp8, HasTheValuesOfItsPaper) {
  EXPECT_EQ(static_cast<float>(__nv_fp8_e4m3(448.0F)), 448.0F);
  EXPECT_EQ(__nv_fp8_e4m3(1e9F).__x, 0x7e);
  EXPECT_EQ(__nv_cvt_float_to_fp8(1e9F, __NV_NOSAT, __NV_E4M3), 0x7f);
  EXPECT_EQ(__nv_cvt_float_to_fp8(463.9F, __NV_NOSAT, __NV_E4M3), 0x7e);
  EXPECT_EQ(__nv_cvt_float_to_fp8(1e9F, __NV_NOSAT, __NV_E5M2), 0x7c);
  EXPECT_EQ(__nv_cvt_float_to_fp8(-1e9F, __NV_SATFINITE, __NV_E5M2), 0xfb);
  EXPECT_EQ(static_cast<float>(__nv_fp8_e5m2(57344.0F)), 57344.0F);
  const auto value_of = [](unsigned char code, __nv_fp8_interpretation_t type) {
    return static_cast<float>(__half(__nv_cvt_fp8_to_halfraw(code, type)));
  };
  EXPECT_EQ(value_of(0x01, __NV_E4M3), std::ldexp(1.0F, -9));
  EXPECT_EQ(value_of(0x08, __NV_E4M3), std::ldexp(1.0F, -6));
  EXPECT_EQ(value_of(0x01, __NV_E5M2), std::ldexp(1.0F, -16));
  EXPECT_TRUE(std::isnan(value_of(0xff, __NV_E4M3)));
  EXPECT_TRUE(std::isinf(value_of(0xfc, __NV_E5M2)));
}

TEST(Fp8, KeepsEachOfItsValues) {
  for (const auto type : {__NV_E4M3, __NV_E5M2}) {
    float before = -1;
    for (unsigned code = 0; code < 256; ++code) {
      const auto byte = static_cast<unsigned char>(code);
      const float value = static_cast<float>(__half(__nv_cvt_fp8_to_halfraw(byte, type)));
      if (std::isnan(value)) continue;
      ASSERT_EQ(__nv_cvt_float_to_fp8(value, __NV_NOSAT, type), code);
      if (code < 128) {
        ASSERT_GT(value, before);
        before = value;
      }
    }
  }
  const auto four = static_cast<float4>(__nv_fp8x4_e4m3(make_float4(1, -2, 3, 448)));
  EXPECT_EQ(four.y, -2.0F);
  EXPECT_EQ(four.w, 448.0F);
  EXPECT_EQ(static_cast<float2>(__nv_fp8x2_e5m2(make_float2(0.25F, 5.1F))).y, 5.0F);
}

}  // namespace
}  // namespace warpgauge::emulator
