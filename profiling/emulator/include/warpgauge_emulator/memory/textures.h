// SPDX-License-Identifier: Apache-2.0
// Reads of textures, and reads and writes of surfaces. No figure counts them, which a remark says.
#pragma once

#include <type_traits>

#include "../abi.h"
#include "../low_precision/narrow_float.h"
#include "texture_types.h"

namespace warpgauge_emulator {

// How the coordinates are to be understood.
enum class TextureShape : std::uint8_t { linear, line, plane, volume, lines, planes, cube };

// What a texture holds at one place: numbers as they are, or as floats. Channels that it lacks are
// 0.
struct Texel {
  union {
    float real[4];
    int whole[4];
    unsigned natural[4];
  };
  bool is_real = false;
};

struct TextureCoordinates {
  float x = 0;
  float y = 0;
  float z = 0;
  int index = 0;  // of the layer, or of the element of linear memory
};

void read_texture(Texel* texel, cudaTextureObject_t texture, TextureShape shape,
                  const TextureCoordinates* at, CallSite site);

// The element's address; null: outside, where nothing is read or written. x in bytes.
void* surface_element(cudaSurfaceObject_t surface, int x, int y, int z, std::size_t bytes,
                      cudaSurfaceBoundaryMode mode, CallSite site);

// The channels of T, which is a number or a vector of CUDA's.
template <class T, class = void>
struct Channels {
  using Element = T;
  static constexpr int kCount = 1;
};
template <class T>
struct Channels<T, std::enable_if_t<std::is_class_v<T>>> {
  using Element = decltype(T::x);
  static constexpr int kCount = static_cast<int>(sizeof(T) / sizeof(Element));
};

template <class T>
WARPGAUGE_OF_VALUES T from_texel(const Texel& texel) {
  using Element = typename Channels<T>::Element;
  static_assert(std::is_arithmetic_v<Element>, "a texture gives numbers and CUDA's vectors");
  Element elements[Channels<T>::kCount];
  for (int i = 0; i < Channels<T>::kCount; ++i) {
    elements[i] = texel.is_real               ? static_cast<Element>(texel.real[i])
                  : std::is_signed_v<Element> ? static_cast<Element>(texel.whole[i])
                                              : static_cast<Element>(texel.natural[i]);
  }
  T value{};
  __builtin_memcpy(static_cast<void*>(&value), elements, sizeof value);
  return value;
}

}  // namespace warpgauge_emulator

// By value, or through a pointer.
#define WARPGAUGE_TEXTURE(name, shape, values, ...)                                                \
  template <class T>                                                                               \
  WARPGAUGE_DEVICE_CALL T name(cudaTextureObject_t texture, __VA_ARGS__) {                         \
    ::warpgauge_emulator::TextureCoordinates at;                                                   \
    values;                                                                                        \
    ::warpgauge_emulator::Texel texel;                                                             \
    ::warpgauge_emulator::read_texture(&texel, texture, ::warpgauge_emulator::TextureShape::shape, \
                                       &at, WARPGAUGE_CALL_SITE);                                  \
    return ::warpgauge_emulator::from_texel<T>(texel);                                             \
  }                                                                                                \
  template <class T>                                                                               \
  WARPGAUGE_DEVICE_CALL void name(T* value, cudaTextureObject_t texture, __VA_ARGS__) {            \
    ::warpgauge_emulator::TextureCoordinates at;                                                   \
    values;                                                                                        \
    ::warpgauge_emulator::Texel texel;                                                             \
    ::warpgauge_emulator::read_texture(&texel, texture, ::warpgauge_emulator::TextureShape::shape, \
                                       &at, WARPGAUGE_CALL_SITE);                                  \
    *value = ::warpgauge_emulator::from_texel<T>(texel);                                           \
  }

WARPGAUGE_TEXTURE(tex1Dfetch, linear, at.index = x, int x)
WARPGAUGE_TEXTURE(tex1D, line, at.x = x, float x)
WARPGAUGE_TEXTURE(tex2D, plane, (at.x = x, at.y = y), float x, float y)
WARPGAUGE_TEXTURE(tex3D, volume, (at.x = x, at.y = y, at.z = z), float x, float y, float z)
WARPGAUGE_TEXTURE(tex1DLayered, lines, (at.x = x, at.index = layer), float x, int layer)
WARPGAUGE_TEXTURE(tex2DLayered, planes, (at.x = x, at.y = y, at.index = layer), float x, float y,
                  int layer)
WARPGAUGE_TEXTURE(texCubemap, cube, (at.x = x, at.y = y, at.z = z), float x, float y, float z)

#undef WARPGAUGE_TEXTURE

#define WARPGAUGE_SURFACE(read, write, y, z, ...)                                                  \
  template <class T>                                                                               \
  WARPGAUGE_DEVICE_CALL T read(cudaSurfaceObject_t surface, __VA_ARGS__,                           \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    T value{};                                                                                     \
    const void* element = ::warpgauge_emulator::surface_element(surface, x, y, z, sizeof(T), mode, \
                                                                WARPGAUGE_CALL_SITE);              \
    if (element != nullptr) __builtin_memcpy(&value, element, sizeof(T));                          \
    return value;                                                                                  \
  }                                                                                                \
  template <class T>                                                                               \
  WARPGAUGE_DEVICE_CALL void read(T* value, cudaSurfaceObject_t surface, __VA_ARGS__,              \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
    T read_value{};                                                                                \
    const void* element = ::warpgauge_emulator::surface_element(surface, x, y, z, sizeof(T), mode, \
                                                                WARPGAUGE_CALL_SITE);              \
    if (element != nullptr) __builtin_memcpy(&read_value, element, sizeof(T));                     \
    *value = read_value;                                                                           \
  }                                                                                                \
  template <class T>                                                                               \
  WARPGAUGE_DEVICE_CALL void write(T value, cudaSurfaceObject_t surface, __VA_ARGS__,              \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {          \
    void* element = ::warpgauge_emulator::surface_element(surface, x, y, z, sizeof(T), mode,       \
                                                          WARPGAUGE_CALL_SITE);                    \
    if (element != nullptr) __builtin_memcpy(element, &value, sizeof(T));                          \
  }

WARPGAUGE_SURFACE(surf1Dread, surf1Dwrite, 0, 0, int x)
WARPGAUGE_SURFACE(surf2Dread, surf2Dwrite, y, 0, int x, int y)
WARPGAUGE_SURFACE(surf3Dread, surf3Dwrite, y, z, int x, int y, int z)
WARPGAUGE_SURFACE(surf2DLayeredread, surf2DLayeredwrite, y, layer, int x, int y, int layer)

#undef WARPGAUGE_SURFACE

// A vector's channels have the bits of its elements.
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Element = typename ::warpgauge_emulator::Channels<T>::Element;
  constexpr int kCount = ::warpgauge_emulator::Channels<T>::kCount;
  constexpr int kBits = static_cast<int>(8 * sizeof(Element));
  const auto bits = [](int channel) { return channel < kCount ? kBits : 0; };
  return cudaCreateChannelDesc(bits(0), bits(1), bits(2), bits(3),
                               std::is_floating_point_v<Element> ? cudaChannelFormatKindFloat
                               : std::is_signed_v<Element>       ? cudaChannelFormatKindSigned
                                                                 : cudaChannelFormatKindUnsigned);
}
