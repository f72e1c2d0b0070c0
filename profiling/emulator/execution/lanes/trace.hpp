// SPDX-License-Identifier: Apache-2.0
// A lane's accesses and other events between two synchronisations, in program order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "profiling/emulator/include/warpgauge_emulator/abi.h"

namespace warpgauge::emulator {

using warpgauge_emulator::AccessKind;

enum class RecordKind : std::uint8_t {
  load,
  store,
  atomic,
  block_entry,
  // Not accesses, but operations on asynchronous copies:
  async_copy,    // to the address; its load and its store have their own records
  async_commit,  // of the copies since the last commit
  async_wait,    // for all committed batches except the newest; the address holds their number
  // Not an access either: the block's next publication includes everything before the fence.
  fence,
  // Accesses that the compiler must keep, by which blocks wait for each other.
  volatile_load,
  volatile_store,
};

[[nodiscard]] constexpr bool is_volatile(RecordKind kind) {
  return kind == RecordKind::volatile_load || kind == RecordKind::volatile_store;
}

[[nodiscard]] constexpr RecordKind record_kind(AccessKind kind) {
  return static_cast<RecordKind>(kind);
}

// Unit of call depths, in bytes of stack.
inline constexpr std::size_t kStackUnit = 16;

// One access, or the entry of a basic block, or the like, by one lane. 16 bytes: there are many.
struct Record {
  std::uintptr_t address = 0;
  std::uint32_t pc = 0;  // of the instruction after the access, relative to the program's text
  std::uint8_t bytes = 0;
  RecordKind kind = RecordKind::load;
  std::uint16_t depth = 0;  // of the call, in units of kStackUnit
};

// A record without its address.
[[nodiscard]] inline std::uint64_t operation_of(const Record& record) {
  return std::bit_cast<std::array<std::uint64_t, 2>>(record)[1];
}

// depth: in bytes. In two words, because many are made.
[[nodiscard, gnu::always_inline]] inline Record make_record(std::uintptr_t address,
                                                            std::uint32_t pc, std::size_t bytes,
                                                            RecordKind kind, std::uintptr_t depth) {
  static_assert(std::endian::native == std::endian::little && sizeof(Record) == 16);
  const std::uint64_t units = depth / kStackUnit;
  return std::bit_cast<Record>(std::array<std::uint64_t, 2>{
      address,
      pc | std::uint64_t{bytes} << 32 | static_cast<std::uint64_t>(kind) << 40 | units << 48});
}

}  // namespace warpgauge::emulator
