// SPDX-License-Identifier: Apache-2.0
// What a lane did between two synchronisations, in its own order.
#pragma once

#include <cstdint>

#include "profiling/emulator/include/warpgauge_emulator/abi.h"

namespace warpgauge::emulator {

using warpgauge_emulator::AccessKind;

enum class RecordKind : std::uint8_t { load, store, atomic, block_entry };

[[nodiscard]] constexpr RecordKind record_kind(AccessKind kind) {
  return static_cast<RecordKind>(kind);
}

// One access, or the entry of a basic block, by one lane. 16 bytes: there are many.
struct Record {
  std::uintptr_t address = 0;
  std::uint32_t pc = 0;  // of the instruction after the access, relative to the program's text
  std::uint8_t bytes = 0;
  RecordKind kind = RecordKind::load;
  std::uint16_t depth = 0;  // of the call, in units of 16 bytes of stack
};

}  // namespace warpgauge::emulator
