// SPDX-License-Identifier: Apache-2.0
// What the compiler noted in a cubin of itself and of its options.
#pragma once

#include <string>

#include "profiling/machine_code/files/elf_image.hpp"

namespace warpgauge::machine_code {

// "ptxas 13.0.88"; empty: it is not noted.
[[nodiscard]] std::string compiler_of(const ElfImage& image);

// "a" where the compiler noted that this is for sm_90a, "f" for sm_100f. The header does not tell
// them from sm_90 and sm_100.
[[nodiscard]] std::string noted_variant(const ElfImage& image);

}  // namespace warpgauge::machine_code
