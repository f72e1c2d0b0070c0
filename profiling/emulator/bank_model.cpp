// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/bank_model.hpp"

#include <algorithm>
#include <bit>

namespace warpgauge::emulator {
namespace {

constexpr unsigned lanes_per_phase(unsigned bytes) {
  if (bytes <= 4) return 32;
  return bytes <= 8 ? 16 : 8;
}

template <class Phase>
unsigned sum_over_phases(std::uint32_t lanes, unsigned bytes, Phase&& wavefronts_of) {
  const unsigned width = lanes_per_phase(bytes);
  const std::uint32_t first = width == 32 ? ~0U : (1U << width) - 1;
  unsigned sum = 0;
  for (unsigned lane = 0; lane < kWarpLanes; lane += width) {
    const std::uint32_t phase = lanes & (first << lane);
    if (phase != 0) sum += wavefronts_of(phase);
  }
  return sum;
}

// Calls visit(word) for each word of each lane's access. An access that is not aligned to its
// size may touch one word more.
template <class Visit>
void for_each_word(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes,
                   Visit&& visit) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uintptr_t address = addresses[static_cast<unsigned>(std::countr_zero(left))];
    const std::uintptr_t last = (address + bytes - 1) / kBankBytes;
    for (std::uintptr_t word = address / kBankBytes; word <= last; ++word) visit(word);
  }
}

// True when no bank is asked for two different words; most requests end here.
bool free_of_conflicts(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  std::array<std::uintptr_t, kBanks> word_in_bank;
  std::uint32_t used = 0;
  bool free = true;
  for_each_word(addresses, lanes, bytes, [&](std::uintptr_t word) {
    const unsigned bank = word % kBanks;
    if ((used >> bank & 1U) == 0) {
      used |= 1U << bank;
      word_in_bank[bank] = word;
    } else if (word_in_bank[bank] != word) {
      free = false;
    }
  });
  return free;
}

unsigned most_words_in_a_bank(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  if (free_of_conflicts(addresses, lanes, bytes)) return 1;
  std::array<std::uintptr_t, std::size_t{2} * kWarpLanes> words;
  std::size_t count = 0;
  for_each_word(addresses, lanes, bytes, [&](std::uintptr_t word) { words[count++] = word; });
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<unsigned, kBanks> in_bank{};
  unsigned most = 0;
  for (auto word = words.begin(); word != end; ++word) {
    most = std::max(most, ++in_bank[*word % kBanks]);
  }
  return most;
}

unsigned most_accesses_to_a_bank(const LaneAddresses& addresses, std::uint32_t lanes,
                                 unsigned bytes) {
  std::array<unsigned, kBanks> in_bank{};
  unsigned most = 0;
  for_each_word(addresses, lanes, bytes,
                [&](std::uintptr_t word) { most = std::max(most, ++in_bank[word % kBanks]); });
  return most;
}

}  // namespace

unsigned load_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  return sum_over_phases(lanes, bytes, [&](std::uint32_t phase) {
    return most_words_in_a_bank(addresses, phase, bytes);
  });
}

unsigned atomic_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  return sum_over_phases(lanes, bytes, [&](std::uint32_t phase) {
    return most_accesses_to_a_bank(addresses, phase, bytes);
  });
}

unsigned ideal_wavefronts(std::uint32_t lanes, unsigned bytes) {
  return sum_over_phases(lanes, bytes, [](std::uint32_t) { return 1U; });
}

}  // namespace warpgauge::emulator
