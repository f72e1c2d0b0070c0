// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/instructions/instruction.hpp"

#include <array>

namespace warpgauge::machine_code {
namespace {

// Bits 0 to 8: the opcode. Bits 9 to 11 encode the kinds of operands.
constexpr std::uint64_t kOpcodeMask = 0x1ff;

// ATOMS.POPC.INC, from sm_80 on: ATOMS with operands of a kind of its own.
constexpr std::uint64_t kSharedCount = 0xf8c;
constexpr std::uint64_t kOpcodeAndOperandsMask = 0xfff;

// From sm_100 on there are loads and stores of 256 bits, with opcodes of their own, and LDGSTS has
// its width elsewhere.
constexpr int kFirstWithWideAccesses = 100;
constexpr std::uint64_t kWideLoad = 0x17e;
constexpr std::uint64_t kWideStore = 0x17f;

// Bits 12 to 15: the predicate (7 means "always") and its negation.
constexpr std::uint64_t kNever = 0xf;

bool is_wide(std::uint64_t low, int architecture) {
  const std::uint64_t opcode = low & kOpcodeMask;
  return architecture >= kFirstWithWideAccesses && (opcode == kWideLoad || opcode == kWideStore);
}

std::optional<Operation> operation_of(std::uint64_t low, int architecture) {
  if ((low & kOpcodeAndOperandsMask) == kSharedCount) return Operation::shared_count;
  if (is_wide(low, architecture)) {
    return (low & kOpcodeMask) == kWideLoad ? Operation::global_load : Operation::global_store;
  }
  switch (low & kOpcodeMask) {
    case 0x184:
      return Operation::shared_load;
    case 0x188:
      return Operation::shared_store;
    case 0x18c:
      return Operation::shared_atomic;
    case 0x18d:
      return Operation::shared_exchange;
    case 0x03b:
      return Operation::matrix_load;
    case 0x044:
      return Operation::matrix_store;
    case 0x1ae:
      return Operation::async_copy;
    case 0x181:
      return Operation::global_load;
    case 0x186:
      return Operation::global_store;
    case 0x18e:  // RED
    case 0x1a3:  // ATOMG of floating point, from sm_90 on
    case 0x1a6:  // RED of floating point, from sm_90 on
    case 0x1a8:  // ATOMG
    case 0x1a9:  // ATOMG.CAS
      return Operation::global_atomic;
    case 0x180:
      return Operation::generic_load;
    case 0x185:
      return Operation::generic_store;
    case 0x18a:
    case 0x18b:  // ATOM.CAS
      return Operation::generic_atomic;
    default:
      return std::nullopt;
  }
}

// Bits 73 to 75 of loads and stores: 8 bits unsigned and signed, 16 bits, 32, 64, 128, and 128 once
// more.
int width_of_load_or_store(std::uint64_t size) {
  constexpr std::array<int, 8> kBytes{1, 1, 2, 2, 4, 8, 16, 16};
  return kBytes[size];
}

// The same bits for atomics on shared memory: 32 bits unsigned and signed, 64.
int width_of_atomic(std::uint64_t type) {
  if (type <= 1) return 4;
  return type == 2 ? 8 : 0;
}

// Bits 72 and 73: the number of matrices (8 rows of 16 bytes); each gives a lane 4 bytes.
int width_of_matrices(std::uint64_t high) { return 4 << (high >> 8 & 3); }

// 32, 64 or 128 bits.
int width_of_copy(std::uint64_t high, int architecture) {
  if (architecture < kFirstWithWideAccesses) return width_of_load_or_store(high >> 9 & 7);
  return 4 << (high >> 10 & 3);
}

int width_of(Operation operation, std::uint64_t high, int architecture) {
  const std::uint64_t size = high >> 9 & 7;
  switch (operation) {
    case Operation::shared_atomic:
    case Operation::shared_count:
    case Operation::shared_exchange:
      return width_of_atomic(size);
    case Operation::matrix_load:
    case Operation::matrix_store:
      return width_of_matrices(high);
    case Operation::async_copy:
      return width_of_copy(high, architecture);
    case Operation::global_atomic:
    case Operation::generic_atomic:
      return 0;
    default:
      return width_of_load_or_store(size);
  }
}

}  // namespace

std::string to_string(Operation operation) {
  switch (operation) {
    case Operation::shared_load:
      return "LDS";
    case Operation::shared_store:
      return "STS";
    case Operation::shared_atomic:
      return "ATOMS";
    case Operation::shared_count:
      return "ATOMS.POPC.INC";
    case Operation::shared_exchange:
      return "ATOMS.CAS";
    case Operation::matrix_load:
      return "LDSM";
    case Operation::matrix_store:
      return "STSM";
    case Operation::async_copy:
      return "LDGSTS";
    case Operation::global_load:
      return "LDG";
    case Operation::global_store:
      return "STG";
    case Operation::global_atomic:
      return "ATOMG";
    case Operation::generic_load:
      return "LD";
    case Operation::generic_store:
      return "ST";
    case Operation::generic_atomic:
      return "ATOM";
  }
  return "?";
}

bool is_known_architecture(int architecture) { return architecture >= 70 && architecture <= 121; }

bool never_runs(std::uint64_t low) { return (low >> 12 & 0xf) == kNever; }

std::optional<MemoryAccess> decode(std::uint64_t low, std::uint64_t high, int architecture) {
  if (never_runs(low)) return std::nullopt;
  const auto operation = operation_of(low, architecture);
  if (!operation) return std::nullopt;
  if (is_wide(low, architecture)) return MemoryAccess{*operation, 32};
  return MemoryAccess{*operation, width_of(*operation, high, architecture)};
}

std::optional<LocalAccess> decode_local(std::uint64_t low, std::uint64_t high) {
  constexpr std::uint64_t kLoad = 0x183;
  constexpr std::uint64_t kStore = 0x187;
  const std::uint64_t opcode = low & kOpcodeMask;
  if (opcode != kLoad && opcode != kStore) return std::nullopt;
  return LocalAccess{opcode == kStore, width_of_load_or_store(high >> 9 & 7)};
}

bool is_nop(std::uint64_t low) { return (low & kOpcodeMask) == 0x118; }

}  // namespace warpgauge::machine_code
