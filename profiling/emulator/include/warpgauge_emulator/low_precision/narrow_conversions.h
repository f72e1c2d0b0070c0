// SPDX-License-Identifier: Apache-2.0
// Conversions of half and bfloat16, and what makes and takes apart pairs, by their CUDA names.
#pragma once

#include "../vector_types.h"
#include "narrow_types.h"

#define WARPGAUGE_NARROW_FROM(name, number, number_raw, format, source, rounding)           \
  WARPGAUGE_OF_VALUES number name(source value) {                                           \
    return number_raw{::warpgauge_emulator::encode<::warpgauge_emulator::format>(           \
        ::warpgauge_emulator::as_double(value), ::warpgauge_emulator::Rounding::rounding)}; \
  }
#define WARPGAUGE_NARROW_FROM_ALL(name, number, number_raw, format, source)     \
  WARPGAUGE_NARROW_FROM(name##_rn, number, number_raw, format, source, nearest) \
  WARPGAUGE_NARROW_FROM(name##_rz, number, number_raw, format, source, zero)    \
  WARPGAUGE_NARROW_FROM(name##_rd, number, number_raw, format, source, down)    \
  WARPGAUGE_NARROW_FROM(name##_ru, number, number_raw, format, source, up)

#define WARPGAUGE_NARROW_TO_INTEGER(name, number, integer)                                      \
  WARPGAUGE_INLINED integer name##_rn(const number& x) {                                        \
    return ::warpgauge_emulator::saturated_integer<integer>(                                    \
        std::nearbyint(static_cast<float>(x)));                                                 \
  }                                                                                             \
  WARPGAUGE_INLINED integer name##_rz(const number& x) {                                        \
    return ::warpgauge_emulator::saturated_integer<integer>(static_cast<float>(x));             \
  }                                                                                             \
  WARPGAUGE_INLINED integer name##_rd(const number& x) {                                        \
    return ::warpgauge_emulator::saturated_integer<integer>(std::floor(static_cast<float>(x))); \
  }                                                                                             \
  WARPGAUGE_INLINED integer name##_ru(const number& x) {                                        \
    return ::warpgauge_emulator::saturated_integer<integer>(std::ceil(static_cast<float>(x)));  \
  }

namespace warpgauge_emulator {

WARPGAUGE_OF_VALUES double as_double(float value) { return value; }
WARPGAUGE_OF_VALUES double as_double(double value) { return value; }
template <class Integer>
WARPGAUGE_OF_VALUES double as_double(Integer value) {
  return integer_to_odd(value);
}

}  // namespace warpgauge_emulator

// word: "half" or "bfloat16" in the names of functions.
#define WARPGAUGE_NARROW_INTEGERS(number, number_raw, format, word, key, integer)  \
  WARPGAUGE_NARROW_FROM_ALL(__##key##2##word, number, number_raw, format, integer) \
  WARPGAUGE_NARROW_TO_INTEGER(__##word##2##key, number, integer)

#define WARPGAUGE_NARROW_CONVERSIONS(number, number_raw, format, word)                            \
  WARPGAUGE_NARROW_FROM(__float2##word, number, number_raw, format, float, nearest)               \
  WARPGAUGE_NARROW_FROM_ALL(__float2##word, number, number_raw, format, float)                    \
  WARPGAUGE_NARROW_FROM(__double2##word, number, number_raw, format, double, nearest)             \
  WARPGAUGE_INLINED float __##word##2float(const number& x) { return static_cast<float>(x); }     \
  WARPGAUGE_NARROW_INTEGERS(number, number_raw, format, word, int, int)                           \
  WARPGAUGE_NARROW_INTEGERS(number, number_raw, format, word, uint, unsigned)                     \
  WARPGAUGE_NARROW_INTEGERS(number, number_raw, format, word, short, short)                       \
  WARPGAUGE_NARROW_INTEGERS(number, number_raw, format, word, ushort, unsigned short)             \
  WARPGAUGE_NARROW_INTEGERS(number, number_raw, format, word, ll, long long)                      \
  WARPGAUGE_NARROW_INTEGERS(number, number_raw, format, word, ull, unsigned long long)            \
  WARPGAUGE_INLINED signed char __##word##2char_rz(const number& x) {                             \
    return ::warpgauge_emulator::saturated_integer<signed char>(static_cast<float>(x));           \
  }                                                                                               \
  WARPGAUGE_INLINED unsigned char __##word##2uchar_rz(const number& x) {                          \
    return ::warpgauge_emulator::saturated_integer<unsigned char>(static_cast<float>(x));         \
  }                                                                                               \
  WARPGAUGE_INLINED unsigned short __##word##_as_ushort(const number& x) {                        \
    return static_cast<number_raw>(x).x;                                                          \
  }                                                                                               \
  WARPGAUGE_INLINED short __##word##_as_short(const number& x) {                                  \
    return static_cast<short>(static_cast<number_raw>(x).x);                                      \
  }                                                                                               \
  WARPGAUGE_OF_VALUES number __ushort_as_##word(unsigned short bits) { return number_raw{bits}; } \
  WARPGAUGE_OF_VALUES number __short_as_##word(short bits) {                                      \
    return number_raw{static_cast<unsigned short>(bits)};                                         \
  }

