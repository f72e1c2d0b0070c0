// SPDX-License-Identifier: Apache-2.0
// `warpgauge static --against --side-by-side`: of a committed cubin and one with another
// instruction, with a stand-in for nvdisasm, which comes with the toolkit alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/two_cubins.hpp"

namespace warpgauge {
namespace {

class SideBySide : public TwoCubins {
 protected:
  [[nodiscard]] Finished shown(const std::string& filter) const {
    return shell("cd '" + folder_.string() + "' && PATH='" + folder_.string() + "':$PATH " +
                 quoted(WARPGAUGE) + " static after.cubin --against before.cubin --side-by-side " +
                 quoted(filter));
  }
};

TEST_F(SideBySide, ShowsTheInstructionsWithTheirLines) {
  install_nvdisasm(kNvdisasmSays);
  const Finished finished = shown("add");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("sm_90 add(float*, float const*, int)\n"), std::string::npos);
  const std::size_t at = finished.output.find("add.cuh:7");
  ASSERT_NE(at, std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("LDG.E.128 R4, [R2.64]", at), std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("> LDG.E R4, [R2.64]\n", at), std::string::npos)
      << finished.output;
  EXPECT_NE(results::read_file(folder_ / "asked").find("-c -g -fun "), std::string::npos);
}

TEST_F(SideBySide, SaysInOneLineWhyThereIsNone) {
  install_nvdisasm("echo 'cannot read that' >&2; exit 1\n");
  const Finished broken = shown("add");
  EXPECT_NE(broken.output.find("Not shown: "), std::string::npos) << broken.output;
  EXPECT_NE(broken.output.find("cannot read that"), std::string::npos) << broken.output;
  EXPECT_EQ(shown("no_such_kernel").status, 64);
}

TEST_F(SideBySide, NamesItselfWhereItIsNoRegularExpression) {
  expect_one_line(shown("("), 64, "--side-by-side '(' is no regular expression");
}

TEST_F(SideBySide, LaunchesOfAnotherProgramAreNoted) {
  Measured other{.id = "a/b/1", .counters = {{"barriers", 2}}};
  results::add_launch({.kernel = "other()", .block = {96, 1, 1}}, other.launches);
  write("launches.json", results_text(emulated(), {other}));
  const std::string note = "note: --launches launches.json launches none of these kernels\n";
  const std::string command = "static after.cubin --launches launches.json 2>&1";
  EXPECT_NE(warpgauge(command).output.find(note), std::string::npos);
  results::add_launch({.kernel = "add(float*, float const*, int)", .block = {96, 1, 1}},
                      other.launches);
  write("launches.json", results_text(emulated(), {other}));
  const Finished used = warpgauge(command);
  EXPECT_EQ(used.output.find("note:"), std::string::npos) << used.output;
  EXPECT_NE(used.output.find(" of 96"), std::string::npos) << used.output;
}

// A driver compiles it.
TEST_F(SideBySide, OfPtxAloneTheKernelsAreListedAndThereAreNoResults) {
  std::string bytes =
      results::read_file(std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/plain.fatbin");
  std::uint64_t at = 16;
  for (int cubin = 0; cubin < 2; ++cubin) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at + 8, sizeof(size));
    at += 64 + size;
  }
  bytes.erase(16, at - 16);
  const std::uint64_t left = bytes.size() - 16;
  std::memcpy(bytes.data() + 8, &left, sizeof(left));
  write("ptx.fatbin", bytes);
  const Finished listed = warpgauge("static ptx.fatbin");
  EXPECT_EQ(listed.status, 0) << listed.output;
  EXPECT_NE(listed.output.find("  compute_90 add(float*, float const*, int)\n"), std::string::npos)
      << listed.output;
  EXPECT_EQ(warpgauge("static ptx.fatbin --against ptx.fatbin").status, 0);
  expect_one_line(warpgauge("static ptx.fatbin --out results.json"), 4,
                  "ptx.fatbin: holds only what a driver or linker compiles (compute_90)");
}

TEST(StaticChanges, OfAQuietOneOnlyWhatIsWorseIsLeft) {
  const std::string there = std::string(SOURCE_ROOT) + "/tests/profiling/machine_code/recorded/";
  const std::string command =
      "static '" + there + "two_kernels_90.cubin' --against '" + there + "two_kernels_80.cubin'";
  const Finished usual = shell(quoted(WARPGAUGE) + " " + command);
  const Finished quiet = shell(quoted(WARPGAUGE) + " " + command + " --quiet");
  EXPECT_EQ(quiet.status, usual.status);
  EXPECT_NE(usual.output.find("\nadded: "), std::string::npos) << usual.output;
  EXPECT_EQ(quiet.output.find("\nadded: "), std::string::npos) << quiet.output;
  EXPECT_NE(quiet.output.find("Worse, most severe first:\n  sm_80 "), std::string::npos)
      << quiet.output;
}

}  // namespace
}  // namespace warpgauge
