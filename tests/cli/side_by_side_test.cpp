// SPDX-License-Identifier: Apache-2.0
// `warpgauge static --against --side-by-side`: of a committed cubin and one with another
// instruction, with a stand-in for nvdisasm, which comes with the toolkit alone.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

class SideBySide : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    std::string cubin =
        results::read_file(std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/add.cubin");
    write("before.cubin", cubin);
    cubin[code_in(cubin) + 4] = static_cast<char>(cubin[code_in(cubin) + 4] ^ 1);
    write("after.cubin", cubin);
  }

  // Where the kernel's first instruction is.
  static std::size_t code_in(const std::string& cubin) {
    Elf64_Ehdr header;
    std::memcpy(&header, cubin.data(), sizeof(header));
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      std::memcpy(&section, cubin.data() + header.e_shoff + i * sizeof(section), sizeof(section));
      if ((section.sh_flags & SHF_EXECINSTR) != 0) return section.sh_offset;
    }
    ADD_FAILURE() << "no code";
    return 0;
  }

  // It says for each file another text, and keeps what it was asked.
  void install_nvdisasm(const std::string& says) {
    const fs::path program = write(
        "nvdisasm", "#!/bin/sh\necho \"$@\" >>'" + (folder_ / "asked").string() + "'\n" + says);
    fs::permissions(program, fs::perms::owner_all);
  }

  [[nodiscard]] Finished shown(const std::string& filter) const {
    return shell("cd '" + folder_.string() + "' && PATH='" + folder_.string() + "':$PATH " +
                 quoted(WARPGAUGE) + " static after.cubin --against before.cubin --side-by-side " +
                 quoted(filter));
  }
};

constexpr const char* kSays = R"SH(
op=LDG.E.128
test "$(wc -l <asked)" -gt 1 && op=LDG.E
cat <<END
.text._Z3addPfPKfi:
	//## File "/src/add.cuh", line 7
        /*0000*/                   $op R4, [R2.64] ;
        /*0010*/                   EXIT ;
END
)SH";

TEST_F(SideBySide, ShowsTheInstructionsWithTheirLines) {
  install_nvdisasm(kSays);
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

}  // namespace
}  // namespace warpgauge
