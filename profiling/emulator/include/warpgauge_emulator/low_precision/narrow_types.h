// SPDX-License-Identifier: Apache-2.0
// The class of a number of 16 bits and that of a pair of them, for half and bfloat16.
//
// Members are inlined, so that an access to memory is one of the line that calls them.
#pragma once

#include <type_traits>

#include "../abi.h"
#include "narrow_float.h"

#define WARPGAUGE_INLINED __attribute__((always_inline)) inline

#define WARPGAUGE_NARROW_TO(type)                                                  \
  WARPGAUGE_INLINED operator type() const {                                        \
    return static_cast<type>(                                                      \
        ::warpgauge_emulator::saturated_integer<type>(static_cast<float>(*this))); \
  }

// As on the device: towards zero, into the range of the target, NaN to 0.
namespace warpgauge_emulator {

template <class Integer>
WARPGAUGE_OF_VALUES Integer saturated_integer(double whole) {
  constexpr int kDigits =
      static_cast<int>(sizeof(Integer) * 8) - (std::is_signed_v<Integer> ? 1 : 0);
  constexpr Integer kLargest = static_cast<Integer>(~0ULL >> (64 - kDigits));
  constexpr Integer kSmallest =
      std::is_signed_v<Integer> ? static_cast<Integer>(~kLargest) : Integer{0};
  if (whole != whole) return 0;
  if (whole >= std::ldexp(1.0, kDigits)) return kLargest;
  if (whole <= static_cast<double>(kSmallest)) return kSmallest;
  return static_cast<Integer>(whole);
}

}  // namespace warpgauge_emulator

#define WARPGAUGE_NARROW(number, number_raw, pair, pair_raw, format)                               \
  struct number_raw {                                                                              \
    unsigned short x;                                                                              \
  };                                                                                               \
  struct pair_raw {                                                                                \
    unsigned short x, y;                                                                           \
  };                                                                                               \
  struct number {                                                                                  \
    using Format = ::warpgauge_emulator::format;                                                   \
    number() = default;                                                                            \
    WARPGAUGE_INLINED constexpr number(number_raw raw) : bits_(raw.x) {}                           \
    WARPGAUGE_INLINED number(float value) : bits_(::warpgauge_emulator::encode<Format>(value)) {}  \
    WARPGAUGE_INLINED number(double value) : bits_(::warpgauge_emulator::encode<Format>(value)) {} \
    template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, bool> = true>           \
    WARPGAUGE_INLINED number(Integer value)                                                        \
        : bits_(                                                                                   \
              ::warpgauge_emulator::encode<Format>(::warpgauge_emulator::integer_to_odd(value))) { \
    }                                                                                              \
    WARPGAUGE_INLINED operator float() const {                                                     \
      return ::warpgauge_emulator::decode<Format>(bits_);                                          \
    }                                                                                              \
    WARPGAUGE_INLINED operator number_raw() const { return {bits_}; }                              \
    WARPGAUGE_INLINED operator bool() const { return (bits_ & 0x7fffU) != 0; }                     \
    WARPGAUGE_NARROW_TO(char)                                                                      \
    WARPGAUGE_NARROW_TO(signed char)                                                               \
    WARPGAUGE_NARROW_TO(unsigned char)                                                             \
    WARPGAUGE_NARROW_TO(short)                                                                     \
    WARPGAUGE_NARROW_TO(unsigned short)                                                            \
    WARPGAUGE_NARROW_TO(int)                                                                       \
    WARPGAUGE_NARROW_TO(unsigned)                                                                  \
    WARPGAUGE_NARROW_TO(long)                                                                      \
    WARPGAUGE_NARROW_TO(unsigned long)                                                             \
    WARPGAUGE_NARROW_TO(long long)                                                                 \
    WARPGAUGE_NARROW_TO(unsigned long long)                                                        \
                                                                                                   \
    /* For the emulator's own headers, as is the next. */                                          \
    WARPGAUGE_INLINED unsigned short warpgauge_bits() const { return bits_; }                      \
    WARPGAUGE_INLINED static constexpr number warpgauge_of(unsigned bits) {                        \
      return number_raw{static_cast<unsigned short>(bits)};                                        \
    }                                                                                              \
                                                                                                   \
   private:                                                                                        \
    unsigned short bits_;                                                                          \
  };                                                                                               \
  struct alignas(4) pair {                                                                         \
    number x, y;                                                                                   \
    using Whole = unsigned __attribute__((may_alias));                                             \
    pair() = default;                                                                              \
    pair(const pair&) = default;                                                                   \
    WARPGAUGE_INLINED constexpr pair(const number& x_, const number& y_) : x(x_), y(y_) {}         \
    WARPGAUGE_INLINED constexpr pair(pair_raw raw) : x(number_raw{raw.x}), y(number_raw{raw.y}) {} \
    WARPGAUGE_INLINED operator pair_raw() const {                                                  \
      return ::warpgauge_emulator::with_bits_of<pair_raw>(warpgauge_bits());                       \
    }                                                                                              \
    WARPGAUGE_INLINED pair& operator=(const pair& other) {                                         \
      *reinterpret_cast<Whole*>(this) = *reinterpret_cast<const Whole*>(&other);                   \
      return *this;                                                                                \
    }                                                                                              \
                                                                                                   \
    /* One access, not one a member. */                                                            \
    WARPGAUGE_INLINED unsigned warpgauge_bits() const {                                            \
      return *reinterpret_cast<const Whole*>(this);                                                \
    }                                                                                              \
    WARPGAUGE_INLINED static constexpr pair warpgauge_of(unsigned bits) {                          \
      return pair(number::warpgauge_of(bits & 0xffffU), number::warpgauge_of(bits >> 16));         \
    }                                                                                              \
  };
