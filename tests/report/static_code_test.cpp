// SPDX-License-Identifier: Apache-2.0
// What machine code alone tells, as text and as JSON.
#include "ci/report/machine_code/static_code.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/helpers/image_kernels.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::ImageKernel;
using machine_code::ImageKernels;

TEST(StaticCode, NamesArchitecturesThatCameAndWent) {
  ImageKernels before = build({kernel("k", 32, {})});
  ImageKernels after = before;
  before.to_be_compiled = {"compute_80", "compute_90"};
  after.to_be_compiled = {"compute_90", "compute_100"};
  const auto changes = machine_code::changes(before, after);
  EXPECT_EQ(changes.images_added, std::set<std::string>{"compute_100"});
  const std::string text = static_changes(changes, {}, worse_code(changes, {}));
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
      static_changes(machine_code::changes(build({before}), build({after})), {}, {});
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
      machine_code::changes(before, build({kernel("a", 32, {}), kernel("b", 30, {})})), {}, {});
  EXPECT_EQ(json.at("same"), 1);
  ASSERT_EQ(json.at("changes").size(), 1U);
  EXPECT_EQ(json.at("changes").at(0).at("name"), "b");
  EXPECT_EQ(json.at("changes").at(0).at("before").size(), 1U);
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
  EXPECT_EQ(static_changes(machine_code::changes(before, after), {}, {}),
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

std::string changed(const ImageKernels& before, const ImageKernels& after) {
  return static_changes(machine_code::changes(before, after), {}, {});
}

TEST(StaticCode, SaysWhatAQuestionMarkStandsFor) {
  ImageKernel unlinked = kernel("k", 40, {});
  unlinked.code.stack_bytes.reset();
  ImageKernel older = kernel("k", 40, {});
  older.code.spill_load_bytes.reset();
  const auto has = [](const ImageKernel& one, const std::string& what) {
    return static_table(build({one}), {}).find(what) != std::string::npos;
  };
  EXPECT_TRUE(has(unlinked,
                  "Stack ?: some of this is relocatable code. What its kernels take is known "
                  "for certain once it is linked: read the program or library.\n"));
  EXPECT_TRUE(has(older, "Spills ?: compilers before CUDA 13 do not say what they spilled.\n"));
  EXPECT_FALSE(has(kernel("k", 40, {}), "?"));
}

TEST(StaticCode, TellsWhatAnAddedKernelTakes) {
  ImageKernel spilling = kernel("k", 40, {{"integer", 3}});
  spilling.code.spill_store_bytes = 16;
  const std::string text = changed(build({}), build({spilling}));
  EXPECT_NE(text.find("added: 1\n  sm_90 k\n    registers 40, spill_store_bytes 16, most_threads "
                      "256, instructions 3\n"),
            std::string::npos)
      << text;
}

TEST(StaticCode, TellsWhatMovedOfSeveralKernelsOfOneName) {
  ImageKernels before = build({kernel("k", 32, {})});
  before.kernels.begin()->second.push_back(kernel("k", 40, {}));
  const std::string text = changed(before, build({kernel("k", 48, {})}));
  EXPECT_NE(text.find("  sm_90 k\n    registers 32 and 40 -> 48\n"), std::string::npos) << text;
}

TEST(StaticCode, TellsOfAKernelMoreOrFewerOfOneName) {
  const ImageKernels one = build({kernel("k", 32, {})});
  ImageKernels two = one;
  two.kernels.begin()->second.push_back(kernel("k", 40, {}));
  EXPECT_NE(changed(one, two).find("  sm_90 k\n    1 more of this name, registers 40, "),
            std::string::npos)
      << changed(one, two);
  EXPECT_NE(changed(two, one).find("  sm_90 k\n    1 fewer of this name, registers 40, "),
            std::string::npos)
      << changed(two, one);
}

TEST(StaticCode, SaysThatFunctionsForTheLinkerChanged) {
  ImageKernels before = build({kernel("k", 32, {})});
  before.entries = {{{machine_code::kNoKernel, "sm_90"}, {"1"}}};
  ImageKernels after = before;
  after.entries = {{{machine_code::kNoKernel, "sm_90"}, {"2"}}};
  const std::string text = changed(before, after);
  EXPECT_NE(text.find("For sm_90 the functions that a linker joins with kernels are changed: link "
                      "both builds to see the kernels that changed.\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("PTX"), std::string::npos) << text;
}

TEST(StaticCode, TellsThatTheClusterOfAKernelChanged) {
  ImageKernel after = kernel("k", 32, {});
  after.cluster = {2, 1, 1};
  const std::string text = changed(build({kernel("k", 32, {})}), build({after}));
  EXPECT_NE(text.find("  sm_90 k\n    cluster of the launch -> 2x1x1\n"), std::string::npos)
      << text;
}

TEST(StaticCode, SaysSoWhereNoCountOfInstructionsMoved) {
  ImageKernel after = kernel("k", 32, {});
  after.code.sass_hash = "another constant";
  const std::string text = changed(build({kernel("k", 32, {})}), build({after}));
  EXPECT_NE(text.find("  sm_90 k\n    as many instructions of each kind\n"), std::string::npos)
      << text;
}

TEST(StaticCode, NamesWhatAKernelWasCalledBefore) {
  ImageKernel fresh = kernel("void k<5>(int)", 40, {});
  ImageKernel same = kernel("was()", 32, {});
  const ImageKernels before = build({kernel("void k<4>(int)", 32, {}), same});
  same.code.name = "is()";
  const auto changes = static_changes_of(before, build({fresh, same}));
  const std::string text = static_changes(changes, {}, {});
  EXPECT_NE(text.find("changed: 1\n  sm_90 void k<5>(int)\n    renamed, before void k<4>(int)\n"
                      "    registers 32 -> 40\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("the same machine code: 1\n  sm_90 is()\n    renamed, before was()\n"),
            std::string::npos)
      << text;
  const auto json = static_changes_json(changes, {}, {});
  EXPECT_EQ(json.at("same"), 0);
  ASSERT_EQ(json.at("changes").size(), 2U);
  EXPECT_EQ(json.at("changes").at(0).at("change"), "same");
  EXPECT_EQ(json.at("changes").at(0).at("name_before"), "was()");
}

TEST(StaticCode, OfFunctionsAloneItSaysThatThereIsNoKernel) {
  ImageKernels kernels;
  kernels.architectures = {"sm_80", "sm_90"};
  EXPECT_EQ(static_table(kernels, {}),
            "No kernel in the machine code for sm_80, sm_90, only functions that kernels call.\n");
}

TEST(StaticCode, HasTheDynamicSharedMemoryThatTritonNotes) {
  ImageKernel noted = kernel("k", 32, {});
  noted.dynamic_shared_bytes = 98'304;
  EXPECT_NE(
      static_table(build({noted}), {}).find("  0+98304   512  16/64 of 256  shared memory  k"),
      std::string::npos)
      << static_table(build({noted}), {});
  EXPECT_EQ(static_json(build({noted}), {}).at("kernels").at(0).at("dynamic_shared_bytes"), 98'304);
  const std::string text = changed(build({kernel("k", 32, {})}), build({noted}));
  EXPECT_NE(text.find("    dynamic_shared_bytes 0 -> 98304\n"), std::string::npos) << text;
}

TEST(StaticCode, SaysOfHowManyKernelsOccupancyIsNotCompared) {
  const std::string line =
      "Not compared: the occupancy of 1 of the kernels that changed, since no block is known of "
      "them; give --block or --launches.\n";
  ImageKernel before = kernel("k", 32, {});
  ImageKernel after = kernel("k", 40, {});
  EXPECT_EQ(changed(build({before}), build({after})).find(line), std::string::npos);
  before.code.most_threads = after.code.most_threads = 0;
  EXPECT_NE(changed(build({before}), build({after})).find(line), std::string::npos);
}

TEST(StaticCode, NamesTheLineOfWhatIsWorseWhereItIsKnown) {
  const auto changes = machine_code::changes(build({kernel("k", 32, {})}),
                                             build({kernel("k", 32, {{"load local 32", 1}})}));
  std::vector<StaticFinding> worse = worse_code(changes, {});
  ASSERT_EQ(worse.size(), 1U);
  EXPECT_EQ(worse[0].access_kinds, std::vector<std::string>{"load local 32"});
  EXPECT_FALSE(static_changes_json(changes, {}, worse).at("worse").at(0).contains("line"));
  worse[0].line = "k.cu:12";
  EXPECT_EQ(static_changes_json(changes, {}, worse).at("worse").at(0).at("line"), "k.cu:12");
  EXPECT_NE(static_outcome(changes, worse).find("accesses to local memory 0 -> 1 at k.cu:12\n"),
            std::string::npos);
}

TEST(StaticCode, ListsArchitecturesByTheirNumber) {
  ImageKernels kernels;
  for (const char* const architecture : {"sm_100", "sm_80", "sm_90a", "sm_90"}) {
    ImageKernel each = kernel("k", 32, {});
    each.code.architecture = architecture;
    kernels.kernels[{"k", architecture}] = {each};
    kernels.architectures.insert(architecture);
  }
  const std::string text = static_table(kernels, {});
  EXPECT_NE(text.find("4 kernels for sm_80, sm_90, sm_90a, sm_100."), std::string::npos) << text;
  EXPECT_LT(text.find("\nsm_80 "), text.find("\nsm_100 "));
}

TEST(StaticCode, OfPtxAloneItListsTheKernels) {
  ImageKernels kernels;
  kernels.entries[{"k(int)", "compute_90"}] = {"1"};
  kernels.to_be_compiled = {"compute_90"};
  EXPECT_EQ(static_table(kernels, {}),
            "No machine code, so nothing is known of what kernels take:\n"
            "  compute_90 k(int)\n"
            "Compiled only where it runs, or by the linker: compute_90 (1 kernel).\n");
}

TEST(StaticCode, NamesWhatCouldNotBeRead) {
  ImageKernels kernels = build({kernel("k", 32, {})});
  kernels.broken = {"cache/x.cubin: ends too early"};
  const std::string line = "Not read: cache/x.cubin: ends too early\n";
  EXPECT_TRUE(static_table(kernels, {}).ends_with(line));
  EXPECT_NE(static_changes(machine_code::changes(build({kernel("k", 32, {})}), kernels), {}, {})
                .find(line),
            std::string::npos);
}

TEST(StaticCode, HasATable) {
  ImageKernels kernels = build({kernel("void add<4>(float*)", 40, {})});
  kernels.to_be_compiled = {"compute_90"};
  kernels.unread = {"sm_61"};
  EXPECT_EQ(static_table(kernels, {}),
            "for    registers  spills  stack  shared  code         warps  limited by  kernel\n"
            "sm_90         40     0/0      0       0   512  48/64 of 256  registers   void "
            "add<4>(float*)\n"
            "\n"
            "1 kernel for sm_90. Spills: bytes stored and loaded; warps: resident and possible, of "
            "blocks of so many threads.\n"
            "Compiled only where it runs, or by the linker: compute_90.\n"
            "Not read, since their instructions are not known here: sm_61.\n");
}

}  // namespace
}  // namespace warpgauge::ci
