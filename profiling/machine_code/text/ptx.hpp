// SPDX-License-Identifier: Apache-2.0
// Identifies each kernel of a PTX module by a hash of its text and of all that it refers to.
// Grammar: PTX ISA, "Directives".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::machine_code {

struct PtxEntry {
  std::string name;  // demangled; empty: of all functions that other modules may call, together
  // 32 hexadecimal digits. Line numbers, comments, the other kernels of the module, names that the
  // compiler numbers ("$L__BB2_3") and what varies from build to build in mangled names (see
  // stable_symbol()) do not affect it; the PTX version and the target do.
  std::string hash;
};

// In the order of the text, that without a name last. Empty: it has neither, or its
// kernels share more than is read for each of them.
[[nodiscard]] std::vector<PtxEntry> ptx_entries(std::string_view text);

// "90a" of ".version 9.0 .target sm_90a", with which a PTX module begins. Empty: it is none.
[[nodiscard]] std::string ptx_target(std::string_view text);

// 32 hexadecimal digits over bytes that are compared as a whole.
[[nodiscard]] std::string hash_of_bytes(std::string_view bytes);

}  // namespace warpgauge::machine_code
