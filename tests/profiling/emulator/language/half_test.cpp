// SPDX-License-Identifier: Apache-2.0
// half against the compiler's own type of the same format, over all of its values.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

using Reference = _Float16;

half half_of_bits(unsigned bits) { return __ushort_as_half(static_cast<unsigned short>(bits)); }

Reference reference_of(half value) {
  const unsigned short bits = __half_as_ushort(value);
  Reference result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// Any NaN equals any other.
::testing::AssertionResult same(half ours, Reference reference) {
  const unsigned short bits = __half_as_ushort(ours);
  unsigned short wanted = 0;
  std::memcpy(&wanted, &reference, sizeof wanted);
  const bool both_nan = (bits & 0x7fffU) > 0x7c00U && (wanted & 0x7fffU) > 0x7c00U;
  if (bits == wanted || both_nan) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hex << bits << " for " << wanted;
}

TEST(Half, HasTheValueOfItsBits) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const half value = half_of_bits(bits);
    const float reference = static_cast<float>(reference_of(value));
    if (std::isnan(reference)) {
      ASSERT_TRUE(std::isnan(__half2float(value))) << bits;
    } else {
      ASSERT_EQ(__half2float(value), reference) << bits;
      ASSERT_EQ(std::signbit(__half2float(value)), std::signbit(reference)) << bits;
      ASSERT_EQ(__half_as_ushort(__float2half(reference)), bits);
    }
  }
}

// Between each two neighbours: the middle, and a little less and more.
TEST(Half, IsRoundedAsNamed) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const float low = __half2float(half_of_bits(bits));
    const float high = __half2float(half_of_bits(bits + 1));
    const float middle = (low + high) / 2;
    const unsigned even = bits + (bits & 1U);
    ASSERT_EQ(__half_as_ushort(__float2half_rn(middle)), even);
    ASSERT_EQ(__half_as_ushort(__float2half_rn(std::nextafter(middle, low))), bits);
    ASSERT_EQ(__half_as_ushort(__float2half_rn(std::nextafter(middle, high))), bits + 1);
    ASSERT_EQ(__half_as_ushort(__float2half_rn(-middle)), even | 0x8000U);
    ASSERT_EQ(__half_as_ushort(__float2half_rz(middle)), bits);
    ASSERT_EQ(__half_as_ushort(__float2half_rd(middle)), bits);
    ASSERT_EQ(__half_as_ushort(__float2half_ru(middle)), bits + 1);
    ASSERT_EQ(__half_as_ushort(__float2half_rz(-middle)), bits | 0x8000U);
    ASSERT_EQ(__half_as_ushort(__float2half_rd(-middle)), (bits + 1) | 0x8000U);
    ASSERT_EQ(__half_as_ushort(__float2half_ru(-middle)), bits | 0x8000U);
  }
}

TEST(Half, OverflowsAsTheRoundingSays) {
  EXPECT_EQ(__half_as_ushort(__float2half(65519.0F)), 0x7bff);
  EXPECT_EQ(__half_as_ushort(__float2half(65520.0F)), 0x7c00);
  EXPECT_EQ(__half_as_ushort(__float2half_rz(1e30F)), 0x7bff);
  EXPECT_EQ(__half_as_ushort(__float2half_ru(65505.0F)), 0x7c00);
  EXPECT_EQ(__half_as_ushort(__float2half_ru(-1e30F)), 0xfbff);
  EXPECT_EQ(__half_as_ushort(__float2half_rd(-1e30F)), 0xfc00);
  EXPECT_EQ(__half_as_ushort(__float2half_rz(std::numeric_limits<float>::infinity())), 0x7c00);
  EXPECT_EQ(__half_as_ushort(__double2half(1.0 + 1.0 / 2048 + 1e-12)), 0x3c01);  // rounded once
  EXPECT_EQ(__half_as_ushort(__ll2half_rn(2049)), __half_as_ushort(half(2048.0F)));
  EXPECT_EQ(__half_as_ushort(__ull2half_rn(~0ULL)), 0x7c00);
  EXPECT_EQ(__half2int_rz(half(-2.75F)), -2);
  EXPECT_EQ(__half2int_rn(half(2.5F)), 2);
  EXPECT_EQ(__half2int_rd(half(-2.25F)), -3);
  EXPECT_EQ(__half2int_ru(half(2.25F)), 3);
  EXPECT_EQ(__half2uint_rz(half(-2.75F)), 0U);
  EXPECT_EQ(__half2short_rz(CUDART_INF_FP16), 32767);
  EXPECT_EQ(__half2int_rz(CUDART_NAN_FP16), 0);
}

TEST(Half, AddsMultipliesDividesAndCompares) {
  constexpr unsigned kOthers[] = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3555, 0x3c00, 0xbc01,
                                  0x4248, 0x63d0, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const half a = half_of_bits(bits);
    const Reference x = reference_of(a);
    ASSERT_TRUE(same(__hneg(a), -x)) << bits;
    for (const unsigned other : kOthers) {
      const half b = half_of_bits(other);
      const Reference y = reference_of(b);
      ASSERT_TRUE(same(a + b, x + y)) << bits << " " << other;
      ASSERT_TRUE(same(__hsub(a, b), x - y)) << bits << " " << other;
      ASSERT_TRUE(same(a * b, x * y)) << bits << " " << other;
      ASSERT_TRUE(same(__hdiv(a, b), x / y)) << bits << " " << other;
      ASSERT_EQ(a < b, x < y);
      ASSERT_EQ(__hge(a, b), x >= y);
      ASSERT_EQ(a == b, x == y);
      ASSERT_EQ(a != b, x != y);
      ASSERT_EQ(__hltu(a, b), !(x >= y));
    }
  }
}