// pair_word: "half2" or "bfloat162".
#define WARPGAUGE_NARROW_PAIRS(number, pair, word, pair_word)                                   \
  WARPGAUGE_OF_VALUES pair __floats2##pair_word##_rn(float x, float y) {                        \
    return {number(x), number(y)};                                                              \
  }                                                                                             \
  WARPGAUGE_OF_VALUES pair __float2##pair_word##_rn(float x) { return {number(x), number(x)}; } \
  WARPGAUGE_INLINED pair __float22##pair_word##_rn(const float2& v) {                           \
    const float2 whole = v;                                                                     \
    return {number(whole.x), number(whole.y)};                                                  \
  }                                                                                             \
  WARPGAUGE_INLINED number __low2##word(const pair& v) {                                        \
    return number::warpgauge_of(v.warpgauge_bits() & 0xffffU);                                  \
  }                                                                                             \
  WARPGAUGE_INLINED number __high2##word(const pair& v) {                                       \
    return number::warpgauge_of(v.warpgauge_bits() >> 16);                                      \
  }                                                                                             \
  WARPGAUGE_INLINED float __low2float(const pair& v) {                                          \
    return static_cast<float>(__low2##word(v));                                                 \
  }                                                                                             \
  WARPGAUGE_INLINED float __high2float(const pair& v) {                                         \
    return static_cast<float>(__high2##word(v));                                                \
  }                                                                                             \
  WARPGAUGE_INLINED float2 __##pair_word##2float2(const pair& v) {                              \
    const unsigned bits = v.warpgauge_bits();                                                   \
    return {static_cast<float>(number::warpgauge_of(bits & 0xffffU)),                           \
            static_cast<float>(number::warpgauge_of(bits >> 16))};                              \
  }                                                                                             \
  WARPGAUGE_INLINED pair __##word##2##pair_word(const number& x) {                              \
    return pair::warpgauge_of(x.warpgauge_bits() * 0x10001U);                                   \
  }                                                                                             \
  WARPGAUGE_INLINED pair __low2##pair_word(const pair& v) {                                     \
    return pair::warpgauge_of((v.warpgauge_bits() & 0xffffU) * 0x10001U);                       \
  }                                                                                             \
  WARPGAUGE_INLINED pair __high2##pair_word(const pair& v) {                                    \
    return pair::warpgauge_of((v.warpgauge_bits() >> 16) * 0x10001U);                           \
  }                                                                                             \
  WARPGAUGE_INLINED pair __lows2##pair_word(const pair& v, const pair& w) {                     \
    return pair::warpgauge_of((v.warpgauge_bits() & 0xffffU) | w.warpgauge_bits() << 16);       \
  }                                                                                             \
  WARPGAUGE_INLINED pair __highs2##pair_word(const pair& v, const pair& w) {                    \
    return pair::warpgauge_of(v.warpgauge_bits() >> 16 | (w.warpgauge_bits() & 0xffff0000U));   \
  }                                                                                             \
  WARPGAUGE_INLINED pair __lowhigh2highlow(const pair& v) {                                     \
    const unsigned bits = v.warpgauge_bits();                                                   \
    return pair::warpgauge_of(bits >> 16 | bits << 16);                                         \
  }                                                                                             \
  WARPGAUGE_INLINED pair make_##pair_word(const number& x, const number& y) { return {x, y}; }  \
  WARPGAUGE_INLINED pair __halves2##pair_word(const number& x, const number& y) { return {x, y}; }
