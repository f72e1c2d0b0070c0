// SPDX-License-Identifier: Apache-2.0
// A lane's accesses and other events between two synchronisations, in program order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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
  block_fence,   // the same as a fence, for threads of the block
  matrix_load,   // of ldmatrix: each lane's row in a phase of eight
  block_atomic,  // an atomic to threads of the block alone
  // Not an access: of a barrier of some threads. The address holds the number of what it told.
  phase_over,
  // Nor this: an arrival at one that is put off. The address holds its number.
  arrival,
  // Atomics that are a loop in shared memory.
  looping_atomic,
  looping_block_atomic,
  table_load,  // of a function's coefficients
  // Of 16 bytes, whose alignment is not known.
  wide_load,
  wide_store,
};

[[nodiscard]] constexpr bool is_atomic(RecordKind kind) {
  return kind == RecordKind::atomic || kind == RecordKind::block_atomic ||
         kind == RecordKind::looping_atomic || kind == RecordKind::looping_block_atomic;
}

[[nodiscard]] constexpr bool is_volatile(RecordKind kind) {
  return kind == RecordKind::volatile_load || kind == RecordKind::volatile_store;
}

[[nodiscard]] constexpr RecordKind record_kind(AccessKind kind) {
  switch (kind) {
    case AccessKind::matrix_load:
      return RecordKind::matrix_load;
    case AccessKind::table_load:
      return RecordKind::table_load;
    case AccessKind::block_atomic:
      return RecordKind::block_atomic;
    case AccessKind::looping_atomic:
      return RecordKind::looping_atomic;
    case AccessKind::looping_block_atomic:
      return RecordKind::looping_block_atomic;
    default:
      return static_cast<RecordKind>(kind);
  }
}

// Set in any digest that is known.
inline constexpr std::uint16_t kKnownDigest = 0x8000;

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

// The address of a record of a plain store has a digest of what was stored above it, once that is
// known: addresses of programs have 47 bits.
inline constexpr unsigned kDigestShift = 48;

[[nodiscard]] constexpr bool is_plain_store(RecordKind kind) {
  return kind == RecordKind::store || kind == RecordKind::volatile_store ||
         kind == RecordKind::wide_store;
}
[[nodiscard]] constexpr std::uintptr_t address_of(const Record& record) {
  return is_plain_store(record.kind) ? record.address & ((std::uintptr_t{1} << kDigestShift) - 1)
                                     : record.address;
}
// 0: not known, so different from any other.
[[nodiscard]] constexpr std::uint16_t digest_of(const Record& record) {
  return is_plain_store(record.kind) ? static_cast<std::uint16_t>(record.address >> kDigestShift)
                                     : std::uint16_t{0};
}

// Never 0. Values of one size that differ in 14 bits or fewer have different digests; of others one
// pair in 16384 has the same.
[[nodiscard]] constexpr std::uint16_t digest(std::uint64_t value, std::uint64_t more,
                                             unsigned bytes) {
  std::uint64_t mixed = value & 0x3fffU;
  mixed += (value >> 14) * 0x9e3779b97f4a7c15ULL >> 50;
  mixed += (more + (more >> 14) * 0xc2b2ae3d27d4eb4fULL) * 0x2545f4914f6cdd1dULL >> 50;
  return static_cast<std::uint16_t>(kKnownDigest |
                                    ((mixed + std::uint64_t{bytes} * 0x111U) & 0x3fffU));
}

// Adds to the record of a store what memory holds now.
template <class Word>
void read_back_as(Record& record) {
  Word value;
  std::memcpy(&value, reinterpret_cast<const void*>(record.address), sizeof value);
  record.address |= std::uintptr_t{digest(value, 0, sizeof value)} << kDigestShift;
}
inline void read_back(Record& record) {
  std::array<std::uint64_t, 2> value{};
  switch (record.bytes) {
    case 1:
      return read_back_as<std::uint8_t>(record);
    case 2:
      return read_back_as<std::uint16_t>(record);
    case 4:
      return read_back_as<std::uint32_t>(record);
    case 8:
      return read_back_as<std::uint64_t>(record);
    case 16:
      std::memcpy(value.data(), reinterpret_cast<const void*>(record.address), sizeof value);
      record.address |= std::uintptr_t{digest(value[0], value[1], 16)} << kDigestShift;
      return;
    default:
      return;
  }
}

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
