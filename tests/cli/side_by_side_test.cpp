// SPDX-License-Identifier: Apache-2.0
// `warpgauge static --against --side-by-side`: of a committed cubin and one with another
// instruction, with a stand-in for nvdisasm, which comes with the toolkit alone.
#include <gtest/gtest.h>

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

TEST(StaticChanges, OfAQuietOneOnlyWhatIsWorseIsLeft) {
  const std::string there = std::string(SOURCE_ROOT) + "/tests/profiling/machine_code/recorded/";
  const std::string command =
      "static '" + there + "two_kernels_90.cubin' --against '" + there + "two_kernels_80.cubin'";
  const Finished usual = shell(quoted(WARPGAUGE) + " " + command);
  const Finished quiet = shell(quoted(WARPGAUGE) + " " + command + " --quiet");
  EXPECT_EQ(quiet.status, usual.status);
  EXPECT_NE(usual.output.find("\nadded: "), std::string::npos) << usual.output;
  EXPECT_EQ(quiet.output.find("\nadded: "), std::string::npos) << quiet.output;
  EXPECT_NE(quiet.output.find("Worse, the gravest first:\n  sm_80 "), std::string::npos)
      << quiet.output;
}

}  // namespace
}  // namespace warpgauge
