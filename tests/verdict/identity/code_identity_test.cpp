// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/code_identity.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::Extents;
using results::KernelCode;
using results::KernelLaunch;

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
  const LaunchIdentity comparison = compare_launches(added(before), added(after));
  EXPECT_EQ(comparison.is, Identity::different);
  return comparison.difference;
}

KernelLaunch with(KernelLaunch launch, auto KernelLaunch::*field, auto value) {
  launch.*field = value;
  return launch;
}

TEST(Launches, AreTheSameInAnyOrderAndUnknownWhereASideDoesNotTell) {
  const LaunchIdentity other_order =
      compare_launches(added({kCopy, kSum, kCopy}), added({kCopy, kCopy, kSum}));
  EXPECT_EQ(other_order.is, Identity::same);
  EXPECT_EQ(other_order.difference, "");
  EXPECT_EQ(compare_launches({}, {kSum}).is, Identity::unknown);
  EXPECT_EQ(compare_launches({kSum}, {}).is, Identity::unknown);
  EXPECT_EQ(compare_launches({}, {}).is, Identity::unknown);
}

TEST(Launches, AreAlikeWhereTheSideBeforeTellsNothingAndNotWhereTheSideAfterDoesNot) {
  EXPECT_TRUE(compare_launches({kSum}, {kSum}).alike());
  EXPECT_TRUE(compare_launches({}, {kSum}).alike());
  EXPECT_TRUE(compare_launches({}, {}).alike());
  EXPECT_FALSE(compare_launches({kSum}, {}).alike());
  EXPECT_FALSE(compare_launches({kSum}, {kCopy}).alike());
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
  EXPECT_TRUE(compare_launches({kCopy}, {kSum}).different_kernels);
  EXPECT_FALSE(compare_launches({kSum}, {with(kSum, &KernelLaunch::count, 3)}).different_kernels);
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

TEST(MachineCode, TellsSameFromOther) {
  const KernelCode one = kernel_code("one()", 'a');
  const KernelCode two = kernel_code("two()", 'b');
  EXPECT_EQ(compare_machine_code({one, two}, {two, one}).is, Identity::same);
  EXPECT_EQ(compare_machine_code({}, {one}).is, Identity::unknown);
  EXPECT_EQ(compare_machine_code({one}, {}).is, Identity::unknown);

  const MachineCodeIdentity other =
      compare_machine_code({one, two}, {one, kernel_code("two()", 'c')});
  EXPECT_EQ(other.is, Identity::different);
  EXPECT_EQ(other.different_kernels, (std::vector<std::string>{"two()"}));
  EXPECT_EQ(compare_machine_code({one, two}, {one}).different_kernels,
            (std::vector<std::string>{"two()"}));
  EXPECT_EQ(compare_machine_code({one}, {one, two}).different_kernels,
            (std::vector<std::string>{"two()"}));
}

TEST(MachineCode, TheSameInstructionsWithOtherRegistersAreOther) {
  EXPECT_EQ(
      compare_machine_code({kernel_code("one()", 'a', 32)}, {kernel_code("one()", 'a', 40)}).is,
      Identity::different);
}

TEST(MachineCode, WhoCompiledItDoesNotMatter) {
  KernelCode later = kernel_code("one()", 'a');
  later.compiler = "ptxas 13.1";
  EXPECT_EQ(compare_machine_code({kernel_code("one()", 'a')}, {later}).is, Identity::same);
}

TEST(MachineCode, ArchitecturesOfBothSidesCount) {
  const KernelCode hopper = kernel_code("one()", 'a');
  KernelCode ampere = kernel_code("one()", 'b');
  ampere.architecture = "sm_80";
  EXPECT_EQ(compare_machine_code({hopper}, {ampere}).is, Identity::unknown);
  EXPECT_EQ(compare_machine_code({hopper}, {hopper, ampere}).is, Identity::same);
}

CodeIdentity identity(const ExactFigures& before, const ExactFigures& after) {
  const std::vector<KernelCode> code{kernel_code("one()", 'a')};
  const std::string input;
  return code_identity({code, {}, input, before}, {code, {}, input, after});
}

TEST(CodeIdentity, RestsOnExactCountersThatBothSidesRepeat) {
  EXPECT_EQ(identity({{"barriers", 3}}, {{"barriers", 3}}).counters, Identity::same);
  EXPECT_EQ(identity({{"barriers", 3}}, {{"barriers", 4}}).counters, Identity::different);
  EXPECT_EQ(identity({{"barriers", 3}}, {}).counters, Identity::unknown);
  EXPECT_EQ(identity({{"barriers", 3}}, {{"barriers", std::nullopt}}).counters, Identity::unknown);
  EXPECT_EQ(identity({{"registers", 32}}, {{"registers", 40}}).counters, Identity::unknown);
  EXPECT_EQ(identity({{"registers", 32}}, {{"registers", 40}}).resources, Identity::different);
}

TEST(CodeIdentity, UnknownIsNotTheSameButMayBe) {
  const CodeIdentity same = identity({{"barriers", 3}}, {{"barriers", 3}});
  EXPECT_TRUE(same.same_instructions_and_counters() && same.same_instructions() &&
              same.may_be_same());
  const CodeIdentity unknown = identity({{"barriers", 3}}, {});
  EXPECT_FALSE(unknown.same_instructions_and_counters() || unknown.different());
  EXPECT_TRUE(unknown.same_instructions() && unknown.may_be_same());
  const CodeIdentity counted_differently = identity({{"barriers", 3}}, {{"barriers", 4}});
  EXPECT_FALSE(counted_differently.same_instructions_and_counters() ||
               counted_differently.may_be_same());
  EXPECT_TRUE(counted_differently.same_instructions());
  EXPECT_FALSE(counted_differently.different());
}

}  // namespace
}  // namespace warpgauge::ci
