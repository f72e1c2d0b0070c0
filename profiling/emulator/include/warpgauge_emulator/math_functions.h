// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA has in the global namespace and C++ has not. Overloads, not templates, so
// that `using namespace std` makes no call ambiguous.
#pragma once

#include <cmath>

#define WARPGAUGE_MIN_MAX(result, left, right)                                       \
  constexpr result min(left a, right b) {                                            \
    return static_cast<result>(b) < static_cast<result>(a) ? static_cast<result>(b)  \
                                                           : static_cast<result>(a); \
  }                                                                                  \
  constexpr result max(left a, right b) {                                            \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(b)  \
                                                           : static_cast<result>(a); \
  }

WARPGAUGE_MIN_MAX(int, int, int)
WARPGAUGE_MIN_MAX(unsigned, unsigned, unsigned)
WARPGAUGE_MIN_MAX(unsigned, int, unsigned)
WARPGAUGE_MIN_MAX(unsigned, unsigned, int)
WARPGAUGE_MIN_MAX(long, long, long)
WARPGAUGE_MIN_MAX(unsigned long, unsigned long, unsigned long)
WARPGAUGE_MIN_MAX(unsigned long, long, unsigned long)
WARPGAUGE_MIN_MAX(unsigned long, unsigned long, long)
WARPGAUGE_MIN_MAX(long long, long long, long long)
WARPGAUGE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
WARPGAUGE_MIN_MAX(unsigned long long, long long, unsigned long long)
WARPGAUGE_MIN_MAX(unsigned long long, unsigned long long, long long)

#undef WARPGAUGE_MIN_MAX

inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }

inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
