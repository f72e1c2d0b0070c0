// SPDX-License-Identifier: Apache-2.0
// Arithmetic rounded other than to nearest: the host's own, in its rounding mode.
#pragma once

#include <cfenv>
#include <cmath>

#include "../low_precision/narrow_float.h"

namespace warpgauge_emulator {

class RoundingMode {
 public:
  WARPGAUGE_OF_VALUES explicit RoundingMode(int mode) : before_(std::fegetround()) {
    std::fesetround(mode);
  }
  WARPGAUGE_OF_VALUES ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

}  // namespace warpgauge_emulator

// Volatile, so that the operation stays between the changes of the mode.
#define WARPGAUGE_UNARY(name, mode, result, real, expression) \
  WARPGAUGE_OF_VALUES result name(real of_x) {                \
    volatile real x = of_x;                                   \
    const ::warpgauge_emulator::RoundingMode rounding(mode);  \
    volatile result value = static_cast<result>(expression);  \
    return value;                                             \
  }
#define WARPGAUGE_BINARY(name, mode, real, expression)       \
  WARPGAUGE_OF_VALUES real name(real of_x, real of_y) {      \
    volatile real x = of_x;                                  \
    volatile real y = of_y;                                  \
    const ::warpgauge_emulator::RoundingMode rounding(mode); \
    volatile real value = expression;                        \
    return value;                                            \
  }
#define WARPGAUGE_TERNARY(name, mode, real)                        \
  WARPGAUGE_OF_VALUES real name(real of_x, real of_y, real of_z) { \
    volatile real x = of_x;                                        \
    volatile real y = of_y;                                        \
    volatile real z = of_z;                                        \
    const ::warpgauge_emulator::RoundingMode rounding(mode);       \
    volatile real value = std::fma(x, y, z);                       \
    return value;                                                  \
  }
#define WARPGAUGE_DIRECTED(suffix, mode)                                             \
  WARPGAUGE_BINARY(__fadd##suffix, mode, float, x + y)                               \
  WARPGAUGE_BINARY(__fsub##suffix, mode, float, x - y)                               \
  WARPGAUGE_BINARY(__fmul##suffix, mode, float, (x * y))                             \
  WARPGAUGE_BINARY(__fdiv##suffix, mode, float, x / y)                               \
  WARPGAUGE_UNARY(__frcp##suffix, mode, float, float, 1.0F / x)                      \
  WARPGAUGE_UNARY(__fsqrt##suffix, mode, float, float, std::sqrt(x))                 \
  WARPGAUGE_TERNARY(__fmaf##suffix, mode, float)                                     \
  WARPGAUGE_TERNARY(__fmaf_ieee##suffix, mode, float)                                \
  WARPGAUGE_BINARY(__dadd##suffix, mode, double, x + y)                              \
  WARPGAUGE_BINARY(__dsub##suffix, mode, double, x - y)                              \
  WARPGAUGE_BINARY(__dmul##suffix, mode, double, (x * y))                            \
  WARPGAUGE_BINARY(__ddiv##suffix, mode, double, x / y)                              \
  WARPGAUGE_UNARY(__drcp##suffix, mode, double, double, 1.0 / x)                     \
  WARPGAUGE_UNARY(__dsqrt##suffix, mode, double, double, std::sqrt(x))               \
  WARPGAUGE_TERNARY(__fma##suffix, mode, double)                                     \
  WARPGAUGE_UNARY(__double2float##suffix, mode, float, double, x)                    \
  WARPGAUGE_UNARY(__int2float##suffix, mode, float, int, x)                          \
  WARPGAUGE_UNARY(__uint2float##suffix, mode, float, unsigned, x)                    \
  WARPGAUGE_UNARY(__ll2float##suffix, mode, float, long long, x)                     \
  WARPGAUGE_UNARY(__ull2float##suffix, mode, float, unsigned long long,              \
                  static_cast<double>(x >> 32) * 0x1p32F + static_cast<unsigned>(x)) \
  WARPGAUGE_UNARY(__ll2double##suffix, mode, double, long long, x)                   \
  WARPGAUGE_UNARY(__ull2double##suffix, mode, double, unsigned long long,            \
                  static_cast<double>(x >> 32) * 0x1p32 + static_cast<unsigned>(x))

WARPGAUGE_DIRECTED(_rz, FE_TOWARDZERO)
WARPGAUGE_DIRECTED(_rd, FE_DOWNWARD)
WARPGAUGE_DIRECTED(_ru, FE_UPWARD)

WARPGAUGE_OF_VALUES float __fmaf_ieee_rn(float x, float y, float z) { return std::fma(x, y, z); }

#undef WARPGAUGE_DIRECTED
#undef WARPGAUGE_UNARY
#undef WARPGAUGE_BINARY
#undef WARPGAUGE_TERNARY
