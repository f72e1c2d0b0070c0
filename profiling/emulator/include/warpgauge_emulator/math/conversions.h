// SPDX-License-Identifier: Apache-2.0
// Conversions between floating point and integers, which on the device stay within the target's
// range and make 0 of NaN (PTX ISA, "cvt"), where C++ leaves such values undefined.
#pragma once

#include <cmath>
#include <limits>

namespace warpgauge_emulator {

template <class Integer, class Real>
inline Integer to_integer(Real whole) {
  using Limits = std::numeric_limits<Integer>;
  // 2^digits, the first value that is too large, is exact in any floating point.
  const Real too_large = std::ldexp(Real{1}, Limits::digits);
  if (std::isnan(whole)) return 0;
  if (whole >= too_large) return Limits::max();
  if (whole <= static_cast<Real>(Limits::min())) return Limits::min();
  return static_cast<Integer>(whole);
}

}  // namespace warpgauge_emulator

#define WARPGAUGE_TO_INTEGER(name, real, integer)                        \
  inline integer name##_rn(real x) {                                     \
    return ::warpgauge_emulator::to_integer<integer>(std::nearbyint(x)); \
  }                                                                      \
  inline integer name##_rz(real x) {                                     \
    return ::warpgauge_emulator::to_integer<integer>(std::trunc(x));     \
  }                                                                      \
  inline integer name##_rd(real x) {                                     \
    return ::warpgauge_emulator::to_integer<integer>(std::floor(x));     \
  }                                                                      \
  inline integer name##_ru(real x) {                                     \
    return ::warpgauge_emulator::to_integer<integer>(std::ceil(x));      \
  }

WARPGAUGE_TO_INTEGER(__float2int, float, int)
WARPGAUGE_TO_INTEGER(__float2uint, float, unsigned)
WARPGAUGE_TO_INTEGER(__float2ll, float, long long)
WARPGAUGE_TO_INTEGER(__float2ull, float, unsigned long long)
WARPGAUGE_TO_INTEGER(__double2int, double, int)
WARPGAUGE_TO_INTEGER(__double2uint, double, unsigned)
WARPGAUGE_TO_INTEGER(__double2ll, double, long long)
WARPGAUGE_TO_INTEGER(__double2ull, double, unsigned long long)

#undef WARPGAUGE_TO_INTEGER

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
