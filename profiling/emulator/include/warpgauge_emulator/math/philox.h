// SPDX-License-Identifier: Apache-2.0
// Random words by their place in a sequence: Philox4x32-10 of Salmon, Moraes, Dror and Shaw,
// "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011); and what is made of them.
#pragma once

#include <cmath>
#include <cstdint>

namespace warpgauge_emulator {

struct RandomWords {
  std::uint32_t x, y, z, w;
};

inline RandomWords philox(RandomWords counter, std::uint64_t key) {
  auto low = static_cast<std::uint32_t>(key);
  auto high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53U} * counter.x;
    const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * counter.z;
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter.y ^ low,
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter.w ^ high,
               static_cast<std::uint32_t>(first)};
    low += 0x9E3779B9U;
    high += 0xBB67AE85U;
  }
  return counter;
}

// The word at a place of a sequence of 2^66 words; a seed has 2^64 sequences.
inline std::uint32_t random_word(std::uint64_t seed, std::uint64_t sequence, std::uint64_t place) {
  const std::uint64_t four = place / 4;
  const RandomWords words =
      philox({static_cast<std::uint32_t>(four), static_cast<std::uint32_t>(four >> 32),
              static_cast<std::uint32_t>(sequence), static_cast<std::uint32_t>(sequence >> 32)},
             seed);
  switch (place % 4) {
    case 0:
      return words.x;
    case 1:
      return words.y;
    case 2:
      return words.z;
    default:
      return words.w;
  }
}

// In (0, 1], evenly.
inline float uniform_of(std::uint32_t word) {
  return (static_cast<float>(word >> 8) + 1.0F) * 0x1p-24F;
}
inline double uniform_of(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return (static_cast<double>(both >> 11) + 1.0) * 0x1p-53;
}

// Two of the standard normal distribution (Box and Muller, 1958).
template <class Real>
struct NormalPair {
  Real first, second;
};
template <class Real>
NormalPair<Real> normal_of(Real uniform, Real turn) {
  const Real radius = std::sqrt(Real{-2} * std::log(uniform));
  const Real angle = Real(6.283185307179586476925) * turn;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Of the Poisson distribution, from uniform numbers: Knuth's product, in parts that do not
// underflow. It takes some `mean` of them.
template <class Uniform>
std::uint32_t poisson_of(double mean, Uniform uniform) {
  std::uint32_t found = 0;
  for (double part = 0; mean > 0; mean -= part) {
    part = mean < 30 ? mean : 30;
    const double least = std::exp(-part);
    for (double product = uniform(); product > least; product *= uniform()) ++found;
  }
  return found;
}

}  // namespace warpgauge_emulator
