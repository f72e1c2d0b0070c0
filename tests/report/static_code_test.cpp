// SPDX-License-Identifier: Apache-2.0
// What got worse in machine code is named with kernel, architecture and figures; the gravest first.
#include "ci/report/static_code.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace warpgauge::ci {
namespace {

using machine_code::ImageKernel;
using machine_code::ImageKernels;

ImageKernel kernel(const std::string& name, int registers, machine_code::InstructionMix mix) {
  ImageKernel kernel;
  kernel.code.name = name;
  kernel.code.architecture = "sm_90";
  kernel.code.sass_hash = name + std::to_string(registers);
  for (const auto& [kind, count] : mix) {
    kernel.code.sass_hash += kind + std::to_string(count);
    kernel.code.instructions += count;
  }
  kernel.code.registers = registers;
  kernel.code.code_bytes = 512;
  kernel.code.stack_bytes = 0;
  kernel.code.spill_store_bytes = 0;
  kernel.code.spill_load_bytes = 0;
  kernel.shape.mix = std::move(mix);
  kernel.most_threads = 256;
  return kernel;
}

ImageKernels build(const std::vector<ImageKernel>& kernels) {
  ImageKernels all;
  for (const ImageKernel& each : kernels) {
    all.kernels[{each.code.name, each.code.architecture}] = {each};
    all.architectures.insert(each.code.architecture);
  }
  return all;
}

std::vector<std::string> worse(const ImageKernels& before, const ImageKernels& after,
                               const StaticBlocks& blocks = {}) {
  std::vector<std::string> all;
  for (const StaticFinding& each : worse_code(machine_code::changes(before, after), blocks)) {
    all.push_back(each.key.first + ": " + each.what);
  }
  return all;
}

using Lines = std::vector<std::string>;

TEST(StaticCode, NamesEachThingThatGotWorseTheGravestFirst) {
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

TEST(StaticCode, DoesNotBlameRegistersWithinTheSameOccupancy) {
  EXPECT_EQ(worse(build({kernel("k", 24, {})}), build({kernel("k", 32, {})})), Lines());
}

Lines narrower(const machine_code::InstructionMix& before,
               const machine_code::InstructionMix& after) {
  return worse(build({kernel("k", 32, before)}), build({kernel("k", 32, after)}));
}

// Fewer loads in all are no narrower ones, nor is one more beside them.
TEST(StaticCode, DoesNotTakeOtherLoadsForNarrowerOnes) {
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

TEST(StaticCode, FindsNarrowerLoadsOfEachKind) {
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

TEST(StaticCode, FindsWhatCannotBeLaunchedAnyMore) {
  ImageKernel before = kernel("k", 32, {});
  before.most_threads = 1024;
  ImageKernel after = kernel("k", 128, {});
  after.most_threads = 1024;
  EXPECT_EQ(worse(build({before}), build({after})),
            Lines{"k: resident warps 64 -> 0 of 64 with 1024 threads a block, limited by "
                  "registers"});
}

// The instructions alone do not say how much shared memory a kernel takes.
TEST(StaticCode, HoldsTheResourcesOfTheSameInstructionsAgainstEachOther) {
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
TEST(StaticCode, HoldsTheWorstOfKernelsOfOneNameAgainstEachOther) {
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

TEST(StaticCode, NamesArchitecturesThatAreGone) {
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
  const auto changes = machine_code::changes(before, after);
  EXPECT_EQ(changes.images_added, std::set<std::string>{"compute_100"});
  const std::string text = static_changes(changes, {});
  EXPECT_NE(text.find("  compute_80 (all kernels): no longer there"), std::string::npos) << text;
  EXPECT_NE(text.find("New, to be compiled where it runs or not read here: compute_100.\n"),
            std::string::npos)
      << text;
}

TEST(StaticCode, TellsOfWhichSpillsNothingIsKnown) {
  ImageKernel before = kernel("k", 32, {});
  before.code.spill_store_bytes.reset();
  before.code.spill_load_bytes.reset();
  ImageKernel after = kernel("k", 33, {});
  after.code.spill_store_bytes = 16;
  const std::string text =
      static_changes(machine_code::changes(build({before}), build({after})), {});
  EXPECT_NE(text.find("Not known: whether 1 of the kernels that changed spill more; compilers "
                      "before CUDA 13 do not say what they spilled.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("spill_store_bytes ? -> 16, spill_load_bytes ? -> 0"), std::string::npos)
      << text;
}

TEST(StaticCode, CountsInJsonWhatIsTheSame) {
  const ImageKernels before = build({kernel("a", 32, {}), kernel("b", 32, {})});
  const auto json = static_changes_json(
      machine_code::changes(before, build({kernel("a", 32, {}), kernel("b", 30, {})})), {});
  EXPECT_EQ(json.at("same"), 1);
  ASSERT_EQ(json.at("changes").size(), 1U);
  EXPECT_EQ(json.at("changes").at(0).at("name"), "b");
  EXPECT_EQ(json.at("changes").at(0).at("before").size(), 1U);
}

TEST(StaticCode, ComputesOccupancyForTheBlockThatIsKnownBest) {
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
  without_bounds.most_threads = 0;
  EXPECT_FALSE(occupancy_of(without_bounds, {}).has_value());
}

TEST(StaticCode, TellsWhatChangedByKind) {
  ImageKernel rearranged = kernel("moved", 32, {{"integer", 3}});
  rearranged.shape.hash = "a";
  ImageKernel other = rearranged;
  other.code.sass_hash = "other";
  const ImageKernels before =
      build({rearranged, kernel("same", 32, {}), kernel("k", 32, {{"integer", 3}})});
  const ImageKernels after =
      build({other, kernel("same", 32, {}), kernel("k", 30, {{"integer", 4}})});
  EXPECT_EQ(static_changes(machine_code::changes(before, after), {}),
            "Nothing got worse.\n"
            "\n"
            "changed: 1\n"
            "  sm_90 k\n"
            "    registers 32 -> 30, instructions 3 -> 4, integer 3 -> 4\n"
            "\n"
            "the same instructions, but for the names of registers, their order or addresses: 1\n"
            "  sm_90 moved\n"
            "\n"
            "the same machine code: 1\n");
}

TEST(StaticCode, NamesWhatCouldNotBeRead) {
  ImageKernels kernels = build({kernel("k", 32, {})});
  kernels.broken = {"cache/x.cubin: ends too early"};
  const std::string line = "Not read: cache/x.cubin: ends too early\n";
  EXPECT_TRUE(static_table(kernels, {}).ends_with(line));
  EXPECT_NE(
      static_changes(machine_code::changes(build({kernel("k", 32, {})}), kernels), {}).find(line),
      std::string::npos);
}

TEST(StaticCode, HasATable) {
  ImageKernels kernels = build({kernel("void add<4>(float*)", 40, {})});
  kernels.to_be_compiled = {"compute_90"};
  kernels.unread = {"sm_61"};
  EXPECT_EQ(
      static_table(kernels, {}),
      "for    registers  spills  stack  shared  code         warps  limited by  kernel\n"
      "sm_90         40     0/0      0       0   512  48/64 of 256  registers   void "
      "add<4>(float*)\n"
      "\n"
      "1 kernels for sm_90. Spills: bytes stored and loaded; warps: resident and possible, of "
      "blocks of so many threads.\n"
      "Compiled only where it runs, or by the linker: compute_90.\n"
      "Not read, since their instructions are not known here: sm_61.\n");
}

}  // namespace
}  // namespace warpgauge::ci
