// SPDX-License-Identifier: Apache-2.0
// CUDA's vector types.
//
// A GPU moves a whole vector in one access. Assignment goes through one vector of the host
// compiler, so that it is one access here too and not one a member.
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

WARPGAUGE_VECTOR2(char2, signed char, 2)
WARPGAUGE_VECTOR2(uchar2, unsigned char, 2)
WARPGAUGE_VECTOR2(short2, short, 4)
WARPGAUGE_VECTOR2(ushort2, unsigned short, 4)
WARPGAUGE_VECTOR2(int2, int, 8)
WARPGAUGE_VECTOR2(uint2, unsigned int, 8)
WARPGAUGE_VECTOR2(float2, float, 8)
WARPGAUGE_VECTOR2(longlong2, long long, 16)
WARPGAUGE_VECTOR2(ulonglong2, unsigned long long, 16)
WARPGAUGE_VECTOR2(double2, double, 16)
WARPGAUGE_VECTOR4(char4, signed char, 4)
WARPGAUGE_VECTOR4(uchar4, unsigned char, 4)
WARPGAUGE_VECTOR4(short4, short, 8)
WARPGAUGE_VECTOR4(ushort4, unsigned short, 8)
WARPGAUGE_VECTOR4(int4, int, 16)
WARPGAUGE_VECTOR4(uint4, unsigned int, 16)
WARPGAUGE_VECTOR4(float4, float, 16)

#undef WARPGAUGE_VECTOR
#undef WARPGAUGE_VECTOR2
#undef WARPGAUGE_VECTOR4

// Three elements are three accesses, on a GPU as well.
struct int3 {
  int x, y, z;
};
struct uint3 {
  unsigned int x, y, z;
};
struct float3 {
  float x, y, z;
};
constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
constexpr float3 make_float3(float x, float y, float z) { return {x, y, z}; }

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
