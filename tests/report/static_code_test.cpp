// SPDX-License-Identifier: Apache-2.0
// What got worse in machine code is named with kernel, architecture and figures; the gravest first.
#include "ci/report/static_code.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
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
  EXPECT_EQ(
      worse(before, after),
      (Lines{"add: no kernel is compiled for sm_80 any more", "spills: spill_store_bytes 0 -> 8",
             "spills: spill_load_bytes 0 -> 4", "spills: accesses to local memory 0 -> 2",
             "steps: resident warps 64 -> 48 of 64 with 256 threads a block, limited by "
             "registers",
             "loads: narrower loads: load global 128 4 -> 0, load global 32 0 -> 16"}));
  EXPECT_EQ(worse(after, before), Lines());
}

TEST(StaticCode, DoesNotBlameRegistersWithinTheSameOccupancy) {
  EXPECT_EQ(worse(build({kernel("k", 24, {})}), build({kernel("k", 32, {})})), Lines());
}

// Fewer loads in all are no narrower ones, nor is one more beside them.
TEST(StaticCode, DoesNotTakeOtherLoadsForNarrowerOnes) {
  const auto loads = [](std::uint64_t wide, std::uint64_t narrow) {
    return build({kernel("k", 32, {{"load global 128", wide}, {"load global 32", narrow}})});
  };
  EXPECT_EQ(worse(loads(4, 0), loads(2, 1)), Lines());
  EXPECT_EQ(worse(loads(1, 4), loads(2, 4)), Lines());
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
