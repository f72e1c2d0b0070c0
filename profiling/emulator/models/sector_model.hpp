// SPDX-License-Identifier: Apache-2.0
// Global memory: how many sectors of 32 bytes a request moves. Pure functions.
#pragma once

#include <cstdint>

#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

inline constexpr unsigned kSectorBytes = 32;

struct SectorCount {
  unsigned touched = 0;
  unsigned ideal = 0;  // sectors that the requested bytes would fill if they were contiguous

  friend bool operator==(const SectorCount&, const SectorCount&) = default;
};

// addresses: bytes. lanes: a bit for each lane that takes part. bytes: of one lane's access, 1 to
// 16. Bytes that several lanes request are moved once.
[[nodiscard]] SectorCount count_sectors(const LaneAddresses& addresses, std::uint32_t lanes,
                                        unsigned bytes);

}  // namespace warpgauge::emulator
