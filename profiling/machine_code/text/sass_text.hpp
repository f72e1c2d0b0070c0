// SPDX-License-Identifier: Apache-2.0
// The text of machine code as `nvdisasm -c -g` of the CUDA toolkit writes it ("CUDA Binary
// Utilities", nvdisasm).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::machine_code {

struct SassInstruction {
  std::string text;   // "@P0 LDG.E.128 R4, [R2.64]"; a branch goes to "`(.L_x_3)"
  std::string place;  // the innermost source line, "kernels/copy.cuh:31"; empty: not known
};

// By the function's mangled name. Of one function that many instructions at most are kept.
using SassFunctions = std::map<std::string, std::vector<SassInstruction>>;
inline constexpr std::size_t kMostSassInstructions = 20'000;
inline constexpr std::size_t kLongestSassText = 200;  // what is longer is cut

// Lines of other kinds are left out.
[[nodiscard]] SassFunctions parse_sass(std::string_view text);

}  // namespace warpgauge::machine_code
