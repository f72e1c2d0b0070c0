// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA's mathematics that the host's library lacks, in double; those of float are
// rounded from it.
#pragma once

#include <cmath>

#include "../low_precision/narrow_float.h"

namespace warpgauge_emulator {

inline constexpr double kPi = 3.14159265358979323846;

// sin(pi * (x + quarter / 2)), exact in the reduction. Reads no table.
WARPGAUGE_OF_VALUES double sine_of_pi(double x, int quarter) {
  const double turn = std::fmod(x, 2.0);
  const double quarters = std::nearbyint(2.0 * turn);
  const double rest = turn - quarters / 2.0;
  if (rest != rest) return rest;
  switch ((static_cast<int>(quarters) + quarter) & 3) {
    case 0:
      return __builtin_sin(kPi * rest);
    case 1:
      return __builtin_cos(kPi * rest);
    case 2:
      return -__builtin_sin(kPi * rest);
    default:
      return -__builtin_cos(kPi * rest);
  }
}

// Winitzki's estimate, then Newton's steps on the logarithm, which is nearly a parabola.
WARPGAUGE_OF_VALUES double inverse_erfc(double z) {
  if (!(z > 0 && z < 2)) {
    return z == 0 ? HUGE_VAL : z == 2 ? -HUGE_VAL : std::nan("");
  }
  const double nearer = z < 1 ? z : 2 - z;
  const double logarithm = std::log(nearer * (2 - nearer));
  const double term = 2 / (kPi * 0.147) + logarithm / 2;
  double y = std::sqrt(std::sqrt(term * term - logarithm / 0.147) - term);
  for (int step = 0; step < 6; ++step) {
    const double tail = std::erfc(y);
    y += tail * std::log(tail / nearer) * (std::sqrt(kPi) / 2 * std::exp(y * y));
  }
  return z < 1 ? y : -y;
}

WARPGAUGE_OF_VALUES double scaled_erfc(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  // The asymptotic series: Abramowitz and Stegun, 7.1.23.
  double term = 1;
  double sum = 1;
  for (int k = 1; k < 9; ++k) {
    term *= -(2 * k - 1) / (2 * x * x);
    sum += term;
  }
  return sum / (x * std::sqrt(kPi));
}

}  // namespace warpgauge_emulator

#define WARPGAUGE_FLOAT_FUNCTION(name, expression) \
  WARPGAUGE_OF_VALUES float name(float of_x) {     \
    const double x = of_x;                         \
    return static_cast<float>(expression);         \
  }
#define WARPGAUGE_FUNCTION(name, expression)                       \
  WARPGAUGE_OF_VALUES double name(double x) { return expression; } \
  WARPGAUGE_FLOAT_FUNCTION(name##f, expression)

// Those of double are in table_functions.h.
WARPGAUGE_FLOAT_FUNCTION(sinpif, ::warpgauge_emulator::sine_of_pi(x, 0))
WARPGAUGE_FLOAT_FUNCTION(cospif, ::warpgauge_emulator::sine_of_pi(x, 1))
WARPGAUGE_FUNCTION(tanpi,
                   ::warpgauge_emulator::sine_of_pi(x, 0) / ::warpgauge_emulator::sine_of_pi(x, 1))
WARPGAUGE_FUNCTION(rcbrt, 1.0 / std::cbrt(x))
WARPGAUGE_FUNCTION(normcdf, std::erfc(x * -0.70710678118654752440) / 2)
WARPGAUGE_FUNCTION(normcdfinv, -1.41421356237309504880 * ::warpgauge_emulator::inverse_erfc(2 * x))
WARPGAUGE_FUNCTION(erfcx, ::warpgauge_emulator::scaled_erfc(x))
WARPGAUGE_FUNCTION(erfcinv, ::warpgauge_emulator::inverse_erfc(x))
// Of small numbers, 1 - x would drop what counts.
WARPGAUGE_FUNCTION(erfinv, std::fabs(x) < 1e-7 ? x * 0.88622692545275801365
                                               : ::warpgauge_emulator::inverse_erfc(1 - x))
WARPGAUGE_FUNCTION(cyl_bessel_i0, std::cyl_bessel_i(0.0, std::fabs(x)))
WARPGAUGE_FUNCTION(cyl_bessel_i1, std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x))

#undef WARPGAUGE_FUNCTION
#undef WARPGAUGE_FLOAT_FUNCTION

WARPGAUGE_OF_VALUES double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }
WARPGAUGE_OF_VALUES double norm4d(double x, double y, double z, double w) {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
WARPGAUGE_OF_VALUES double rhypot(double x, double y) { return 1 / std::hypot(x, y); }
WARPGAUGE_OF_VALUES double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
WARPGAUGE_OF_VALUES double rnorm4d(double x, double y, double z, double w) {
  return 1 / norm4d(x, y, z, w);
}
WARPGAUGE_OF_VALUES float norm3df(float x, float y, float z) {
  return static_cast<float>(norm3d(x, y, z));
}
WARPGAUGE_OF_VALUES float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(norm4d(x, y, z, w));
}
WARPGAUGE_OF_VALUES float rhypotf(float x, float y) { return static_cast<float>(rhypot(x, y)); }
WARPGAUGE_OF_VALUES float rnorm3df(float x, float y, float z) {
  return static_cast<float>(rnorm3d(x, y, z));
}
WARPGAUGE_OF_VALUES float rnorm4df(float x, float y, float z, float w) {
  return static_cast<float>(rnorm4d(x, y, z, w));
}
WARPGAUGE_OF_VALUES float fdividef(float x, float y) { return x / y; }

// Written where the caller says, by an access of its line.
__attribute__((always_inline)) inline void sincospi(double x, double* sine, double* cosine) {
  *sine = ::warpgauge_emulator::sine_of_pi(x, 0);
  *cosine = ::warpgauge_emulator::sine_of_pi(x, 1);
}
__attribute__((always_inline)) inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
__attribute__((always_inline)) inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
