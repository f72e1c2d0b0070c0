// SPDX-License-Identifier: Apache-2.0
// What got worse in machine code is named with kernel, architecture and figures; the gravest first.
#include "ci/verdict/machine_code/worse_code.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/helpers/image_kernels.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::ImageKernel;
using machine_code::ImageKernels;

std::vector<std::string> worse(const ImageKernels& before, const ImageKernels& after,
                               const StaticBlocks& blocks = {}) {
  std::vector<std::string> all;
  for (const StaticFinding& each : worse_code(static_changes_of(before, after), blocks)) {
    all.push_back(each.key.first + ": " + each.what);
  }
  return all;
}

using Lines = std::vector<std::string>;

TEST(WorseCode, NamesEachThingThatGotWorseTheGravestFirst) {
  ImageKernel spilling = kernel("spills", 40, {{"store local 32", 2}});
  spilling.code.spill_store_bytes = 8;
  spilling.code.spill_load_bytes = 4;
  ImageKernel old = kernel("add", 32, {});
  old.code.architecture = "sm_80";
  ImageKernels before = build({kernel("loads", 32, {{"load global 128", 4}}),
                               kernel("spills", 40, {}), kernel("steps", 32, {}), old});
  before.kernels[{"add", "sm_80"}] = {old};
  const ImageKernels after =
      build({kernel("loads", 32, {{"load global 32", 16}}), spilling, kernel("steps", 33, {})});
  EXPECT_EQ(worse(before, after),
            (Lines{"add: is no longer compiled for sm_80", "spills: spill_store_bytes 0 -> 8",
                   "spills: spill_load_bytes 0 -> 4", "spills: accesses to local memory 0 -> 2",
                   "steps: resident warps 64 -> 48 of 64 with 256 threads a block, limited by "
                   "registers",
                   "loads: narrower loads: load global 128 4 -> 0, load global 32 0 -> 16"}));
  EXPECT_EQ(worse(after, before), Lines());
}

TEST(WorseCode, ATemplateWithOtherArgumentsIsTheSameKernel) {
  EXPECT_EQ(worse(build({kernel("void ns::k<4, float>(int)", 32, {})}),
                  build({kernel("void ns::k<8, float>(int)", 40, {})})),
            Lines{"void ns::k<8, float>(int): resident warps 64 -> 48 of 64 with 256 threads a "
                  "block, limited by registers (renamed from ns::k<4, float>)"});
  EXPECT_EQ(worse(build({kernel("void ns::k<4>(int)", 32, {})}),
                  build({kernel("void ns::other<4>(int)", 40, {})})),
            Lines());
  // Which of them is which cannot be said.
  EXPECT_EQ(worse(build({kernel("void k<4>(int)", 32, {})}),
                  build({kernel("void k<8>(int)", 40, {}), kernel("void k<9>(int)", 40, {})})),
            Lines());
}

TEST(WorseCode, MoreOfTheSharedMemoryThatTritonNotesIsAStepOfOccupancy) {
  const auto with = [](std::uint64_t bytes) {
    ImageKernel noted = kernel("k", 32, {});
    noted.dynamic_shared_bytes = bytes;
    return build({noted});
  };
  EXPECT_EQ(worse(with(49'152), with(98'304)),
            Lines{"k: resident warps 32 -> 16 of 64 with 256 threads a block, limited by shared "
                  "memory"});
}

TEST(WorseCode, DoesNotBlameRegistersWithinTheSameOccupancy) {
  EXPECT_EQ(worse(build({kernel("k", 24, {})}), build({kernel("k", 32, {})})), Lines());
}

Lines narrower(const machine_code::InstructionMix& before,
               const machine_code::InstructionMix& after) {
  return worse(build({kernel("k", 32, before)}), build({kernel("k", 32, after)}));
}

// Fewer loads in all are no narrower ones, nor is one more beside them.
TEST(WorseCode, DoesNotTakeOtherLoadsForNarrowerOnes) {
  EXPECT_EQ(narrower({{"load global 128", 4}}, {{"load global 128", 2}, {"load global 32", 1}}),
            Lines());
  EXPECT_EQ(narrower({{"load global 128", 1}, {"load global 32", 4}},
                     {{"load global 128", 2}, {"load global 32", 4}}),
            Lines());
  EXPECT_EQ(narrower({{"load global 128", 4}}, {{"load global 128", 4}, {"load global 32", 1}}),
            Lines());
  EXPECT_EQ(narrower({{"load global 128", 4}}, {{"load global 128", 4}, {"load shared 32", 8}}),
            Lines());
  EXPECT_EQ(narrower({{"load global 128", 4}}, {{"load shared 32", 16}}), Lines());
  EXPECT_EQ(narrower({{"load global 32", 4}}, {{"load global 128", 1}, {"load global 64", 4}}),
            Lines());
}

