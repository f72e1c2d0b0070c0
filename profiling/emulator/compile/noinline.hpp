// SPDX-License-Identifier: Apache-2.0
// CUDA's qualifier __noinline__, which is also g++'s spelling of an attribute.
//
// The standard library of g++ 13 says __attribute__((__noinline__)), which a macro of that name
// would break, whatever the order of the includes. So the name stays one through the preprocessor.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::emulator {

// `preprocessed` with each __noinline__ that is not in an attribute's parentheses made an
// attribute.
[[nodiscard]] std::string rewrite_noinline(std::string_view preprocessed);

}  // namespace warpgauge::emulator
