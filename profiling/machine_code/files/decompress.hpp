// SPDX-License-Identifier: Apache-2.0
// Decompresses what nvcc's fatbinary compressed.
#pragma once

#include <cstdint>
#include <string>

namespace warpgauge::machine_code {

enum class Compression { none, lz4, zstd };

// The most that is read of one image, and how many times its stored size it may have: libraries of
// the toolkit reach 134 MB and 90 times. What claims more is refused before room is made for it.
inline constexpr std::uint64_t kMostImageBytes = std::uint64_t{512} << 20;
inline constexpr std::uint64_t kMostTimesStored = 1'000;

// Throws std::runtime_error when an image of `stored` bytes that claims to become `size` is beyond
// these limits.
void require_plausible(std::uint64_t stored, std::uint64_t size);

// size: what becomes of it, as the file says. Throws std::runtime_error that says what is wrong.
[[nodiscard]] std::string decompressed(Compression compression, std::string stored,
                                       std::uint64_t size);

}  // namespace warpgauge::machine_code
