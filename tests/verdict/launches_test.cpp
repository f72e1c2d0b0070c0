// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/launches.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpgauge::ci {
namespace {

using results::Extents;
using results::KernelLaunch;
using Result = LaunchComparison::Result;

const KernelLaunch kCopy{
    .kernel = "void copy<4>(float const*, float*)", .grid = {64, 32, 1}, .block = {256, 1, 1}};
const KernelLaunch kSum{.kernel = "sum(int const*, int*)",
                        .grid = {128, 1, 1},
                        .block = {1024, 1, 1},
                        .dynamic_shared_bytes = 4096,
                        .count = 2};

// As they come from a device.
std::vector<KernelLaunch> added(const std::vector<KernelLaunch>& launches) {
  std::vector<KernelLaunch> all;
  for (const KernelLaunch& each : launches) results::add_launch(each, all);
  return all;
}

std::string difference(const std::vector<KernelLaunch>& before,
                       const std::vector<KernelLaunch>& after) {
  const LaunchComparison comparison = compare_launches(added(before), added(after));
  EXPECT_EQ(comparison.result, Result::other);
  return comparison.difference;
}

KernelLaunch with(KernelLaunch launch, auto KernelLaunch::*field, auto value) {
  launch.*field = value;
  return launch;
}

TEST(Launches, AreTheSameInAnyOrderAndUnknownWhereASideDoesNotTell) {
  const LaunchComparison other_order =
      compare_launches(added({kCopy, kSum, kCopy}), added({kCopy, kCopy, kSum}));
  EXPECT_EQ(other_order.result, Result::same);
  EXPECT_EQ(other_order.difference, "");
  EXPECT_EQ(compare_launches({}, {kSum}).result, Result::unknown);
  EXPECT_EQ(compare_launches({kSum}, {}).result, Result::unknown);
  EXPECT_EQ(compare_launches({}, {}).result, Result::unknown);
}

TEST(Launches, AreAlikeWhereTheSideBeforeTellsNothingAndNotWhereTheSideAfterDoesNot) {
  EXPECT_TRUE(launched_alike({kSum}, {kSum}));
  EXPECT_TRUE(launched_alike({}, {kSum}));
  EXPECT_TRUE(launched_alike({}, {}));
  EXPECT_FALSE(launched_alike({kSum}, {}));
  EXPECT_FALSE(launched_alike({kSum}, {kCopy}));
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
  EXPECT_EQ(difference({kSum}, {with(kSum, &KernelLaunch::cluster, Extents{2, 1, 1})}),
            "sum: cluster 1 → 2");
  EXPECT_EQ(difference({kSum}, {with(kSum, &KernelLaunch::shared_carveout, 50U)}),
            "sum: shared memory carve-out left to the driver → 50 %");
  EXPECT_EQ(difference({kCopy}, {kSum}), "sum: is launched now; copy<4>: is launched no longer");
  EXPECT_EQ(difference({kSum}, {kSum, with(kSum, &KernelLaunch::dynamic_shared_bytes, 0)}),
            "sum: other launches");
}

TEST(Launches, OfAKernelThatIsLaunchedInSeveralWaysWhatDiffersIsTold) {
  const KernelLaunch second = with(kSum, &KernelLaunch::grid, Extents{1, 1, 1});
  EXPECT_EQ(
      difference({kSum, second}, {kSum, with(second, &KernelLaunch::block, Extents{32, 1, 1})}),
      "sum: block 1024 → 32");
}

TEST(Launches, OverloadsAreNamedWithTheirParameters) {
  const KernelLaunch other = with(kSum, &KernelLaunch::kernel, "sum(long const*, long*)");
  EXPECT_EQ(
      difference({kSum}, {other}),
      "sum(int const*, int*): is launched no longer; sum(long const*, long*): is launched now");
}

TEST(Launches, SayWhetherTheKernelsThemselvesAreOthers) {
  EXPECT_TRUE(compare_launches({kCopy}, {kSum}).other_kernels);
  EXPECT_FALSE(compare_launches({kSum}, {with(kSum, &KernelLaunch::count, 3)}).other_kernels);
}

TEST(Launches, AreShownInALine) {
  EXPECT_EQ(launch_text(kCopy), "copy<4>: grid 64×32, block 256");
  KernelLaunch launch = kSum;
  launch.cluster = {2, 1, 1};
  launch.shared_carveout = 50;
  EXPECT_EQ(
      launch_text(launch),
      "sum: grid 128, block 1024, 4096 bytes of dynamic shared memory, cluster 2, shared memory "
      "carve-out 50 %, 2 times");
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
