// SPDX-License-Identifier: Apache-2.0
// What a lane did between two synchronisations, in its own order.
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
  // No accesses, but what is done with asynchronous copies:
  async_copy,    // to the address; its load and its store have records of their own
  async_commit,  // of the copies since the last one
  async_wait,    // for all committed batches but the last ones, as many as the address says
  // No access either: what the block did is published with what it publishes next.
  fence,
  // Accesses that the compiler may not leave out, by which blocks wait for each other.
  volatile_load,
  volatile_store,
};

[[nodiscard]] constexpr bool is_volatile(RecordKind kind) {
  return kind == RecordKind::volatile_load || kind == RecordKind::volatile_store;
}

[[nodiscard]] constexpr RecordKind record_kind(AccessKind kind) {
  return static_cast<RecordKind>(kind);
}

// Depths of calls are counted in so many bytes of stack.
inline constexpr std::size_t kStackUnit = 16;

// One access, or the entry of a basic block, or the like, by one lane. 16 bytes: there are many.
struct Record {
  std::uintptr_t address = 0;
  std::uint32_t pc = 0;  // of the instruction after the access, relative to the program's text
  std::uint8_t bytes = 0;
  RecordKind kind = RecordKind::load;
  std::uint16_t depth = 0;  // of the call, in units of kStackUnit
};

// All of a record but its address.
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
