// SPDX-License-Identifier: Apache-2.0
// Tracks which bytes of an allocation have been written: a byte of state per word of 4 bytes, with
// a bit for each byte. Threads that run blocks share it without locks, because bits are only ever
// set.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpgauge::emulator::written_bytes {

inline constexpr std::uint8_t kWhole = 0xf;

[[nodiscard]] constexpr std::size_t states(std::size_t bytes) { return (bytes + 3) / 4; }

// The bits of bytes [begin, end) of a word.
[[nodiscard]] constexpr std::uint8_t bits_of(std::size_t begin, std::size_t end) {
  return static_cast<std::uint8_t>((1U << end) - (1U << begin));
}

// Calls visit(state, bits) for each word that holds some of the bytes, while it returns true.
template <class Visit>
inline bool for_each_word(std::uint8_t* states, std::size_t offset, std::size_t bytes,
                          Visit&& visit) {
  const std::size_t end = offset + bytes;
  for (std::size_t word = offset / 4; word * 4 < end; ++word) {
    const std::size_t first = std::max(offset, word * 4) - word * 4;
    const std::uint8_t bits = bits_of(first, std::min<std::size_t>(end - word * 4, 4));
    if (!visit(std::atomic_ref(states[word]), bits)) return false;
  }
  return true;
}

inline void mark(std::uint8_t* states, std::size_t offset, std::size_t bytes) {
  for_each_word(states, offset, bytes, [](std::atomic_ref<std::uint8_t> state, std::uint8_t bits) {
    if (bits == kWhole) {
      state.store(kWhole, std::memory_order_relaxed);
    } else {
      state.fetch_or(bits, std::memory_order_relaxed);
    }
    return true;
  });
}

[[nodiscard]] inline bool all(std::uint8_t* states, std::size_t offset, std::size_t bytes) {
  return for_each_word(states, offset, bytes,
                       [](std::atomic_ref<std::uint8_t> state, std::uint8_t bits) {
                         return (state.load(std::memory_order_relaxed) & bits) == bits;
                       });
}

// How many states, from the first on, mark a completely written word.
[[nodiscard]] inline std::size_t count_whole(const std::uint8_t* states, std::size_t count) {
  constexpr std::uint64_t kEightWhole = 0x0f0f0f0f0f0f0f0f;
  std::size_t whole = 0;
  for (std::uint64_t eight = 0; whole + 8 <= count; whole += 8) {
    std::memcpy(&eight, states + whole, sizeof eight);
    if (eight != kEightWhole) break;
  }
  while (whole < count && states[whole] == kWhole) ++whole;
  return whole;
}

}  // namespace warpgauge::emulator::written_bytes
