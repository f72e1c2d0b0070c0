// SPDX-License-Identifier: Apache-2.0
// Reproducible random input, the same on every compiler and device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgauge {

// One seed for all inputs: counters of kernels whose path depends on data stay exact.
inline constexpr std::uint64_t kInputSeed = 20261121;

// SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
[[nodiscard]] constexpr std::uint64_t split_mix(std::uint64_t state) {
  std::uint64_t z = state + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Element `index` of a sequence uniform over [low, high), a multiple of (high - low) / 2^24.
[[nodiscard]] constexpr float random_value(std::size_t index, float low = 0.0F, float high = 1.0F,
                                           std::uint64_t seed = kInputSeed) {
  constexpr float kSteps = 1 << 24;
  const std::uint64_t bits = split_mix(seed ^ (0x9e3779b97f4a7c15 * index)) >> 40;
  return low + (high - low) * (static_cast<float>(bits) / kSteps);
}

[[nodiscard]] inline std::vector<float> random_values(std::size_t count, float low = 0.0F,
                                                      float high = 1.0F,
                                                      std::uint64_t seed = kInputSeed) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = random_value(i, low, high, seed);
  return values;
}

}  // namespace warpgauge
