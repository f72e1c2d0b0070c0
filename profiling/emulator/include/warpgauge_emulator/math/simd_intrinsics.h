// SPDX-License-Identifier: Apache-2.0
// Functions on the two half words or four bytes of a word, dot products, and the words of a double.
#pragma once

#include "../low_precision/narrow_float.h"

namespace warpgauge_emulator {

WARPGAUGE_OF_VALUES int between(int least, int x, int most) {
  return x < least ? least : x > most ? most : x;
}
WARPGAUGE_OF_VALUES int distance(int x, int y) { return x < y ? y - x : x - y; }

}  // namespace warpgauge_emulator

#define WARPGAUGE_SIMD(name, element, width, expression)                          \
  WARPGAUGE_OF_VALUES unsigned name(unsigned a, unsigned b) {                     \
    unsigned result = 0;                                                          \
    for (int i = 0; i < 32; i += width) {                                         \
      const int x = static_cast<element>(a >> i);                                 \
      const int y = static_cast<element>(b >> i);                                 \
      result |= (static_cast<unsigned>(expression) & (~0U >> (32 - width))) << i; \
    }                                                                             \
    return result;                                                                \
  }
#define WARPGAUGE_SIMD_UNARY(name, element, width, expression)                    \
  WARPGAUGE_OF_VALUES unsigned name(unsigned a) {                                 \
    unsigned result = 0;                                                          \
    for (int i = 0; i < 32; i += width) {                                         \
      const int x = static_cast<element>(a >> i);                                 \
      result |= (static_cast<unsigned>(expression) & (~0U >> (32 - width))) << i; \
    }                                                                             \
    return result;                                                                \
  }
#define WARPGAUGE_SIMD_SUM(name, element, width)                           \
  WARPGAUGE_OF_VALUES unsigned name(unsigned a, unsigned b) {              \
    int sum = 0;                                                           \
    for (int i = 0; i < 32; i += width) {                                  \
      sum += ::warpgauge_emulator::distance(static_cast<element>(a >> i),  \
                                            static_cast<element>(b >> i)); \
    }                                                                      \
    return static_cast<unsigned>(sum);                                     \
  }
