// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory, as its shadows see them.
#pragma once

#include <cstdint>

#include "profiling/emulator/execution/lanes/trace.hpp"
#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

// A warp's accesses by one instruction.
struct WarpAccess {
  std::uint32_t block = 0;
  std::uint32_t first_thread = 0;   // of the warp
  std::uint32_t grid_barriers = 0;  // that the block has passed
  std::uint32_t pc = 0;
  unsigned bytes = 0;
  RecordKind kind = RecordKind::load;  // load, store or atomic
  bool is_volatile = false;
  bool block_scope = false;  // of an atomic: it is one to threads of the block alone
  std::uint32_t lanes = 0;
  bool side_by_side = false;  // the lanes are neighbours, and so are the bytes they access
  const LaneDigests* digests = nullptr;  // of a plain store; null: the values are not known

  // Whether it does not race with others of its kind by other blocks, and may order them.
  [[nodiscard]] bool is_strong() const {
    return (kind == RecordKind::atomic && !block_scope) || is_volatile;
  }
  [[nodiscard]] std::uint16_t digest(unsigned lane) const {
    return digests == nullptr ? std::uint16_t{0} : (*digests)[lane];
  }
};

// One thread's access.
struct GlobalAccess {
  std::uint32_t block = 0;
  std::uint32_t pc = 0;
  std::uint16_t thread = 0;  // within the block
  bool writes = false;
};

// Two unordered accesses to the same memory.
struct GlobalHazard {
  GlobalAccess first;
  GlobalAccess second;
  std::uintptr_t address = 0;
  bool same_value = false;  // both write, and all writes there that are known wrote one value
};

}  // namespace warpgauge::emulator
