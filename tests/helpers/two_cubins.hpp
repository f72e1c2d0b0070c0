// SPDX-License-Identifier: Apache-2.0
// A committed cubin and one with another instruction, and a stand-in for nvdisasm, which comes with
// the toolkit alone.
#pragma once

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {

class TwoCubins : public InFolder {
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
    const std::filesystem::path program =
        write("nvdisasm", "#!/bin/sh\ncd '" + folder_.string() + "'\necho \"$@\" >>'" +
                              (folder_ / "asked").string() + "'\n" + says);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
};

// Of the first file it is asked for a wide load, of the second a narrow one.
inline constexpr const char* kNvdisasmSays = R"SH(
op=LDG.E.128
test "$(wc -l <asked)" -gt 1 && op=LDG.E
cat <<END
.text._Z3addPfPKfi:
	//## File "/src/add.cuh", line 7
        /*0000*/                   $op R4, [R2.64] ;
        /*0010*/                   EXIT ;
END
)SH";

}  // namespace warpgauge