TEST(WorseCode, FindsNarrowerLoadsOfEachKind) {
  EXPECT_EQ(narrower({{"load global 128", 1}}, {{"load global 32", 1}}),
            Lines{"k: narrower loads: load global 128 1 -> 0, load global 32 0 -> 1"});
  EXPECT_EQ(narrower({{"load generic 64", 2}}, {{"load generic 32", 4}}),
            Lines{"k: narrower loads: load generic 64 2 -> 0, load generic 32 0 -> 4"});
  EXPECT_EQ(narrower({{"copy to shared 128", 2}}, {{"copy to shared 32", 8}}),
            Lines{"k: narrower loads: copy to shared 128 2 -> 0, copy to shared 32 0 -> 8"});
  // One that was merged beside those that were split.
  EXPECT_EQ(narrower({{"load shared 64", 4}, {"load shared 32", 1}},
                     {{"load shared 128", 1}, {"load shared 64", 2}, {"load shared 32", 3}}),
            Lines{"k: narrower loads: load shared 128 0 -> 1, load shared 64 4 -> 2, load shared "
                  "32 1 -> 3"});
}

TEST(WorseCode, FindsWhatCannotBeLaunchedAnyMore) {
  ImageKernel before = kernel("k", 32, {});
  before.code.most_threads = 1024;
  ImageKernel after = kernel("k", 128, {});
  after.code.most_threads = 1024;
  EXPECT_EQ(worse(build({before}), build({after})),
            Lines{"k: resident warps 64 -> 0 of 64 with 1024 threads a block, limited by "
                  "registers"});
}

// The instructions alone do not say how much shared memory a kernel takes.
TEST(WorseCode, HoldsTheResourcesOfTheSameInstructionsAgainstEachOther) {
  const ImageKernel before = kernel("k", 32, {});
  ImageKernel after = before;
  after.code.static_shared_bytes = 100'000;
  EXPECT_EQ(worse(build({before}), build({after})),
            Lines{"k: resident warps 64 -> 16 of 64 with 256 threads a block, limited by shared "
                  "memory"});
  EXPECT_EQ(machine_code::changes(build({before}), build({after})).kernels.at(0).change,
            machine_code::CodeChange::changed);
}

// Of Triton's cache, or of anonymous namespaces.
TEST(WorseCode, HoldsTheWorstOfKernelsOfOneNameAgainstEachOther) {
  const auto builds = [](const std::vector<ImageKernel>& kernels) {
    ImageKernels all = build({kernels.front()});
    all.kernels.begin()->second = kernels;
    return all;
  };
  ImageKernel spilling = kernel("k", 64, {});
  spilling.code.spill_store_bytes = 8;
  const ImageKernels before = builds({kernel("k", 32, {}), kernel("k", 40, {}), spilling});
  EXPECT_EQ(worse(before, before), Lines());
  EXPECT_EQ(worse(before, builds({spilling, kernel("k", 32, {}), kernel("k", 80, {})})),
            Lines{"k: resident warps 48 -> 24 of 64 with 256 threads a block, limited by "
                  "registers, the worst of several kernels of this name that changed"});
  spilling.code.spill_store_bytes = 16;
  EXPECT_EQ(worse(before, builds({kernel("k", 32, {}), kernel("k", 40, {}), spilling})),
            Lines{"k: spill_store_bytes 8 -> 16, the worst of several kernels of this name that "
                  "changed"});
  EXPECT_EQ(worse(builds({kernel("k", 32, {})}), before), Lines()) << "only others came";
}

ImageKernels several(const std::vector<ImageKernel>& kernels) {
  ImageKernels all = build({kernels.front()});
  all.kernels.begin()->second = kernels;
  return all;
}

ImageKernel copies(ImageKernel kernel, std::uint64_t count) {
  kernel.copies = count;
  return kernel;
}

