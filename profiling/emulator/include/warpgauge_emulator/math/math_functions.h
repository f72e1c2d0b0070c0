// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA has in the global namespace and C++ lacks. Overloads, not templates, so
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

constexpr unsigned umin(unsigned a, unsigned b) { return min(a, b); }
constexpr unsigned umax(unsigned a, unsigned b) { return max(a, b); }
constexpr long long llmin(long long a, long long b) { return min(a, b); }
constexpr long long llmax(long long a, long long b) { return max(a, b); }
constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}

inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __exp10f(float x) { return std::pow(10.0F, x); }
inline float __saturatef(float x) { return std::fmin(std::fmax(x, 0.0F), 1.0F); }

// Rounded to nearest, as on the host; other modes are unsupported.
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0F / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / std::sqrt(double{x})); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
