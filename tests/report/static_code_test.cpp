// SPDX-License-Identifier: Apache-2.0
// What machine code alone tells, as text and as JSON.
#include "ci/report/static_code.hpp"

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
