// SPDX-License-Identifier: Apache-2.0
#include "ci/launches.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpgauge::ci {
namespace {

using results::KernelLaunch;
using Extents = std::array<std::uint32_t, 3>;
using Result = LaunchComparison::Result;

const KernelLaunch kCopy{"void copy<4>(float const*, float*)", {64, 32, 1}, {256, 1, 1}, 0, 1};
const KernelLaunch kSum{"sum(int const*, int*)", {128, 1, 1}, {1024, 1, 1}, 4096, 2};

std::string difference(const std::vector<KernelLaunch>& before,
                       const std::vector<KernelLaunch>& after) {
  const LaunchComparison comparison = compare_launches(before, after);
  EXPECT_EQ(comparison.result, Result::other);
  return comparison.difference;
}

KernelLaunch with(KernelLaunch launch, auto KernelLaunch::*field, auto value) {
  launch.*field = value;
  return launch;
}

TEST(Launches, AreTheSameInAnyOrderAndUnknownWhereASideDoesNotTell) {
  EXPECT_EQ(compare_launches({kCopy, kSum}, {kSum, kCopy}).result, Result::same);
  EXPECT_EQ(compare_launches({kCopy, kSum}, {kSum, kCopy}).difference, "");
  EXPECT_EQ(compare_launches({}, {kSum}).result, Result::unknown);
  EXPECT_EQ(compare_launches({kSum}, {}).result, Result::unknown);
  EXPECT_EQ(compare_launches({}, {}).result, Result::unknown);
}

TEST(Launches, SayWhatDiffers) {
  EXPECT_EQ(difference({kCopy}, {with(kCopy, &KernelLaunch::grid, Extents{32, 32, 2})}),
            "copy<4>: grid 64×32 → 32×32×2");
  EXPECT_EQ(difference({kCopy}, {with(kCopy, &KernelLaunch::block, Extents{128, 1, 1})}),
            "copy<4>: block 256 → 128");
  EXPECT_EQ(difference({kSum}, {with(kSum, &KernelLaunch::dynamic_shared_bytes, 8192)}),
            "sum: dynamic shared memory 4096 bytes → 8192 bytes");
  EXPECT_EQ(difference({kSum, kCopy}, {kCopy, with(kSum, &KernelLaunch::count, 3)}),
            "sum: launches 2 → 3");
  EXPECT_EQ(difference({kCopy}, {kSum}), "sum: is launched now; copy<4>: is launched no longer");
  EXPECT_EQ(difference({kSum}, {kSum, with(kSum, &KernelLaunch::dynamic_shared_bytes, 0)}),
            "sum: other launches");
}

TEST(Launches, OfManyKernelsAFewAreNamed) {
  std::vector<KernelLaunch> before;
  std::vector<KernelLaunch> after;
  for (const char* kernel : {"a()", "b()", "c()", "d()", "e()"}) {
    before.push_back(with(kSum, &KernelLaunch::kernel, kernel));
    after.push_back(with(before.back(), &KernelLaunch::count, 1));
  }
  EXPECT_EQ(difference(before, after),
            "a: launches 2 → 1; b: launches 2 → 1; c: launches 2 → 1 and 2 more");
}

}  // namespace
}  // namespace warpgauge::ci
