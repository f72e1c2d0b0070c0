// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons of half and bfloat16, and of pairs of them. Each operation rounds
// once: it is computed exactly, or in double, which is wide enough that the second rounding is
// harmless (Figueroa, "When is double rounding innocuous?", 1995).
//
// Operands come by reference to what is inlined, and go on by value: so the line that calls reads
// them, a pair at once.
#pragma once

#include "narrow_types.h"

namespace warpgauge_emulator {

WARPGAUGE_OF_VALUES double clamped(double x) { return x >= 0 ? (x < 1 ? x : 1.0) : 0.0; }

// NaN only where both are; -0 is less than 0.
WARPGAUGE_OF_VALUES double greater_number(double x, double y) {
  if (x != x) return y;
  if (y != y || x > y) return x;
  return x == y && !std::signbit(x) ? x : y;
}
WARPGAUGE_OF_VALUES double lesser_number(double x, double y) {
  if (x != x) return y;
  if (y != y || x < y) return x;
  return x == y && std::signbit(x) ? x : y;
}

}  // namespace warpgauge_emulator

#define WARPGAUGE_NARROW_BINARY(name, number, pair, pair_name, expression)                         \
  WARPGAUGE_OF_VALUES unsigned warpgauge_##number##name(unsigned a, unsigned b) {                  \
    using Bits = unsigned short;                                                                   \
    const double x = ::warpgauge_emulator::decode<number::Format>(static_cast<Bits>(a));           \
    const double y = ::warpgauge_emulator::decode<number::Format>(static_cast<Bits>(b));           \
    return ::warpgauge_emulator::encode<number::Format>(expression);                               \
  }                                                                                                \
  WARPGAUGE_INLINED number name(const number& a, const number& b) {                                \
    return number::warpgauge_of(warpgauge_##number##name(a.warpgauge_bits(), b.warpgauge_bits())); \
  }                                                                                                \
  WARPGAUGE_INLINED pair pair_name(const pair& a, const pair& b) {                                 \
    const unsigned x = a.warpgauge_bits();                                                         \
    const unsigned y = b.warpgauge_bits();                                                         \
    return pair::warpgauge_of(warpgauge_##number##name(x, y) |                                     \
                              warpgauge_##number##name(x >> 16, y >> 16) << 16);                   \
  }
#define WARPGAUGE_NARROW_OPERATION(name, number, pair, expression)                   \
  WARPGAUGE_NARROW_BINARY(__h##name, number, pair, __h##name##2, expression)         \
  WARPGAUGE_NARROW_BINARY(__h##name##_rn, number, pair, __h##name##2_rn, expression) \
  WARPGAUGE_NARROW_BINARY(__h##name##_sat, number, pair, __h##name##2_sat,           \
                          ::warpgauge_emulator::clamped(expression))

#define WARPGAUGE_NARROW_FUSED(suffix, number, pair, expression)                                  \
  WARPGAUGE_OF_VALUES unsigned warpgauge_##number##_fma##suffix(unsigned a, unsigned b,           \
                                                                unsigned c) {                     \
    using Bits = unsigned short;                                                                  \
    const double result = ::warpgauge_emulator::fused_to_odd(                                     \
        ::warpgauge_emulator::decode<number::Format>(static_cast<Bits>(a)),                       \
        ::warpgauge_emulator::decode<number::Format>(static_cast<Bits>(b)),                       \
        ::warpgauge_emulator::decode<number::Format>(static_cast<Bits>(c)));                      \
    return ::warpgauge_emulator::encode<number::Format>(expression);                              \
  }                                                                                               \
  WARPGAUGE_INLINED number __hfma##suffix(const number& a, const number& b, const number& c) {    \
    return number::warpgauge_of(warpgauge_##number##_fma##suffix(                                 \
        a.warpgauge_bits(), b.warpgauge_bits(), c.warpgauge_bits()));                             \
  }                                                                                               \
  WARPGAUGE_INLINED pair __hfma2##suffix(const pair& a, const pair& b, const pair& c) {           \
    const unsigned x = a.warpgauge_bits();                                                        \
    const unsigned y = b.warpgauge_bits();                                                        \
    const unsigned z = c.warpgauge_bits();                                                        \
    return pair::warpgauge_of(warpgauge_##number##_fma##suffix(x, y, z) |                         \
                              warpgauge_##number##_fma##suffix(x >> 16, y >> 16, z >> 16) << 16); \
  }

// One and zero for true and false. Without branches, which would end up in the kernel.
#define WARPGAUGE_NARROW_COMPARE(name, number, pair, ordered) \
  WARPGAUGE_NARROW_COMPARE_AS(name, number, pair, ordered)    \
  WARPGAUGE_NARROW_COMPARE_AS(name##u, number, pair, (x != x) | (y != y) | (ordered))
#define WARPGAUGE_NARROW_COMPARE_AS(name, number, pair, expression)                         \
  WARPGAUGE_OF_VALUES bool warpgauge_##number##_##name(unsigned a, unsigned b) {            \
    using Bits = unsigned short;                                                            \
    const float x = ::warpgauge_emulator::decode<number::Format>(static_cast<Bits>(a));     \
    const float y = ::warpgauge_emulator::decode<number::Format>(static_cast<Bits>(b));     \
    return expression;                                                                      \
  }                                                                                         \
  WARPGAUGE_OF_VALUES unsigned warpgauge_##number##_##name##_mask(unsigned a, unsigned b) { \
    return (warpgauge_##number##_##name(a, b) ? 0xffffU : 0U) |                             \
           (warpgauge_##number##_##name(a >> 16, b >> 16) ? 0xffff0000U : 0U);              \
  }                                                                                         \
  WARPGAUGE_INLINED bool __h##name(const number& a, const number& b) {                      \
    return warpgauge_##number##_##name(a.warpgauge_bits(), b.warpgauge_bits());             \
  }                                                                                         \
  WARPGAUGE_INLINED unsigned __h##name##2_mask(const pair& a, const pair& b) {              \
    return warpgauge_##number##_##name##_mask(a.warpgauge_bits(), b.warpgauge_bits());      \
  }                                                                                         \
  WARPGAUGE_INLINED bool __hb##name##2(const pair& a, const pair& b) {                      \
    return __h##name##2_mask(a, b) == 0xffffffffU;                                          \
  }                                                                                         \
  WARPGAUGE_INLINED pair __h##name##2(const pair& a, const pair& b) {                       \
    const unsigned one = number(1.0F).warpgauge_bits();                                     \
    return pair::warpgauge_of(__h##name##2_mask(a, b) & (one | one << 16));                 \
  }

