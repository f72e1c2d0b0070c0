// SPDX-License-Identifier: Apache-2.0
// Structs of 16 bytes among the types that a piece of code names: the sanitizer's instrumentation
// does not tell those whose alignment is 8, which a GPU accesses by two instructions.
#pragma once

#include <elfutils/libdw.h>

namespace warpgauge::emulator {

struct WideStructs {
  bool of_words = false;  // aligned to 8, behind a pointer or in an array
  bool vectors = false;   // aligned to 16, or other types of that size
};

// Of the parameters and variables of this function, inlined call or block, of what they point to,
// and of their members.
[[nodiscard]] WideStructs wide_structs_of(Dwarf_Die* scope);

}  // namespace warpgauge::emulator
