// SPDX-License-Identifier: Apache-2.0
// Reproducible random input, the same with every compiler, on host and device. Each element can be
// computed on its own, so a reference needs no copy of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#ifdef __CUDACC__
#define WARPGAUGE_HOST_DEVICE __host__ __device__
#else
#define WARPGAUGE_HOST_DEVICE
#endif

namespace warpgauge {

// One seed for all inputs, so that counters stay exact for kernels whose path depends on data.
inline constexpr std::uint64_t kInputSeed = 20261121;

// SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
[[nodiscard]] WARPGAUGE_HOST_DEVICE constexpr std::uint64_t split_mix(std::uint64_t state) {
  std::uint64_t z = state + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Element `index` of a sequence. Floating point: uniform over [0, 1), with T's full resolution.
// Bytes and unsigned integers: uniform over all values. Other integers: uniform over [-8192, 8192),
// so that an int holds the sum of 2^31 elements (except with probability 10^-20).
template <class T>
[[nodiscard]] WARPGAUGE_HOST_DEVICE constexpr T random_element(std::size_t index,
                                                               std::uint64_t seed = kInputSeed) {
  const std::uint64_t bits = split_mix(seed ^ (0x9e3779b97f4a7c15 * index));
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<T>(bits >> 40) * 0x1p-24F;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(bits >> 11) * static_cast<T>(0x1p-53);
  } else if constexpr (std::is_signed_v<T> && sizeof(T) > 1) {
    return static_cast<T>(static_cast<std::int64_t>(bits >> 50) - 8192);
  } else {
    return static_cast<T>(bits >> 32);
  }
}

// Odd whole numbers, uniform over (-magnitude, magnitude), with mean 0; `magnitude` must be even.
// Their sums are exact in any order as long as all partial sums fit T: they stay below about
// 5 · magnitude · √count.
template <class T>
[[nodiscard]] WARPGAUGE_HOST_DEVICE constexpr T random_whole_number(std::size_t index,
                                                                    std::int64_t magnitude,
                                                                    std::uint64_t seed) {
  const std::uint64_t bits = split_mix(seed ^ (0x9e3779b97f4a7c15 * index)) >> 16;
  return static_cast<T>(2 * static_cast<std::int64_t>(bits % magnitude) - (magnitude - 1));
}

template <class T>
[[nodiscard]] std::vector<T> random_elements(std::size_t count, std::uint64_t seed = kInputSeed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = random_element<T>(i, seed);
  return values;
}

}  // namespace warpgauge