#define WARPGAUGE_NARROW_SIGN(name, number, pair, operation, mask)              \
  WARPGAUGE_INLINED number name(const number& a) {                              \
    return number::warpgauge_of((a.warpgauge_bits() operation mask) & 0xffffU); \
  }                                                                             \
  WARPGAUGE_INLINED pair name##2(const pair& a) {                               \
    return pair::warpgauge_of(a.warpgauge_bits() operation mask);               \
  }

#define WARPGAUGE_NARROW_OPERATOR(sign, function, number, pair)              \
  WARPGAUGE_INLINED number operator sign(const number& a, const number& b) { \
    return __h##function(a, b);                                              \
  }                                                                          \
  WARPGAUGE_INLINED number& operator sign##=(number& a, const number& b) { return a = a sign b; }
#define WARPGAUGE_NARROW_PAIR_OPERATOR(sign, function, pair)                                    \
  WARPGAUGE_INLINED pair operator sign(const pair& a, const pair& b) { return function(a, b); } \
  WARPGAUGE_INLINED pair& operator sign##=(pair& a, const pair& b) { return a = a sign b; }
#define WARPGAUGE_NARROW_RELATION(sign, function, number, pair)            \
  WARPGAUGE_INLINED bool operator sign(const number& a, const number& b) { \
    return __h##function(a, b);                                            \
  }                                                                        \
  WARPGAUGE_INLINED bool operator sign(const pair& a, const pair& b) {     \
    return __hb##function##2(a, b);                                        \
  }

