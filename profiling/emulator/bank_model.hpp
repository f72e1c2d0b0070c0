// SPDX-License-Identifier: Apache-2.0
// Shared memory: how many wavefronts a request takes. Pure functions; knows nothing of kernels.
//
// 32 banks of 4 bytes. Lanes that want different words of one bank are served one after the other;
// lanes that want the same word share one access. Requests of 8 bytes a lane run in two phases of
// 16 lanes, of 16 bytes in four phases of 8. (CUDA C++ Programming Guide, "Shared Memory".)
#pragma once

#include <array>
#include <cstdint>

namespace warpgauge::emulator {

inline constexpr unsigned kWarpLanes = 32;
inline constexpr unsigned kBanks = 32;
inline constexpr unsigned kBankBytes = 4;

using LaneAddresses = std::array<std::uintptr_t, kWarpLanes>;

// addresses: bytes, of which only differences of multiples of 128 do not matter.
// lanes: a bit for each lane that takes part; the others' addresses are ignored.
// bytes: of one lane's access, 1, 2, 4, 8 or 16.
[[nodiscard]] unsigned load_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes,
                                       unsigned bytes);

// Atomic operations on the same word are served one after the other as well.
[[nodiscard]] unsigned atomic_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes,
                                         unsigned bytes);

// Without any conflict: one wavefront for each phase in which a lane takes part.
[[nodiscard]] unsigned ideal_wavefronts(std::uint32_t lanes, unsigned bytes);

}  // namespace warpgauge::emulator
