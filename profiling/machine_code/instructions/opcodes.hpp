// SPDX-License-Identifier: Apache-2.0
// What the opcodes of NVIDIA's machine code do, without a disassembler: enough to count kinds of
// instructions, and to tell code that differs in registers alone.
//
// Learned for sm_80, 86, 89 and 90 from what `cuobjdump -sass` of CUDA 13.0 says of nvcc's code, of
// Triton's and of the toolkit's libraries. Which bits name registers was found by flipping them and
// reading what `nvdisasm` makes of that.
#pragma once

#include <compare>
#include <cstdint>

namespace warpgauge::machine_code {

enum class OpcodeKind {
  memory,         // but for constants
  constant_load,  // from a bank of constants
  multiply_add,   // of floating point, in one instruction
  floating,       // other arithmetic of floating point
  tensor,
  integer,
  conversion,
  barrier,  // also waits for copies, and fences
  branch,   // also calls and returns
  other,
};

struct Opcode {
  std::uint64_t bits = 0;  // the lower 9 of the instruction
  const char* mnemonic = "";
  OpcodeKind kind = OpcodeKind::other;
};

// nullptr: unknown, for this architecture.
[[nodiscard]] const Opcode* find_opcode(std::uint64_t low, int architecture);

// An instruction's halves at the lower and the higher address.
struct Halves {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend auto operator<=>(const Halves&, const Halves&) = default;
};

// Without the names of general and uniform registers, where it is known which bits name them, the
// addresses that it branches to, and what schedules it. Zero registers stay, and so do predicates,
// constants and offsets.
[[nodiscard]] Halves without_names(Halves instruction, const Opcode& opcode);

}  // namespace warpgauge::machine_code
