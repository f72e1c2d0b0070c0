// SPDX-License-Identifier: Apache-2.0
// Decodes the memory accesses of NVIDIA's machine code, with their widths.
//
// NVIDIA does not document the encoding. We found it by compiling kernels with one known access
// each with nvcc 13.0 for sm_75, 80, 90, 100 and 120; the tests repeat that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpgauge::machine_code {

// Size and alignment of each instruction.
inline constexpr std::uint64_t kInstructionBytes = 16;

enum class Operation {
  shared_load,      // LDS
  shared_store,     // STS
  shared_atomic,    // ATOMS
  shared_count,     // ATOMS.POPC.INC, from atomicAdd of 1: adds up the lanes of a word first
  shared_exchange,  // ATOMS.CAS, from compare-and-swap and its loops
  matrix_load,      // LDSM: from shared memory
  matrix_store,     // STSM: to shared memory
  async_copy,       // LDGSTS: from global to shared memory
  global_load,      // LDG
  global_store,     // STG
  global_atomic,    // ATOMG, RED
  generic_load,     // LD: nvcc did not know which memory
  generic_store,    // ST
  generic_atomic,   // ATOM
};

// The assembler's mnemonic, "LDS".
[[nodiscard]] std::string to_string(Operation operation);

struct MemoryAccess {
  Operation operation = Operation::shared_load;
  int width_bytes = 0;  // per lane; 0: unknown, as for atomics outside shared memory

  friend bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

// Whether decode() knows this architecture's instructions; 90 for sm_90.
[[nodiscard]] bool is_known_architecture(int architecture);

// Takes the instruction's halves at the lower and the higher address. Absent: it accesses neither
// shared nor global memory, or its predicate is always false. Local memory and constants do not
// count.
[[nodiscard]] std::optional<MemoryAccess> decode(std::uint64_t low, std::uint64_t high,
                                                 int architecture);

// An access to local memory: a thread's stack.
struct LocalAccess {
  bool is_store = false;
  int width_bytes = 0;
};

// Absent: it accesses no local memory, or by a generic address.
[[nodiscard]] std::optional<LocalAccess> decode_local(std::uint64_t low, std::uint64_t high);

// Whether its predicate is always false. nvcc puts three such LDS before each asynchronous copy.
[[nodiscard]] bool never_runs(std::uint64_t low);

// Whether the instruction with this lower half does nothing.
[[nodiscard]] bool is_nop(std::uint64_t low);

}  // namespace warpgauge::machine_code