// As of a template that two files instantiate, one of which has another flag now.
TEST(WorseCode, FindsThatOneOfSeveralCopiesBecameWorse) {
  const ImageKernel good = kernel("k", 32, {{"load global 128", 1}});
  ImageKernel bad = kernel("k", 24, {{"load global 32", 4}});
  bad.code.spill_store_bytes = 8;
  const Lines spills{
      "k: spill_store_bytes 0 -> 8, the worst of several kernels of this name that changed",
      "k: narrower loads: load global 128 1 -> 0, load global 32 0 -> 4, the worst of several "
      "kernels of this name that changed"};
  EXPECT_EQ(worse(several({copies(good, 2)}), several({good, bad})), spills);
  EXPECT_EQ(worse(several({good, bad}), several({copies(bad, 2)})), spills) << "the other one, too";
  EXPECT_EQ(worse(several({copies(good, 2), bad}), several({good, copies(bad, 2)})), spills);
  EXPECT_EQ(worse(several({good}), several({good, bad})), Lines()) << "only another one came";
  EXPECT_EQ(worse(several({copies(good, 2)}), several({good})), Lines()) << "one copy went";
  EXPECT_EQ(worse(several({good, bad}), several({copies(good, 2)})), Lines());
}

TEST(WorseCode, FindsWhatIsNotTheWorstOfSeveralKernelsOfOneName) {
  const auto spilling = [](int registers, std::uint64_t bytes) {
    ImageKernel each = kernel("k", registers, {});
    each.code.spill_load_bytes = bytes;
    return each;
  };
  EXPECT_EQ(worse(several({spilling(32, 0), spilling(33, 100)}),
                  several({spilling(34, 100), spilling(35, 50)})),
            Lines{"k: spill_load_bytes 0 -> 50, the worst of several kernels of this name that "
                  "changed"});
  const auto loading = [](int registers, const char* kind) {
    return kernel("k", registers, {{kind, 4}});
  };
  EXPECT_EQ(worse(several({loading(30, "load global 128"), loading(31, "load global 32")}),
                  several({loading(30, "load global 32"), loading(29, "load global 32")})),
            Lines{"k: narrower loads: load global 128 4 -> 0, load global 32 4 -> 8, the worst of "
                  "several kernels of this name that changed"});
  EXPECT_EQ(worse(several({loading(30, "load global 128"), loading(31, "load global 32")}),
                  several({loading(29, "load global 32"), loading(28, "load global 128")})),
            Lines())
      << "in another order";
}

TEST(WorseCode, NamesArchitecturesThatAreGone) {
  ImageKernel old = kernel("k", 32, {});
  old.code.architecture = "sm_80";
  const ImageKernel fresh = kernel("k", 32, {});
  ImageKernel other = kernel("other", 32, {});
  other.code.architecture = "sm_80";
  ImageKernels before = build({fresh, other});
  before.kernels[{"k", "sm_80"}] = {old};
  before.to_be_compiled = {"compute_80", "compute_90"};
  before.unread = {"sm_61"};
  ImageKernels after = build({fresh, other});
  after.to_be_compiled = {"compute_90", "compute_100"};
  EXPECT_EQ(worse(before, after),
            (Lines{"(all kernels): no longer there for a driver or linker to compile",
                   "(all kernels): no longer there; it is not read here",
                   "k: is no longer compiled for sm_80"}));
}

TEST(WorseCode, ComputesOccupancyForTheBlockThatIsKnownBest) {
  const ImageKernel each = kernel("k", 40, {});
  StaticBlocks blocks;
  const auto bounds = occupancy_of(each, blocks);
  ASSERT_TRUE(bounds.has_value());
  EXPECT_STREQ(bounds->from, "launch bounds");
  EXPECT_EQ(bounds->block_threads, 256U);
  EXPECT_EQ(bounds->occupancy.warps, 48U);
  results::KernelLaunch small;
  small.block = {64, 2, 1};
  results::KernelLaunch dynamic = small;
  dynamic.dynamic_shared_bytes = 100'000;
  blocks.launches["k"] = {small, dynamic};
  const auto recorded = occupancy_of(each, blocks);
  EXPECT_STREQ(recorded->from, "recorded");
  EXPECT_EQ(recorded->block_threads, 128U);
  EXPECT_EQ(recorded->occupancy.warps, 8U);
  EXPECT_EQ(recorded->occupancy.limit, "shared memory");
  blocks.threads = 512;
  EXPECT_STREQ(occupancy_of(each, blocks)->from, "given");
  ImageKernel without_bounds = each;
  without_bounds.code.most_threads = 0;
  EXPECT_FALSE(occupancy_of(without_bounds, {}).has_value());
}

}  // namespace
}  // namespace warpgauge::ci
