// SPDX-License-Identifier: Apache-2.0
// sin, cos, sinpi and cospi of double, for which machine code reads coefficients from a table in
// global memory: models/table_functions.cpp. Of a constant, and by a pointer, they are the host's.
// sincos and sincospi read no table.
#pragma once

#include <math.h>

extern "C" {
double warpgauge_emulator_sin(double) noexcept __attribute__((const));
double warpgauge_emulator_cos(double) noexcept __attribute__((const));
double warpgauge_emulator_sinpi(double) noexcept __attribute__((const));
double warpgauge_emulator_cospi(double) noexcept __attribute__((const));

#define WARPGAUGE_OF_TABLE(name)                                                            \
  extern inline __attribute__((gnu_inline, always_inline)) double name(double x) noexcept { \
    return __builtin_constant_p(x) ? __builtin_##name(x) : warpgauge_emulator_##name(x);    \
  }
WARPGAUGE_OF_TABLE(sin)
WARPGAUGE_OF_TABLE(cos)
#undef WARPGAUGE_OF_TABLE
}

inline double sinpi(double x) { return warpgauge_emulator_sinpi(x); }
inline double cospi(double x) { return warpgauge_emulator_cospi(x); }
