// SPDX-License-Identifier: Apache-2.0
// Functions for dynamic programming (DPX): the largest and smallest of sums and of three, of words
// and of both half words of a word; with _relu never below 0. Sums wrap around.
#pragma once

#include "../low_precision/narrow_float.h"

namespace warpgauge_emulator {

template <class T>
WARPGAUGE_OF_VALUES T larger(T x, T y) {
  return x < y ? y : x;
}
template <class T>
WARPGAUGE_OF_VALUES T smaller(T x, T y) {
  return y < x ? y : x;
}
template <class T>
WARPGAUGE_OF_VALUES T wrapped_sum(T x, T y) {
  return static_cast<T>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
}

template <class T>
WARPGAUGE_OF_VALUES T largest_of(T x, T y, T z) {
  return larger(larger(x, y), z);
}
template <class T>
WARPGAUGE_OF_VALUES T smallest_of(T x, T y, T z) {
  return smaller(smaller(x, y), z);
}
template <class T>
WARPGAUGE_OF_VALUES T larger_than_sum(T x, T y, T z) {
  return larger(wrapped_sum(x, y), z);
}
template <class T>
WARPGAUGE_OF_VALUES T smaller_than_sum(T x, T y, T z) {
  return smaller(wrapped_sum(x, y), z);
}
template <class T, T (*Function)(T, T, T)>
WARPGAUGE_OF_VALUES T not_below_zero(T x, T y, T z) {
  return larger(Function(x, y, z), T{0});
}

template <class T, T (*Function)(T, T, T)>
WARPGAUGE_OF_VALUES unsigned of_half_words(unsigned x, unsigned y, unsigned z) {
  const auto low = static_cast<unsigned short>(
      Function(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z)));
  const auto high = static_cast<unsigned short>(
      Function(static_cast<T>(x >> 16), static_cast<T>(y >> 16), static_cast<T>(z >> 16)));
  return static_cast<unsigned>(high) << 16 | low;
}

// `chosen` is whether x is, also where both are equal.
template <class T>
WARPGAUGE_OF_VALUES T chosen_larger(T x, T y, bool* chosen) {
  *chosen = x >= y;
  return larger(x, y);
}
template <class T>
WARPGAUGE_OF_VALUES T chosen_smaller(T x, T y, bool* chosen) {
  *chosen = x <= y;
  return smaller(x, y);
}
template <class T, T (*Function)(T, T, bool*)>
WARPGAUGE_OF_VALUES unsigned chosen_half_words(unsigned x, unsigned y, bool* high, bool* low) {
  const auto of_low =
      static_cast<unsigned short>(Function(static_cast<T>(x), static_cast<T>(y), low));
  const auto of_high =
      static_cast<unsigned short>(Function(static_cast<T>(x >> 16), static_cast<T>(y >> 16), high));
  return static_cast<unsigned>(of_high) << 16 | of_low;
}

}  // namespace warpgauge_emulator

#define WARPGAUGE_DPX_WORD(name, word, function) \
  WARPGAUGE_OF_VALUES word name(word x, word y, word z) { return function(x, y, z); }
#define WARPGAUGE_DPX_HALVES(name, ...)                                   \
  WARPGAUGE_OF_VALUES unsigned name(unsigned x, unsigned y, unsigned z) { \
    return ::warpgauge_emulator::of_half_words<__VA_ARGS__>(x, y, z);     \
  }
#define WARPGAUGE_DPX(name, function)                                          \
  WARPGAUGE_DPX_WORD(name##_s32, int, function<int>)                           \
  WARPGAUGE_DPX_WORD(name##_u32, unsigned, function<unsigned>)                 \
  WARPGAUGE_DPX_HALVES(name##_s16x2, short, function<short>)                   \
  WARPGAUGE_DPX_HALVES(name##_u16x2, unsigned short, function<unsigned short>) \
  WARPGAUGE_OF_VALUES int name##_s32_relu(int x, int y, int z) {               \
    return ::warpgauge_emulator::not_below_zero<int, function<int>>(x, y, z);  \
  }                                                                            \
  WARPGAUGE_DPX_HALVES(name##_s16x2_relu, short,                               \
                       ::warpgauge_emulator::not_below_zero<short, function<short>>)

WARPGAUGE_DPX(__vimax3, ::warpgauge_emulator::largest_of)
WARPGAUGE_DPX(__vimin3, ::warpgauge_emulator::smallest_of)
WARPGAUGE_DPX(__viaddmax, ::warpgauge_emulator::larger_than_sum)
WARPGAUGE_DPX(__viaddmin, ::warpgauge_emulator::smaller_than_sum)

#undef WARPGAUGE_DPX_WORD
#undef WARPGAUGE_DPX_HALVES
#undef WARPGAUGE_DPX

WARPGAUGE_OF_VALUES int __vimax_s32_relu(int x, int y) { return __vimax3_s32_relu(x, y, y); }
WARPGAUGE_OF_VALUES int __vimin_s32_relu(int x, int y) { return __vimin3_s32_relu(x, y, y); }
WARPGAUGE_OF_VALUES unsigned __vimax_s16x2_relu(unsigned x, unsigned y) {
  return __vimax3_s16x2_relu(x, y, y);
}
WARPGAUGE_OF_VALUES unsigned __vimin_s16x2_relu(unsigned x, unsigned y) {
  return __vimin3_s16x2_relu(x, y, y);
}

#define WARPGAUGE_DPX_CHOICE(name, function)                                                  \
  WARPGAUGE_OF_VALUES int name##_s32(int x, int y, bool* chosen) {                            \
    return function(x, y, chosen);                                                            \
  }                                                                                           \
  WARPGAUGE_OF_VALUES unsigned name##_u32(unsigned x, unsigned y, bool* chosen) {             \
    return function(x, y, chosen);                                                            \
  }                                                                                           \
  WARPGAUGE_OF_VALUES unsigned name##_s16x2(unsigned x, unsigned y, bool* high, bool* low) {  \
    return ::warpgauge_emulator::chosen_half_words<short, function<short>>(x, y, high, low);  \
  }                                                                                           \
  WARPGAUGE_OF_VALUES unsigned name##_u16x2(unsigned x, unsigned y, bool* high, bool* low) {  \
    return ::warpgauge_emulator::chosen_half_words<unsigned short, function<unsigned short>>( \
        x, y, high, low);                                                                     \
  }

WARPGAUGE_DPX_CHOICE(__vibmax, ::warpgauge_emulator::chosen_larger)
WARPGAUGE_DPX_CHOICE(__vibmin, ::warpgauge_emulator::chosen_smaller)

#undef WARPGAUGE_DPX_CHOICE