TEST(Half, FusesMultiplicationAndAdditionIntoOneRounding) {
  constexpr unsigned kSeed = 11;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 200'000; ++i) {
    const half a = half_of_bits(random() & 0xffffU);
    const half b = half_of_bits(random() & 0xffffU);
    const half c = half_of_bits(random() & 0xffffU);
    const auto exact = static_cast<__float128>(reference_of(a)) * reference_of(b) + reference_of(c);
    ASSERT_TRUE(same(__hfma(a, b, c), static_cast<Reference>(exact)))
        << std::hex << __half_as_ushort(a) << " " << __half_as_ushort(b) << " "
        << __half_as_ushort(c);
  }
  // In float the product's low bits would be lost.
  const half a = half_of_bits(0x3c03);
  EXPECT_NE(__hfma(a, a, half(-1.0F)), a * a - half(1.0F));
}

TEST(Half, HasNumbersForMinimaAndPairsForComparisons) {
  const half nan = CUDART_NAN_FP16;
  EXPECT_TRUE(__hmax(nan, half(1.0F)) == half(1.0F));
  EXPECT_TRUE(__hisnan(__hmax_nan(nan, half(1.0F))));
  EXPECT_EQ(__half_as_ushort(__hmin(half(0.0F), half(-0.0F))), 0x8000);
  EXPECT_EQ(__half_as_ushort(__hadd_sat(half(0.75F), half(0.75F))), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__hfma_relu(half(1.0F), half(-1.0F), half(0.5F))), 0);
  const half2 a = __floats2half2_rn(1.0F, 5.0F);
  const half2 b = __floats2half2_rn(2.0F, 5.0F);
  EXPECT_EQ(__heq2_mask(a, b), 0xffff0000U);
  EXPECT_EQ(__low2float(__hlt2(a, b)), 1.0F);
  EXPECT_EQ(__high2float(__hlt2(a, b)), 0.0F);
  EXPECT_FALSE(__hbeq2(a, b));
  EXPECT_TRUE(__hble2(a, b));
  EXPECT_EQ(__high2float(__lowhigh2highlow(a)), 1.0F);
  EXPECT_EQ(__high2float(__hfma2(a, b, a)), 30.0F);
  EXPECT_EQ(static_cast<float>(hsqrt(half(2.0F))), 1.4140625F);
  EXPECT_EQ(static_cast<float>(htanh_approx(half(0.5F))), 0.4621582F);
}

__global__ void add_pairs(const half2* in, half2* out) {
  __shared__ half2 pairs[64];
  pairs[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const half2 other = pairs[63 - threadIdx.x];
  out[threadIdx.x] = __hadd2(pairs[threadIdx.x], __halves2half2(other.x, other.y));
}

TEST(Half, MovesAPairInOneAccess) {
  std::vector<half2> host(64);
  for (int i = 0; i < 64; ++i) host[i] = __floats2half2_rn(static_cast<float>(i), 0.5F);
  const DeviceBuffer<half2> in(host);
  DeviceBuffer<half2> out(64);
  const Observation did = run(add_pairs, 1, 64, in.data(), out.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  EXPECT_EQ(sum(did, Access::global_load), (Sums{2, 8, 8}));
  EXPECT_EQ(sum(did, Access::global_store), (Sums{2, 8, 8}));
  EXPECT_EQ(sum(did, Access::shared_load), (Sums{4, 4, 4}));
  EXPECT_EQ(sum(did, Access::shared_store), (Sums{2, 2, 2}));
  for (const SourceLine& line : did.lines) {
    EXPECT_EQ(line.width_bytes, 4);
    EXPECT_NE(line.file.find("half_test.cpp"), std::string::npos) << line.file;
  }
  const std::vector<half2> sums = out.to_host();
  EXPECT_EQ(__low2float(sums[5]), 63.0F);
  EXPECT_EQ(__high2float(sums[5]), 1.0F);
}

__global__ void scale(half* values, float* sum, half2* total) {
  values[threadIdx.x] *= half(2.0F);
  float value = values[threadIdx.x];
  value += static_cast<float>(__shfl_xor_sync(0xffffffffU, values[threadIdx.x], 1));
  sum[threadIdx.x] = value;
  atomicAdd(total, __floats2half2_rn(1.0F, 2.0F));
}

TEST(Half, IsShuffledAndAddedUp) {
  std::vector<half> host(32);
  for (int i = 0; i < 32; ++i) host[i] = half(i);
  DeviceBuffer<half> values(host);
  DeviceBuffer<float> sums(32);
  DeviceBuffer<half2> total(std::vector<half2>(1, __float2half2_rn(0.0F)));
  const Observation did = run(scale, 1, 32, values.data(), sums.data(), total.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  EXPECT_EQ(sum(did, Access::global_load), (Sums{1, 2, 2}));  // the value stays in a register
  EXPECT_EQ(sums.to_host()[7], 26.0F);
  EXPECT_EQ(__high2float(total.to_host()[0]), 64.0F);
  for (const SourceLine& line : did.lines) {
    EXPECT_NE(line.file.find("half_test.cpp"), std::string::npos) << line.file;
  }
}

}  // namespace
}  // namespace warpgauge::emulator
