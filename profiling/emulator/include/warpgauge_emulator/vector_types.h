// SPDX-License-Identifier: Apache-2.0
// CUDA's vector types.
//
// A GPU moves a whole vector of up to 16 bytes in one access. Assignment goes through a vector of
// the host compiler, so that it is one access here, too, and not one per member.
#pragma once

#define WARPGAUGE_VECTOR(name, element, bytes, ...)                              \
  struct alignas(bytes) name {                                                   \
    element __VA_ARGS__;                                                         \
    using Whole = element __attribute__((vector_size(bytes), may_alias));        \
    name() = default;                                                            \
    name(const name&) = default;                                                 \
    __attribute__((always_inline)) inline name& operator=(const name& other) {   \
      *reinterpret_cast<Whole*>(this) = *reinterpret_cast<const Whole*>(&other); \
      return *this;                                                              \
    }
#define WARPGAUGE_VECTOR2(name, element, bytes)            \
  WARPGAUGE_VECTOR(name, element, bytes, x, y)             \
  constexpr name(element x_, element y_) : x(x_), y(y_) {} \
  }                                                        \
  ;                                                        \
  constexpr name make_##name(element x, element y) { return {x, y}; }
#define WARPGAUGE_VECTOR4(name, element, bytes)                                                  \
  WARPGAUGE_VECTOR(name, element, bytes, x, y, z, w)                                             \
  constexpr name(element x_, element y_, element z_, element w_) : x(x_), y(y_), z(z_), w(w_) {} \
  }                                                                                              \
  ;                                                                                              \
  constexpr name make_##name(element x, element y, element z, element w) { return {x, y, z, w}; }

// 32 bytes are two accesses of 16, on a GPU as well.
#define WARPGAUGE_WIDE_VECTOR4(name, element)                                                      \
  struct alignas(16) name {                                                                        \
    element x, y, z, w;                                                                            \
    using Half = element __attribute__((vector_size(16), may_alias));                              \
    name() = default;                                                                              \
    __attribute__((always_inline)) inline name(const name& other) { *this = other; }               \
    __attribute__((always_inline)) inline name& operator=(const name& other) {                     \
      reinterpret_cast<Half*>(this)[0] = reinterpret_cast<const Half*>(&other)[0];                 \
      reinterpret_cast<Half*>(this)[1] = reinterpret_cast<const Half*>(&other)[1];                 \
      return *this;                                                                                \
    }                                                                                              \
    constexpr name(element x_, element y_, element z_, element w_) : x(x_), y(y_), z(z_), w(w_) {} \
  };                                                                                               \
  constexpr name make_##name(element x, element y, element z, element w) { return {x, y, z, w}; }
// Three elements are three accesses, on a GPU as well.
#define WARPGAUGE_VECTOR3(name, element)                                        \
  struct name {                                                                 \
    element x, y, z;                                                            \
    name() = default;                                                           \
    __attribute__((always_inline)) constexpr name(const name& other)            \
        : x(other.x), y(other.y), z(other.z) {}                                 \
    __attribute__((always_inline)) inline name& operator=(const name& other) {  \
      x = other.x;                                                              \
      y = other.y;                                                              \
      z = other.z;                                                              \
      return *this;                                                             \
    }                                                                           \
    constexpr name(element x_, element y_, element z_) : x(x_), y(y_), z(z_) {} \
  };                                                                            \
  constexpr name make_##name(element x, element y, element z) { return {x, y, z}; }
// These are copied by word or byte anyway.
#define WARPGAUGE_PLAIN_VECTOR3(name, element) \
  struct name {                                \
    element x, y, z;                           \
  };                                           \
  constexpr name make_##name(element x, element y, element z) { return {x, y, z}; }
#define WARPGAUGE_VECTOR1(name, element) \
  struct name {                          \
    element x;                           \
  };                                     \
  constexpr name make_##name(element x) { return {x}; }

WARPGAUGE_VECTOR1(char1, signed char)
WARPGAUGE_VECTOR1(uchar1, unsigned char)
WARPGAUGE_VECTOR1(short1, short)
WARPGAUGE_VECTOR1(ushort1, unsigned short)
WARPGAUGE_VECTOR1(int1, int)
WARPGAUGE_VECTOR1(uint1, unsigned int)
WARPGAUGE_VECTOR1(long1, long)
WARPGAUGE_VECTOR1(ulong1, unsigned long)
WARPGAUGE_VECTOR1(longlong1, long long)
WARPGAUGE_VECTOR1(ulonglong1, unsigned long long)
WARPGAUGE_VECTOR1(float1, float)
WARPGAUGE_VECTOR1(double1, double)
WARPGAUGE_VECTOR2(char2, signed char, 2)
WARPGAUGE_VECTOR2(uchar2, unsigned char, 2)
WARPGAUGE_VECTOR2(short2, short, 4)
WARPGAUGE_VECTOR2(ushort2, unsigned short, 4)
WARPGAUGE_VECTOR2(int2, int, 8)
WARPGAUGE_VECTOR2(uint2, unsigned int, 8)
WARPGAUGE_VECTOR2(long2, long, 16)
WARPGAUGE_VECTOR2(ulong2, unsigned long, 16)
WARPGAUGE_VECTOR2(longlong2, long long, 16)
WARPGAUGE_VECTOR2(ulonglong2, unsigned long long, 16)
WARPGAUGE_VECTOR2(float2, float, 8)
WARPGAUGE_VECTOR2(double2, double, 16)
WARPGAUGE_PLAIN_VECTOR3(char3, signed char)
WARPGAUGE_PLAIN_VECTOR3(uchar3, unsigned char)
WARPGAUGE_VECTOR3(short3, short)
WARPGAUGE_VECTOR3(ushort3, unsigned short)
WARPGAUGE_PLAIN_VECTOR3(int3, int)
WARPGAUGE_PLAIN_VECTOR3(uint3, unsigned int)
WARPGAUGE_VECTOR3(long3, long)
WARPGAUGE_VECTOR3(ulong3, unsigned long)
WARPGAUGE_VECTOR3(longlong3, long long)
WARPGAUGE_VECTOR3(ulonglong3, unsigned long long)
WARPGAUGE_PLAIN_VECTOR3(float3, float)
WARPGAUGE_VECTOR3(double3, double)
WARPGAUGE_VECTOR4(char4, signed char, 4)
WARPGAUGE_VECTOR4(uchar4, unsigned char, 4)
WARPGAUGE_VECTOR4(short4, short, 8)
WARPGAUGE_VECTOR4(ushort4, unsigned short, 8)
WARPGAUGE_VECTOR4(int4, int, 16)
WARPGAUGE_VECTOR4(uint4, unsigned int, 16)
WARPGAUGE_WIDE_VECTOR4(long4, long)
WARPGAUGE_WIDE_VECTOR4(ulong4, unsigned long)
WARPGAUGE_WIDE_VECTOR4(longlong4, long long)
WARPGAUGE_WIDE_VECTOR4(ulonglong4, unsigned long long)
WARPGAUGE_VECTOR4(float4, float, 16)
WARPGAUGE_WIDE_VECTOR4(double4, double)

#undef WARPGAUGE_VECTOR
#undef WARPGAUGE_VECTOR1
#undef WARPGAUGE_VECTOR2
#undef WARPGAUGE_VECTOR3
#undef WARPGAUGE_PLAIN_VECTOR3
#undef WARPGAUGE_VECTOR4
#undef WARPGAUGE_WIDE_VECTOR4

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
