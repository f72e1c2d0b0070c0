// SPDX-License-Identifier: Apache-2.0
// The headers, names and flags of CUDA's ELF files.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiling/machine_code/files/elf_image.hpp"

namespace warpgauge::machine_code {

// Each function has its own section, which may include functions that only it calls.
inline constexpr std::string_view kCodePrefix = ".text.";

[[nodiscard]] inline bool is_code(const Section& section) {
  return section.type == SHT_PROGBITS && section.name.starts_with(kCodePrefix);
}

[[nodiscard]] inline bool is_kernel(const Symbol& symbol) {
  constexpr std::uint8_t kEntryFlag = 0x10;
  return symbol.type == STT_FUNC && (symbol.other & kEntryFlag) != 0;
}

// The first version of the ABI that CUDA 13 uses.
[[nodiscard]] inline bool is_of_cuda_13(const Elf64_Ehdr& header) {
  return header.e_ident[EI_ABIVERSION] >= 8;
}

// 90 for sm_90.
[[nodiscard]] inline int architecture_of(const Elf64_Ehdr& header) {
  return static_cast<int>(header.e_flags >> (is_of_cuda_13(header) ? 8 : 0) & 0xff);
}

}  // namespace warpgauge::machine_code