#define WARPGAUGE_SIMD_SIGNED(name, expression)  \
  WARPGAUGE_SIMD(name##2, short, 16, expression) \
  WARPGAUGE_SIMD(name##4, signed char, 8, expression)
#define WARPGAUGE_SIMD_UNSIGNED(name, expression)         \
  WARPGAUGE_SIMD(name##2, unsigned short, 16, expression) \
  WARPGAUGE_SIMD(name##4, unsigned char, 8, expression)
// All bits, or the lowest, where it holds.
#define WARPGAUGE_SIMD_COMPARE(relation, sign)                    \
  WARPGAUGE_SIMD_SIGNED(__vcmp##relation##s, x sign y ? -1 : 0)   \
  WARPGAUGE_SIMD_UNSIGNED(__vcmp##relation##u, x sign y ? -1 : 0) \
  WARPGAUGE_SIMD_SIGNED(__vset##relation##s, x sign y ? 1 : 0)    \
  WARPGAUGE_SIMD_UNSIGNED(__vset##relation##u, x sign y ? 1 : 0)

WARPGAUGE_SIMD_UNSIGNED(__vadd, x + y)
WARPGAUGE_SIMD_UNSIGNED(__vsub, x - y)
WARPGAUGE_SIMD(__vaddss2, short, 16, ::warpgauge_emulator::between(-32768, x + y, 32767))
WARPGAUGE_SIMD(__vaddss4, signed char, 8, ::warpgauge_emulator::between(-128, x + y, 127))
WARPGAUGE_SIMD(__vsubss2, short, 16, ::warpgauge_emulator::between(-32768, x - y, 32767))
WARPGAUGE_SIMD(__vsubss4, signed char, 8, ::warpgauge_emulator::between(-128, x - y, 127))
WARPGAUGE_SIMD(__vaddus2, unsigned short, 16, ::warpgauge_emulator::between(0, x + y, 65535))
WARPGAUGE_SIMD(__vaddus4, unsigned char, 8, ::warpgauge_emulator::between(0, x + y, 255))
WARPGAUGE_SIMD_UNSIGNED(__vsubus, ::warpgauge_emulator::between(0, x - y, 65535))
WARPGAUGE_SIMD_SIGNED(__vabsdiffs, ::warpgauge_emulator::distance(x, y))
WARPGAUGE_SIMD_UNSIGNED(__vabsdiffu, ::warpgauge_emulator::distance(x, y))
// Rounded up from the half, but for negative sums (PTX ISA, "vavrg2").
WARPGAUGE_SIMD_SIGNED(__vavgs, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
WARPGAUGE_SIMD_UNSIGNED(__vavgu, (x + y + 1) >> 1)
WARPGAUGE_SIMD_UNSIGNED(__vhaddu, (x + y) >> 1)
WARPGAUGE_SIMD_SIGNED(__vmaxs, x < y ? y : x)
WARPGAUGE_SIMD_UNSIGNED(__vmaxu, x < y ? y : x)
WARPGAUGE_SIMD_SIGNED(__vmins, y < x ? y : x)
WARPGAUGE_SIMD_UNSIGNED(__vminu, y < x ? y : x)
WARPGAUGE_SIMD_UNSIGNED(__vcmpeq, x == y ? -1 : 0)
WARPGAUGE_SIMD_UNSIGNED(__vcmpne, x != y ? -1 : 0)
WARPGAUGE_SIMD_UNSIGNED(__vseteq, x == y ? 1 : 0)
WARPGAUGE_SIMD_UNSIGNED(__vsetne, x != y ? 1 : 0)
WARPGAUGE_SIMD_COMPARE(lt, <)
WARPGAUGE_SIMD_COMPARE(le, <=)
WARPGAUGE_SIMD_COMPARE(gt, >)
WARPGAUGE_SIMD_COMPARE(ge, >=)
WARPGAUGE_SIMD_UNARY(__vabs2, short, 16, x < 0 ? -x : x)
WARPGAUGE_SIMD_UNARY(__vabs4, signed char, 8, x < 0 ? -x : x)
WARPGAUGE_SIMD_UNARY(__vabsss2, short, 16, x == -32768 ? 32767 : x < 0 ? -x : x)
WARPGAUGE_SIMD_UNARY(__vabsss4, signed char, 8, x == -128 ? 127 : x < 0 ? -x : x)
WARPGAUGE_SIMD_UNARY(__vneg2, short, 16, -x)
WARPGAUGE_SIMD_UNARY(__vneg4, signed char, 8, -x)
WARPGAUGE_SIMD_UNARY(__vnegss2, short, 16, x == -32768 ? 32767 : -x)
WARPGAUGE_SIMD_UNARY(__vnegss4, signed char, 8, x == -128 ? 127 : -x)
WARPGAUGE_SIMD_SUM(__vsads2, short, 16)
WARPGAUGE_SIMD_SUM(__vsads4, signed char, 8)
WARPGAUGE_SIMD_SUM(__vsadu2, unsigned short, 16)
WARPGAUGE_SIMD_SUM(__vsadu4, unsigned char, 8)

#undef WARPGAUGE_SIMD
#undef WARPGAUGE_SIMD_UNARY
#undef WARPGAUGE_SIMD_SUM
#undef WARPGAUGE_SIMD_SIGNED
#undef WARPGAUGE_SIMD_UNSIGNED
#undef WARPGAUGE_SIMD_COMPARE

// The sum of the products of four bytes, or of two half words and two bytes, modulo 2^32.
#define WARPGAUGE_DOT(integer, byte, half_word)                                              \
  WARPGAUGE_OF_VALUES integer __dp4a(integer a, integer b, integer c) {                      \
    auto sum = static_cast<unsigned>(c);                                                     \
    for (int i = 0; i < 32; i += 8) {                                                        \
      sum += static_cast<unsigned>(static_cast<byte>(a >> i) * static_cast<byte>(b >> i));   \
    }                                                                                        \
    return static_cast<integer>(sum);                                                        \
  }                                                                                          \
  WARPGAUGE_OF_VALUES integer __dp2a_lo(integer a, integer b, integer c) {                   \
    return static_cast<integer>(                                                             \
        static_cast<unsigned>(c) +                                                           \
        static_cast<unsigned>(static_cast<half_word>(a) * static_cast<byte>(b)) +            \
        static_cast<unsigned>(static_cast<half_word>(a >> 16) * static_cast<byte>(b >> 8))); \
  }                                                                                          \
  WARPGAUGE_OF_VALUES integer __dp2a_hi(integer a, integer b, integer c) {                   \
    return __dp2a_lo(a, b >> 16, c);                                                         \
  }

WARPGAUGE_DOT(int, signed char, short)
WARPGAUGE_DOT(unsigned, unsigned char, unsigned short)

#undef WARPGAUGE_DOT

WARPGAUGE_OF_VALUES int __double2hiint(double x) {
  return static_cast<int>(::warpgauge_emulator::with_bits_of<std::uint64_t>(x) >> 32);
}
WARPGAUGE_OF_VALUES int __double2loint(double x) {
  return static_cast<int>(::warpgauge_emulator::with_bits_of<std::uint64_t>(x) & 0xffffffffU);
}
WARPGAUGE_OF_VALUES double __hiloint2double(int high, int low) {
  return ::warpgauge_emulator::with_bits_of<double>(
      std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}
