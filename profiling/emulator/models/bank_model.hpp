// SPDX-License-Identifier: Apache-2.0
// Shared memory: how many wavefronts a request takes. Pure functions; knows nothing of kernels.
//
// 32 banks of 4 bytes. Lanes that want different words of one bank are served one after the other;
// lanes that want the same word share one access. Requests of 8 bytes a lane run in two phases of
// 16 lanes, of 16 bytes in four phases of 8 (CUDA C++ Programming Guide, "Shared Memory"); of
// loads, two such phases are one where lanes share addresses in pairs, and in a few more cases.
// tests/profiling/cupti/memory_model_test.cu compares each rule with a GPU's counters.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace warpgauge::emulator {

inline constexpr unsigned kWarpLanes = 32;
inline constexpr unsigned kBanks = 32;
inline constexpr unsigned kBankBytes = 4;

// Of a mask with a bit for each lane.
template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit&& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

// Nearly always all of them; without an instruction for it, counting bits is a call.
[[nodiscard]] inline unsigned count_lanes(std::uint32_t lanes) {
  return lanes == ~0U ? kWarpLanes : static_cast<unsigned>(std::popcount(lanes));
}

using LaneAddresses = std::array<std::uintptr_t, kWarpLanes>;
using LaneDigests = std::array<std::uint16_t, kWarpLanes>;  // of values; see trace.hpp

enum class Access {
  load,  // two phases are one where lanes share addresses with their neighbour, or with their next
         // but one
  store,
  matrix_load,  // of a row of 16 bytes, eight rows in a phase
  atomic        // operations on one bank are served one after the other, also those on one word
};

struct WavefrontCount {
  unsigned needed = 0;
  unsigned ideal = 0;  // without any conflict: one for each phase in which a lane takes part

  friend bool operator==(const WavefrontCount&, const WavefrontCount&) = default;
};

// addresses: in bytes; moving all of them by a multiple of 128 changes nothing.
// lanes: a bit for each lane that takes part; the others' addresses are ignored.
// bytes: of one lane's access, 1, 2, 4, 8 or 16.
[[nodiscard]] WavefrontCount count_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes,
                                              unsigned bytes, Access access);

}  // namespace warpgauge::emulator
