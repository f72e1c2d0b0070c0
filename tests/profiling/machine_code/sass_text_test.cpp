// SPDX-License-Identifier: Apache-2.0
// The text of machine code is read as nvdisasm writes it, and two such texts are aligned by what
// they do. The form of the text: "CUDA Binary Utilities", nvdisasm.
#include "profiling/machine_code/text/sass_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiling/machine_code/text/sass_alignment.hpp"

namespace warpgauge::machine_code {
namespace {

using Instructions = std::vector<SassInstruction>;

constexpr const char* kSass =
    R"(	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"

//--------------------- .text._Z3addPf            --------------------------
	.section	.text._Z3addPf,"ax",@progbits
	.align	128
        .global         _Z3addPf
_Z3addPf:
.text._Z3addPf:
	//## File "/src/kernels/add.cuh", line 3 inlined at "/src/add.cu", line 9
	//## File "/src/add.cu", line 9
        /*0000*/                   LDC R1, c[0x0][0x28] ;  /* 0x00000a00ff017b82 */
                                                           /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA `(.L_x_0) ;
	//## File "/src/add.cu", line 10
.L_x_0:
        /*0020*/                   EXIT ;
.text._Z5other:
        /*0000*/                   NOP ;
)";

TEST(SassText, HasInstructionsAndTheInnermostLines) {
  const SassFunctions functions = parse_sass(kSass);
  ASSERT_EQ(functions.size(), 2U);
  const Instructions& add = functions.at("_Z3addPf");
  ASSERT_EQ(add.size(), 3U);
  EXPECT_EQ(add[0].text, "LDC R1, c[0x0][0x28]");
  EXPECT_EQ(add[0].place, "/src/kernels/add.cuh:3");
  EXPECT_EQ(add[1].text, "@!P0 BRA `(.L_x_0)");
  EXPECT_EQ(add[2].place, "/src/add.cu:10");
  EXPECT_EQ(functions.at("_Z5other").front().place, "");
}

TEST(SassText, OfAnotherKindIsNone) {
  for (const char* text : {"", "\n", "/*", "/*0000*/ NOP ;", ".text.:", ".text.x:\n/*zz*/ NOP ;"}) {
    for (const auto& [name, all] : parse_sass(text)) EXPECT_TRUE(all.empty()) << text;
  }
}

TEST(SassText, IsBounded) {
  std::string text = ".text.x:\n";
  for (std::size_t i = 0; i < kMostSassInstructions + 5; ++i) text += "/*0000*/ NOP ;\n";
  EXPECT_EQ(parse_sass(text).at("x").size(), kMostSassInstructions);
  EXPECT_EQ(
      parse_sass(".text.x:\n/*0000*/ " + std::string(9'999, 'N') + ";").at("x")[0].text.size(),
      kLongestSassText);
}

Instructions instructions(const std::vector<std::string>& texts) {
  Instructions all;
  for (const std::string& each : texts) all.push_back({each, "a.cu:1"});
  return all;
}

// "|LDG R1>LDG R2", one text a row.
std::vector<std::string> rows(const std::vector<std::string>& before,
                              const std::vector<std::string>& after) {
  std::vector<std::string> all;
  for (const SassRow& each : side_by_side(instructions(before), instructions(after)).rows) {
    const char signs[] = {'=', '|', '<', '>'};
    all.push_back(fmt::format("{} {} {} {}", each.skipped, signs[static_cast<int>(each.change)],
                              each.before, each.after));
  }
  return all;
}

TEST(SideBySideSass, PairsTheSameFirstAndThenTheSameOperation) {
  EXPECT_EQ(rows({"MOV R1, R2", "LDG.E.128 R4, [R2]", "FADD R4, R5", "EXIT"},
                 {"MOV R1, R2", "LDG.E R4, [R2]", "LDG.E R5, [R2+0x4]", "FADD R4, R6", "EXIT"}),
            (std::vector<std::string>{"0 = MOV R1, R2 MOV R1, R2", "0 < LDG.E.128 R4, [R2] ",
                                      "0 >  LDG.E R4, [R2]", "0 >  LDG.E R5, [R2+0x4]",
                                      "0 | FADD R4, R5 FADD R4, R6", "0 = EXIT EXIT"}));
}

TEST(SideBySideSass, LeavesOutWhatIsTheSameAndSaysHowMuch) {
  std::vector<std::string> before(20, "NOP");
  std::vector<std::string> after = before;
  after.insert(after.begin() + 10, "BAR.SYNC 0x0");
  const std::vector<std::string> found = rows(before, after);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.size(), 7U) << "three before it, three behind it";
  EXPECT_EQ(found.front().substr(0, 3), "7 =");
  EXPECT_TRUE(rows(before, before).empty());
  EXPECT_EQ(rows({}, {"NOP"}), std::vector<std::string>{"0 >  NOP"});
}

TEST(SideBySideSass, DoesNotMindWhereABranchGoes) {
  EXPECT_TRUE(rows({"@P0 BRA `(.L_x_3)", "BRA 0x1d0"}, {"@P0 BRA `(.L_x_7)", "BRA 0x2f0"}).empty());
  EXPECT_FALSE(rows({"@P0 BRA `(.L_x_3)"}, {"@!P0 BRA `(.L_x_3)"}).empty());
  EXPECT_FALSE(rows({"MOV R1, 0x1d0"}, {"MOV R1, 0x2f0"}).empty());
}

TEST(SideBySideSass, OfHugeKernelsIsBounded) {
  Instructions before;
  Instructions after;
  for (int i = 0; i < 20'000; ++i) {
    before.push_back({fmt::format("MOV R1, {}", i), ""});
    after.push_back({fmt::format("IADD R1, {}", i), ""});
  }
  const SideBySide found = side_by_side(before, after);
  EXPECT_EQ(found.rows.size(), kMostSassRows);
  EXPECT_EQ(found.rows.size() + found.more, 40'000U);
}

}  // namespace
}  // namespace warpgauge::machine_code
