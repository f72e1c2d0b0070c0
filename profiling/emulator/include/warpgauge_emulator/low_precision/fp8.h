// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 bits, alone and two and four at once: conversions, which is all that CUDA has for
// them.
#pragma once

#include "bfloat16.h"
#include "half.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

// Whether what is too large becomes the largest finite value.
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace warpgauge_emulator {

WARPGAUGE_OF_VALUES unsigned char to_fp8(double value, __nv_saturation_t saturation,
                                         __nv_fp8_interpretation_t interpretation) {
  if (interpretation == __NV_E4M3) {
    return saturation == __NV_SATFINITE ? encode_saturated<E4m3Format>(value)
                                        : encode<E4m3Format>(value);
  }
  return saturation == __NV_SATFINITE ? encode_saturated<E5m2Format>(value)
                                      : encode<E5m2Format>(value);
}

WARPGAUGE_OF_VALUES float from_fp8(unsigned char code, __nv_fp8_interpretation_t interpretation) {
  return interpretation == __NV_E4M3 ? decode<E4m3Format>(code) : decode<E5m2Format>(code);
}

WARPGAUGE_OF_VALUES unsigned short to_two_fp8(float x, float y, __nv_saturation_t saturation,
                                              __nv_fp8_interpretation_t interpretation) {
  return static_cast<unsigned short>(to_fp8(x, saturation, interpretation) |
                                     to_fp8(y, saturation, interpretation) << 8);
}

}  // namespace warpgauge_emulator

WARPGAUGE_OF_VALUES __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                             __nv_fp8_interpretation_t type) {
  return ::warpgauge_emulator::to_fp8(x, saturation, type);
}
WARPGAUGE_OF_VALUES __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x,
                                                              __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t type) {
  return ::warpgauge_emulator::to_fp8(x, saturation, type);
}
WARPGAUGE_INLINED __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2& v,
                                                                __nv_saturation_t saturation,
                                                                __nv_fp8_interpretation_t type) {
  const float2 whole = v;
  return ::warpgauge_emulator::to_two_fp8(whole.x, whole.y, saturation, type);
}
WARPGAUGE_OF_VALUES __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x,
                                                               __nv_saturation_t saturation,
                                                               __nv_fp8_interpretation_t type) {
  return ::warpgauge_emulator::to_fp8(static_cast<float>(__half(x)), saturation, type);
}
WARPGAUGE_OF_VALUES __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                                   __nv_saturation_t saturation,
                                                                   __nv_fp8_interpretation_t type) {
  return ::warpgauge_emulator::to_fp8(static_cast<float>(__nv_bfloat16(x)), saturation, type);
}
WARPGAUGE_OF_VALUES __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                       __nv_fp8_interpretation_t type) {
  return __half(::warpgauge_emulator::from_fp8(x, type));
}
WARPGAUGE_OF_VALUES __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                           __nv_fp8_interpretation_t type) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x & 0xffU), type).x,
          __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8), type).x};
}

// Constructors saturate.
#define WARPGAUGE_FP8(name, interpretation)                                                       \
  struct name {                                                                                   \
    __nv_fp8_storage_t __x;                                                                       \
    name() = default;                                                                             \
    WARPGAUGE_INLINED explicit name(float x)                                                      \
        : __x(::warpgauge_emulator::to_fp8(x, __NV_SATFINITE, interpretation)) {}                 \
    WARPGAUGE_INLINED explicit name(double x)                                                     \
        : __x(::warpgauge_emulator::to_fp8(x, __NV_SATFINITE, interpretation)) {}                 \
    WARPGAUGE_INLINED explicit name(const __half& x) : name(static_cast<float>(x)) {}             \
    WARPGAUGE_INLINED explicit name(const __nv_bfloat16& x) : name(static_cast<float>(x)) {}      \
    template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, bool> = true>          \
    WARPGAUGE_INLINED explicit name(Integer x) : name(::warpgauge_emulator::integer_to_odd(x)) {} \
    WARPGAUGE_INLINED explicit operator float() const {                                           \
      return ::warpgauge_emulator::from_fp8(__x, interpretation);                                 \
    }                                                                                             \
    WARPGAUGE_INLINED explicit operator double() const { return static_cast<float>(*this); }      \
    WARPGAUGE_INLINED explicit operator __half() const { return static_cast<float>(*this); }      \
    WARPGAUGE_INLINED explicit operator __nv_bfloat16() const {                                   \
      return static_cast<float>(*this);                                                           \
    }                                                                                             \
    WARPGAUGE_INLINED explicit operator bool() const { return (__x & 0x7fU) != 0; }               \
    WARPGAUGE_INLINED explicit operator int() const {                                             \
      return ::warpgauge_emulator::saturated_integer<int>(static_cast<float>(*this));             \
    }                                                                                             \
  };
