// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/models/bank_model.hpp"

#include <algorithm>
#include <bit>

namespace warpgauge::emulator {
namespace {

constexpr std::uint32_t kLowerHalf = 0xffff;

// Each active lane's neighbour, `distance` lanes away, is active at the same address, or not
// active.
bool paired(const LaneAddresses& addresses, std::uint32_t lanes, unsigned distance) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned other = lane ^ distance;
    if ((lanes >> other & 1U) != 0 && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

// No lane is active without its neighbour.
bool whole_pairs(std::uint32_t lanes, unsigned distance) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if ((lanes >> (lane ^ distance) & 1U) == 0) return false;
  }
  return true;
}

bool all_the_same(const LaneAddresses& addresses, std::uint32_t lanes) {
  const std::uintptr_t first = addresses[static_cast<unsigned>(std::countr_zero(lanes))];
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    if (addresses[static_cast<unsigned>(std::countr_zero(left))] != first) return false;
  }
  return true;
}

// Whether a load's two phases `both` may be one, if no bank is asked for two words. What 16-byte
// loads do with lanes that are missing in the lower half depends on lane 31, and is as measured.
bool may_be_one(const LaneAddresses& addresses, std::uint32_t both, std::uint32_t lanes,
                unsigned bytes) {
  const bool lower = bytes == 16 && (both & kLowerHalf) != 0;
  if (lower && (lanes >> (kWarpLanes - 1)) == 0) return true;
  for (const unsigned distance : {1U, 2U}) {
    if (paired(addresses, both, distance) && (!lower || whole_pairs(both, distance))) return true;
  }
  return false;
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

// The lanes that are served together, a phase each; a phase without lanes is 0.
std::array<std::uint32_t, 4> phases(const LaneAddresses& addresses, std::uint32_t lanes,
                                    unsigned bytes, Access access) {
  if (bytes <= 4) return {lanes};
  std::array<std::uint32_t, 4> phases{};
  const unsigned width = bytes <= 8 ? 16 : 8;
  for (unsigned phase = 0; phase * width < kWarpLanes; ++phase) {
    phases[phase] = lanes & (((1U << width) - 1) << phase * width);
  }
  if (access != Access::load) return phases;
  if (bytes == 16 && lanes != 0 && all_the_same(addresses, lanes)) {
    if (std::popcount(lanes) <= 16) return {lanes};
    return {lanes & kLowerHalf, lanes & ~kLowerHalf};
  }
  for (std::size_t phase = 0; phase < phases.size(); phase += 2) {
    const std::uint32_t both = phases[phase] | phases[phase + 1];
    if (may_be_one(addresses, both, lanes, bytes) && free_of_conflicts(addresses, both, bytes)) {
      phases[phase] = both;
      phases[phase + 1] = 0;
    }
  }
  return phases;
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

WavefrontCount count_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes,
                                Access access) {
  WavefrontCount count;
  for (const std::uint32_t phase : phases(addresses, lanes, bytes, access)) {
    if (phase == 0) continue;
    count.needed += access == Access::atomic ? most_accesses_to_a_bank(addresses, phase, bytes)
                                             : most_words_in_a_bank(addresses, phase, bytes);
    ++count.ideal;
  }
  return count;
}

}  // namespace warpgauge::emulator