#define WARPGAUGE_NARROW_OPERATORS(number, pair)                                   \
  WARPGAUGE_NARROW_OPERATOR(+, add, number, pair)                                  \
  WARPGAUGE_NARROW_OPERATOR(-, sub, number, pair)                                  \
  WARPGAUGE_NARROW_OPERATOR(*, mul, number, pair)                                  \
  WARPGAUGE_NARROW_OPERATOR(/, div, number, pair)                                  \
  WARPGAUGE_NARROW_PAIR_OPERATOR(+, __hadd2, pair)                                 \
  WARPGAUGE_NARROW_PAIR_OPERATOR(-, __hsub2, pair)                                 \
  WARPGAUGE_NARROW_PAIR_OPERATOR(*, __hmul2, pair)                                 \
  WARPGAUGE_NARROW_PAIR_OPERATOR(/, __h2div, pair)                                 \
  WARPGAUGE_NARROW_RELATION(==, eq, number, pair)                                  \
  WARPGAUGE_NARROW_RELATION(!=, neu, number, pair)                                 \
  WARPGAUGE_NARROW_RELATION(<, lt, number, pair)                                   \
  WARPGAUGE_NARROW_RELATION(<=, le, number, pair)                                  \
  WARPGAUGE_NARROW_RELATION(>, gt, number, pair)                                   \
  WARPGAUGE_NARROW_RELATION(>=, ge, number, pair)                                  \
  WARPGAUGE_INLINED number operator+(const number& a) { return a; }                \
  WARPGAUGE_INLINED number operator-(const number& a) { return __hneg(a); }        \
  WARPGAUGE_INLINED pair operator+(const pair& a) { return a; }                    \
  WARPGAUGE_INLINED pair operator-(const pair& a) { return __hneg2(a); }           \
  WARPGAUGE_INLINED number& operator++(number& a) { return a = a + number(1.0F); } \
  WARPGAUGE_INLINED number& operator--(number& a) { return a = a - number(1.0F); } \
  WARPGAUGE_INLINED number operator++(number& a, int) {                            \
    const number before = a;                                                       \
    a = before + number(1.0F);                                                     \
    return before;                                                                 \
  }                                                                                \
  WARPGAUGE_INLINED number operator--(number& a, int) {                            \
    const number before = a;                                                       \
    a = before - number(1.0F);                                                     \
    return before;                                                                 \
  }

#define WARPGAUGE_NARROW_ARITHMETIC(number, pair)                                                  \
  WARPGAUGE_NARROW_OPERATION(add, number, pair, x + y)                                             \
  WARPGAUGE_NARROW_OPERATION(sub, number, pair, x - y)                                             \
  WARPGAUGE_NARROW_OPERATION(mul, number, pair, (x * y))                                           \
  WARPGAUGE_NARROW_BINARY(__hdiv, number, pair, __h2div, x / y)                                    \
  WARPGAUGE_NARROW_BINARY(__hmax, number, pair, __hmax2,                                           \
                          ::warpgauge_emulator::greater_number(x, y))                              \
  WARPGAUGE_NARROW_BINARY(__hmin, number, pair, __hmin2,                                           \
                          ::warpgauge_emulator::lesser_number(x, y))                               \
  WARPGAUGE_NARROW_BINARY(                                                                         \
      __hmax_nan, number, pair, __hmax2_nan,                                                       \
      (x != x) | (y != y) ? x + y : ::warpgauge_emulator::greater_number(x, y))                    \
  WARPGAUGE_NARROW_BINARY(__hmin_nan, number, pair, __hmin2_nan,                                   \
                          (x != x) | (y != y) ? x + y : ::warpgauge_emulator::lesser_number(x, y)) \
  WARPGAUGE_NARROW_FUSED(, number, pair, result)                                                   \
  WARPGAUGE_NARROW_FUSED(_rn, number, pair, result)                                                \
  WARPGAUGE_NARROW_FUSED(_sat, number, pair, ::warpgauge_emulator::clamped(result))                \
  WARPGAUGE_NARROW_FUSED(_relu, number, pair, result < 0 ? 0.0 : result)                           \
  WARPGAUGE_NARROW_SIGN(__hneg, number, pair, ^, 0x80008000U)                                      \
  WARPGAUGE_NARROW_SIGN(__habs, number, pair, &, 0x7fff7fffU)                                      \
  WARPGAUGE_NARROW_COMPARE(eq, number, pair, x == y)                                               \
  WARPGAUGE_NARROW_COMPARE(ne, number, pair, (x < y) | (x > y))                                    \
  WARPGAUGE_NARROW_COMPARE(lt, number, pair, x < y)                                                \
  WARPGAUGE_NARROW_COMPARE(le, number, pair, x <= y)                                               \
  WARPGAUGE_NARROW_COMPARE(gt, number, pair, x > y)                                                \
  WARPGAUGE_NARROW_COMPARE(ge, number, pair, x >= y)                                               \
  WARPGAUGE_INLINED bool __hisnan(const number& a) {                                               \
    const float x = a;                                                                             \
    return x != x;                                                                                 \
  }                                                                                                \
  WARPGAUGE_INLINED pair __hisnan2(const pair& a) { return __hneu2(a, a); }                        \
  WARPGAUGE_INLINED int __hisinf(const number& a) {                                                \
    const float x = a;                                                                             \
    return static_cast<int>(x == HUGE_VALF) - static_cast<int>(x == -HUGE_VALF);                   \
  }                                                                                                \
  WARPGAUGE_NARROW_OPERATORS(number, pair)

