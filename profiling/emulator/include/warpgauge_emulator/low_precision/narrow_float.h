// SPDX-License-Identifier: Apache-2.0
// Floating point of 8 and 16 bits: values to and from bits, in any rounding. Knows no type of CUDA.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// A function of values only: records nothing.
#define WARPGAUGE_OF_VALUES \
  __attribute__((no_sanitize("thread"), no_sanitize("undefined"), no_sanitize_coverage)) inline

namespace warpgauge_emulator {

enum class Rounding { nearest, zero, down, up };

// IEEE 754's binary16.
struct HalfFormat {
  using Bits = unsigned short;
  static constexpr int kMantissaBits = 10;
  static constexpr int kMinExponent = -14;  // of normal numbers
  static constexpr unsigned kSign = 0x8000;
  static constexpr unsigned kLargest = 0x7bff;  // finite
  static constexpr unsigned kOverflow = 0x7c00;
  static constexpr unsigned kNan = 0x7fff;  // what arithmetic makes
};

struct Bfloat16Format {
  using Bits = unsigned short;
  static constexpr int kMantissaBits = 7;
  static constexpr int kMinExponent = -126;
  static constexpr unsigned kSign = 0x8000;
  static constexpr unsigned kLargest = 0x7f7f;
  static constexpr unsigned kOverflow = 0x7f80;
  static constexpr unsigned kNan = 0x7fff;
};

// Without infinities; only the largest code is NaN (Micikevicius et al., "FP8 formats for deep
// learning", 2022).
struct E4m3Format {
  using Bits = unsigned char;
  static constexpr int kMantissaBits = 3;
  static constexpr int kMinExponent = -6;
  static constexpr unsigned kSign = 0x80;
  static constexpr unsigned kLargest = 0x7e;
  static constexpr unsigned kOverflow = 0x7f;
  static constexpr unsigned kNan = 0x7f;
};

struct E5m2Format {
  using Bits = unsigned char;
  static constexpr int kMantissaBits = 2;
  static constexpr int kMinExponent = -14;
  static constexpr unsigned kSign = 0x80;
  static constexpr unsigned kLargest = 0x7b;
  static constexpr unsigned kOverflow = 0x7c;
  static constexpr unsigned kNan = 0x7f;
};

template <class To, class From>
WARPGAUGE_OF_VALUES To with_bits_of(From value) {
  static_assert(sizeof(To) == sizeof(From), "the same bits are as many");
  To result;
  __builtin_memcpy(static_cast<void*>(&result), &value, sizeof result);
  return result;
}

// What is beyond the largest finite value, by the rounding.
template <class Format>
WARPGAUGE_OF_VALUES unsigned overflow(Rounding rounding, bool negative) {
  const bool stays = rounding == Rounding::zero || (rounding == Rounding::down && !negative) ||
                     (rounding == Rounding::up && negative);
  return stays ? Format::kLargest : Format::kOverflow;
}

// The bits of the value, rounded once.
template <class Format>
WARPGAUGE_OF_VALUES typename Format::Bits encode(double value,
                                                 Rounding rounding = Rounding::nearest) {
  if (value != value) return static_cast<typename Format::Bits>(Format::kNan);
  const auto bits = with_bits_of<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const int stored = static_cast<int>(bits >> 52 & 0x7ffU);
  std::uint64_t significand = bits & 0xfffffffffffffU;
  if (stored > 0) significand |= std::uint64_t{1} << 52;
  const int exponent = (stored > 0 ? stored : 1) - 1023;
  const int below = exponent < Format::kMinExponent ? Format::kMinExponent - exponent : 0;
  const int wanted = 52 - Format::kMantissaBits + below;
  const int shift = wanted < 60 ? wanted : 60;

  std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool away = rounding == Rounding::nearest
                        ? rest > half || (rest == half && (kept & 1U) != 0)
                        : rest != 0 && ((rounding == Rounding::up && !negative) ||
                                        (rounding == Rounding::down && negative));
  if (away) ++kept;
  // The leading one of a normal number counts as one step of the exponent.
  const std::uint64_t steps = static_cast<std::uint64_t>(exponent + below - Format::kMinExponent);
  const std::uint64_t code = (steps << Format::kMantissaBits) + kept;
  const unsigned magnitude = code > Format::kLargest
                                 ? (stored == 0x7ff ? static_cast<unsigned>(Format::kOverflow)
                                                    : overflow<Format>(rounding, negative))
                                 : static_cast<unsigned>(code);
  return static_cast<typename Format::Bits>(magnitude | (negative ? Format::kSign : 0U));
}

// As encode, but no finite value and no infinity overflows.
template <class Format>
WARPGAUGE_OF_VALUES typename Format::Bits encode_saturated(double value) {
  const unsigned code = encode<Format>(value);
  if (value != value || (code & ~Format::kSign) <= Format::kLargest) {
    return static_cast<typename Format::Bits>(code);
  }
  return static_cast<typename Format::Bits>(Format::kLargest | (code & Format::kSign));
}

// Exact. NaNs keep their payload.
template <class Format>
WARPGAUGE_OF_VALUES float decode(typename Format::Bits code) {
  const unsigned magnitude = code & ~Format::kSign;
  const std::uint32_t sign = (code & Format::kSign) != 0 ? 0x80000000U : 0U;
  const std::uint32_t mantissa = magnitude & ((1U << Format::kMantissaBits) - 1U);
  const std::uint32_t exponent = magnitude >> Format::kMantissaBits;
  if (magnitude > Format::kLargest) {
    const bool infinite = magnitude == Format::kOverflow && Format::kOverflow != Format::kNan;
    return with_bits_of<float>(sign | 0x7f800000U |
                               (infinite ? 0U : mantissa << (23 - Format::kMantissaBits)));
  }
  constexpr auto kMinStored = static_cast<std::uint32_t>(Format::kMinExponent + 127);
  if (exponent > 0) {
    return with_bits_of<float>(sign | (exponent - 1 + kMinStored) << 23 |
                               mantissa << (23 - Format::kMantissaBits));
  }
  const double step = with_bits_of<double>(
      static_cast<std::uint64_t>(Format::kMinExponent - Format::kMantissaBits + 1023) << 52);
  return with_bits_of<float>(with_bits_of<std::uint32_t>(static_cast<float>(mantissa * step)) |
                             sign);
}

// Toward zero, as tensor cores round.
WARPGAUGE_OF_VALUES float truncated(double value) {
  const auto nearest = static_cast<float>(value);
  const bool beyond = nearest > 0 ? nearest > value : nearest < value;
  if (!beyond || std::isinf(value)) return nearest;
  return with_bits_of<float>(with_bits_of<std::uint32_t>(nearest) - 1U);
}

// An integer of 64 bits, whose lowest bits become one that says whether there were any: a double
// that rounds to fewer bits as the integer does.
WARPGAUGE_OF_VALUES double rounded_to_odd(unsigned long long magnitude) {
  if (magnitude >> 53 == 0) return static_cast<double>(magnitude);
  const unsigned long long dropped = magnitude & 0x7ffU;
  return static_cast<double>((magnitude - dropped) | (dropped != 0 ? 0x800U : 0U));
}

template <class Integer>
WARPGAUGE_OF_VALUES double integer_to_odd(Integer value) {
  if (value >= 0) return rounded_to_odd(static_cast<unsigned long long>(value));
  return -rounded_to_odd(0ULL - static_cast<unsigned long long>(value));
}

// x * y + z, where x * y is exact; rounded so that a second rounding to fewer bits is right.
WARPGAUGE_OF_VALUES double fused_to_odd(double x, double y, double z) {
  const double product = x * y;
  const double sum = product + z;
  const double of_z = sum - product;
  const double error = (product - (sum - of_z)) + (z - of_z);
  if (!(error != 0) || std::isinf(sum)) return sum;  // exact, or no number
  const auto bits = with_bits_of<std::uint64_t>(sum);
  if ((bits & 1U) != 0) return sum;
  const bool outward = (error > 0) == (sum > 0);
  return with_bits_of<double>(outward ? bits + 1 : bits - 1);
}

}  // namespace warpgauge_emulator
