// SPDX-License-Identifier: Apache-2.0
// How long the text of a mangled name becomes, before anyone writes it: each reference to an
// earlier part may double it, so that 300 bytes become gigabytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpgauge::machine_code {

// At least as many bytes as the demangled name has, in one pass over the symbol; far more than
// kLongestName counts as so many only. Absent: the symbol has a part that is not understood here.
// counts_nameless: whether references count lambdas and types without a name as parts, in which
// demanglers differ.
//
// Source: Itanium C++ ABI, "Mangling"; parts are numbered as libiberty's cp-demangle.c does.
[[nodiscard]] std::optional<std::uint64_t> longest_demangled(std::string_view symbol,
                                                             bool counts_nameless);

}  // namespace warpgauge::machine_code
