// SPDX-License-Identifier: Apache-2.0
// Which instructions of NVIDIA's machine code access memory, and how wide.
//
// NVIDIA documents no encoding. What is known here was found by compiling kernels of one known
// access each with nvcc 13.0 for sm_75, 80, 90, 100 and 120, which the tests do again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpgauge::machine_code {

// Each instruction is so long, and aligned to it.
inline constexpr std::uint64_t kInstructionBytes = 16;

enum class Operation {
  shared_load,    // LDS
  shared_store,   // STS
  shared_atomic,  // ATOMS
  shared_count,   // ATOMS.POPC.INC, which atomicAdd of 1 becomes: lanes at one word are added first
  shared_exchange,  // ATOMS.CAS, which compare-and-swap and its loops become
  matrix_load,      // LDSM: from shared memory
  matrix_store,     // STSM: to shared memory
  async_copy,       // LDGSTS: from global to shared memory
  global_load,      // LDG
  global_store,     // STG
  global_atomic,    // ATOMG, RED
  generic_load,     // LD: nvcc could not tell of what memory
  generic_store,    // ST
  generic_atomic,   // ATOM
};

// As an assembler writes it, "LDS".
[[nodiscard]] std::string to_string(Operation operation);

struct MemoryAccess {
  Operation operation = Operation::shared_load;
  int width_bytes = 0;  // a lane; 0: not known, as for atomics outside of shared memory

  friend bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

// Whether decode() knows the instructions of this architecture; 90 for sm_90.
[[nodiscard]] bool is_known_architecture(int architecture);

// The instruction's two halves, of lower and of higher address. Absent: it accesses none of these
// memories, or its predicate is constant and false. Local memory and constants are left out.
[[nodiscard]] std::optional<MemoryAccess> decode(std::uint64_t low, std::uint64_t high,
                                                 int architecture);

// An access to local memory: a thread's stack.
struct LocalAccess {
  bool is_store = false;
  int width_bytes = 0;
};

// Absent: it accesses no local memory by an address of that memory.
[[nodiscard]] std::optional<LocalAccess> decode_local(std::uint64_t low, std::uint64_t high);

// An instruction that does nothing, by its lower half.
[[nodiscard]] bool is_nop(std::uint64_t low);

}  // namespace warpgauge::machine_code
