// SPDX-License-Identifier: Apache-2.0
// CUDA's qualifiers where a macro (include/warpgauge_emulator/qualifiers.h) cannot say what they
// mean.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::emulator {

// `preprocessed`, with lines where they were:
// - __noinline__ is an attribute, but in an attribute's parentheses. It is g++'s spelling of one,
// too:
//   the standard library of g++ 13 says __attribute__((__noinline__)), which a macro would break
//   whatever the order of the includes, so the name stays one through the preprocessor;
// - `__shared__ alignas(16)` becomes attributes, between which C++ has no alignas;
// - a __constant__ that is also const goes to the program's own constants: one section cannot hold
//   what may and what may not be written.
[[nodiscard]] std::string rewrite_qualifiers(std::string_view preprocessed);

}  // namespace warpgauge::emulator