#define WARPGAUGE_NARROW_FUNCTION(name, number, pair, expression)                                  \
  WARPGAUGE_OF_VALUES unsigned warpgauge_##number##_##name(unsigned a) {                           \
    const double x = ::warpgauge_emulator::decode<number::Format>(static_cast<unsigned short>(a)); \
    return ::warpgauge_emulator::encode<number::Format>(expression);                               \
  }                                                                                                \
  WARPGAUGE_INLINED number h##name(const number& a) {                                              \
    return number::warpgauge_of(warpgauge_##number##_##name(a.warpgauge_bits()));                  \
  }                                                                                                \
  WARPGAUGE_INLINED pair h2##name(const pair& a) {                                                 \
    const unsigned x = a.warpgauge_bits();                                                         \
    return pair::warpgauge_of(warpgauge_##number##_##name(x) |                                     \
                              warpgauge_##number##_##name(x >> 16) << 16);                         \
  }

// Rounded from double, where a GPU is off by a unit in the last place at times.
#define WARPGAUGE_NARROW_FUNCTIONS(number, pair)                     \
  WARPGAUGE_NARROW_FUNCTION(sqrt, number, pair, std::sqrt(x))        \
  WARPGAUGE_NARROW_FUNCTION(rsqrt, number, pair, 1.0 / std::sqrt(x)) \
  WARPGAUGE_NARROW_FUNCTION(rcp, number, pair, 1.0 / x)              \
  WARPGAUGE_NARROW_FUNCTION(exp, number, pair, std::exp(x))          \
  WARPGAUGE_NARROW_FUNCTION(exp2, number, pair, std::exp2(x))        \
  WARPGAUGE_NARROW_FUNCTION(exp10, number, pair, std::pow(10.0, x))  \
  WARPGAUGE_NARROW_FUNCTION(log, number, pair, std::log(x))          \
  WARPGAUGE_NARROW_FUNCTION(log2, number, pair, std::log2(x))        \
  WARPGAUGE_NARROW_FUNCTION(log10, number, pair, std::log10(x))      \
  WARPGAUGE_NARROW_FUNCTION(sin, number, pair, std::sin(x))          \
  WARPGAUGE_NARROW_FUNCTION(cos, number, pair, std::cos(x))          \
  WARPGAUGE_NARROW_FUNCTION(tanh, number, pair, std::tanh(x))        \
  WARPGAUGE_NARROW_FUNCTION(tanh_approx, number, pair, std::tanh(x)) \
  WARPGAUGE_NARROW_FUNCTION(floor, number, pair, std::floor(x))      \
  WARPGAUGE_NARROW_FUNCTION(ceil, number, pair, std::ceil(x))        \
  WARPGAUGE_NARROW_FUNCTION(trunc, number, pair, std::trunc(x))      \
  WARPGAUGE_NARROW_FUNCTION(rint, number, pair, std::nearbyint(x))
