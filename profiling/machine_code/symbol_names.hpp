// SPDX-License-Identifier: Apache-2.0
// Names of functions as both compilers and every build folder have them.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::machine_code {

// A mangled name without what nvcc puts into it of the path of the file and of the process that
// compiled it, for anonymous namespaces and for what is static in code that is to be linked, and
// without the number of a copy that was made for one caller ("$1").
[[nodiscard]] std::string stable_symbol(std::string_view symbol);

// What a kernel is called by people and by both compilers: its demangled symbol, in which every
// anonymous namespace has the same name. What is no mangled symbol stays as it is.
[[nodiscard]] std::string demangled(std::string_view symbol);

}  // namespace warpgauge::machine_code