// Two in 2 bytes, four in 4: the first the lowest.
#define WARPGAUGE_FP8_VECTORS(two, four, interpretation)                                           \
  struct two {                                                                                     \
    __nv_fp8x2_storage_t __x;                                                                      \
    two() = default;                                                                               \
    WARPGAUGE_INLINED explicit two(const float2& v)                                                \
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, interpretation)) {}                      \
    WARPGAUGE_INLINED explicit two(const __half2& v) : two(__half22float2(v)) {}                   \
    WARPGAUGE_INLINED explicit two(const __nv_bfloat162& v) : two(__bfloat1622float2(v)) {}        \
    WARPGAUGE_INLINED explicit operator float2() const {                                           \
      const unsigned bits = __x;                                                                   \
      return {::warpgauge_emulator::from_fp8(bits & 0xffU, interpretation),                        \
              ::warpgauge_emulator::from_fp8(bits >> 8 & 0xffU, interpretation)};                  \
    }                                                                                              \
  };                                                                                               \
  struct four {                                                                                    \
    __nv_fp8x4_storage_t __x;                                                                      \
    four() = default;                                                                              \
    WARPGAUGE_INLINED explicit four(const float4& v) {                                             \
      const float4 whole = v;                                                                      \
      __x = ::warpgauge_emulator::to_two_fp8(whole.x, whole.y, __NV_SATFINITE, interpretation) |   \
            unsigned{::warpgauge_emulator::to_two_fp8(whole.z, whole.w, __NV_SATFINITE,            \
                                                      interpretation)}                             \
                << 16;                                                                             \
    }                                                                                              \
    WARPGAUGE_INLINED four(const __half2& low, const __half2& high)                                \
        : four(make_float4(__low2float(low), __high2float(low), __low2float(high),                 \
                           __high2float(high))) {}                                                 \
    WARPGAUGE_INLINED four(const __nv_bfloat162& low, const __nv_bfloat162& high)                  \
        : four(make_float4(__low2float(low), __high2float(low), __low2float(high),                 \
                           __high2float(high))) {}                                                 \
    WARPGAUGE_INLINED explicit operator float4() const {                                           \
      const unsigned bits = __x;                                                                   \
      return {                                                                                     \
          ::warpgauge_emulator::from_fp8(bits & 0xffU, interpretation),                            \
          ::warpgauge_emulator::from_fp8(bits >> 8 & 0xffU, interpretation),                       \
          ::warpgauge_emulator::from_fp8(bits >> 16 & 0xffU, interpretation),                      \
          ::warpgauge_emulator::from_fp8(static_cast<unsigned char>(bits >> 24), interpretation)}; \
    }                                                                                              \
  };

WARPGAUGE_FP8(__nv_fp8_e4m3, __NV_E4M3)
WARPGAUGE_FP8(__nv_fp8_e5m2, __NV_E5M2)
WARPGAUGE_FP8_VECTORS(__nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
WARPGAUGE_FP8_VECTORS(__nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)

#undef WARPGAUGE_FP8
#undef WARPGAUGE_FP8_VECTORS
