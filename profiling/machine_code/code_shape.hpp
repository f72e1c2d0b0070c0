// SPDX-License-Identifier: Apache-2.0
// A kernel's machine code in outline: how many instructions of each kind, and a hash that does not
// depend on registers, order and addresses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::machine_code {

// By kind: "load global 128", "multiply-add", "barrier", "unknown".
using InstructionMix = std::map<std::string, std::uint64_t>;

struct CodeShape {
  InstructionMix mix;  // without padding and what never runs
  // The same for code with the same instructions, each as often, the same constants and the same
  // references, but for the names of registers, their order and addresses. Empty: there is an
  // opcode that is not known.
  std::string hash;
};

// functions: the code of a kernel and of what it calls. surroundings: the constants and the names
// that the code refers to, which are no part of it.
[[nodiscard]] CodeShape code_shape(const std::vector<std::string_view>& functions, int architecture,
                                   std::string_view surroundings = {});

}  // namespace warpgauge::machine_code
