// SPDX-License-Identifier: Apache-2.0
// What kernels read of textures, and where surfaces have their elements, by the rules of the CUDA
// C++ Programming Guide, "Texture Fetching".
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/execution/block_runner.hpp"
#include "profiling/emulator/include/warpgauge_emulator/low_precision/narrow_float.h"
#include "profiling/emulator/include/warpgauge_emulator/memory/textures.h"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace warpgauge::emulator {
namespace {

using warpgauge_emulator::Texel;
using warpgauge_emulator::TextureCoordinates;
using warpgauge_emulator::TextureShape;

constexpr std::ptrdiff_t kOutside = -1;

bool gives_floats(const Texture& texture) {
  return texture.format.f == cudaChannelFormatKindFloat ||
         texture.description.readMode == cudaReadModeNormalizedFloat;
}

template <class T>
T read(const char* memory) {
  T value;
  std::memcpy(&value, memory, sizeof value);
  return value;
}

float real_channel(const char* memory, int bits, cudaChannelFormatKind kind) {
  if (kind == cudaChannelFormatKindFloat) {
    if (bits == 32) return read<float>(memory);
    return static_cast<float>(
        warpgauge_emulator::decode<warpgauge_emulator::HalfFormat>(read<unsigned short>(memory)));
  }
  if (kind == cudaChannelFormatKindUnsigned) {
    return bits == 8 ? static_cast<float>(read<unsigned char>(memory)) / 255.0F
                     : static_cast<float>(read<unsigned short>(memory)) / 65535.0F;
  }
  const float value = bits == 8 ? static_cast<float>(read<signed char>(memory)) / 127.0F
                                : static_cast<float>(read<short>(memory)) / 32767.0F;
  return std::max(value, -1.0F);
}

int whole_channel(const char* memory, int bits, cudaChannelFormatKind kind) {
  const bool is_signed = kind == cudaChannelFormatKindSigned;
  if (bits == 8) return is_signed ? read<signed char>(memory) : read<unsigned char>(memory);
  if (bits == 16) return is_signed ? read<short>(memory) : read<unsigned short>(memory);
  return read<int>(memory);
}

// By index; kOutside: the border.
Texel texel_at(const Texture& texture, std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z) {
  Texel texel{};
  texel.is_real = gives_floats(texture);
  if (x == kOutside || y == kOutside || z == kOutside) {
    if (texel.is_real) std::copy_n(texture.description.borderColor, 4, texel.real);
    return texel;
  }
  const char* memory =
      texture.data +
      (static_cast<std::size_t>(z) * texture.height + static_cast<std::size_t>(y)) *
          texture.row_bytes +
      static_cast<std::size_t>(x) * texture.element_bytes;
  const std::array<int, 4> bits = {texture.format.x, texture.format.y, texture.format.z,
                                   texture.format.w};
  for (std::size_t channel = 0; channel < bits.size() && bits[channel] > 0; ++channel) {
    if (texel.is_real) {
      texel.real[channel] = real_channel(memory, bits[channel], texture.format.f);
    } else {
      texel.whole[channel] = whole_channel(memory, bits[channel], texture.format.f);
    }
    memory += bits[channel] / 8;
  }
  return texel;
}

// Wrapping and mirroring are of normalized coordinates alone.
std::ptrdiff_t place(std::ptrdiff_t index, std::size_t size, cudaTextureAddressMode mode,
                     bool normalized) {
  const auto length = static_cast<std::ptrdiff_t>(size);
  if (index >= 0 && index < length) return index;
  if (mode == cudaAddressModeBorder) return kOutside;
  if (!normalized || mode == cudaAddressModeClamp) {
    return std::clamp(index, std::ptrdiff_t{0}, length - 1);
  }
  const std::ptrdiff_t period = mode == cudaAddressModeMirror ? 2 * length : length;
  const std::ptrdiff_t within = (index % period + period) % period;
  return within < length ? within : period - 1 - within;
}

// One or two elements along an axis, and the weight of the second.
struct Neighbours {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t second = 0;
  float weight = 0;
};

Neighbours along(const Texture& texture, float coordinate, std::size_t size, unsigned axis) {
  const bool normalized = texture.description.normalizedCoords != 0;
  const cudaTextureAddressMode mode = texture.description.addressMode[axis];
  if (std::isnan(coordinate)) coordinate = 0;
  const float limit = 1e9F;
  float at =
      std::clamp(normalized ? coordinate * static_cast<float>(size) : coordinate, -limit, limit);
  if (texture.description.filterMode == cudaFilterModePoint) {
    const auto index = static_cast<std::ptrdiff_t>(std::floor(at));
    return {place(index, size, mode, normalized), 0, 0};
  }
  at -= 0.5F;
  const float below = std::floor(at);
  const auto index = static_cast<std::ptrdiff_t>(below);
  // Of 8 bits, as hardware has it.
  const float weight = std::round((at - below) * 256.0F) / 256.0F;
  return {place(index, size, mode, normalized), place(index + 1, size, mode, normalized), weight};
}

Texel filtered(const Texture& texture, const Neighbours& x, const Neighbours& y,
               const Neighbours& z) {
  if (texture.description.filterMode == cudaFilterModePoint) {
    return texel_at(texture, x.first, y.first, z.first);
  }
  Texel sum{};
  sum.is_real = true;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const auto weight = [corner](const Neighbours& axis, unsigned bit) {
      return (corner & bit) != 0 ? axis.weight : 1 - axis.weight;
    };
    const auto index = [corner](const Neighbours& axis, unsigned bit) {
      return (corner & bit) != 0 ? axis.second : axis.first;
    };
    const float part = weight(x, 1) * weight(y, 2) * weight(z, 4);
    if (part == 0) continue;
    const Texel texel = texel_at(texture, index(x, 1), index(y, 2), index(z, 4));
    for (int channel = 0; channel < 4; ++channel) sum.real[channel] += part * texel.real[channel];
  }
  return sum;
}

// The face of a cube that a direction points to, and where on it ("Cubemap Textures").
TextureCoordinates on_face(const TextureCoordinates& direction) {
  const float x = direction.x;
  const float y = direction.y;
  const float z = direction.z;
  const float most = std::max({std::abs(x), std::abs(y), std::abs(z)});
  TextureCoordinates at;
  float s = 0;
  float t = -y;
  if (std::abs(x) == most) {
    at.index = x >= 0 ? 0 : 1;
    s = x >= 0 ? -z : z;
  } else if (std::abs(y) == most) {
    at.index = y >= 0 ? 2 : 3;
    s = x;
    t = y >= 0 ? z : -z;
  } else {
    at.index = z >= 0 ? 4 : 5;
    s = z >= 0 ? x : -x;
  }
  at.x = (s / most + 1) / 2;
  at.y = (t / most + 1) / 2;
  return at;
}

Texel sample(const Texture& texture, TextureShape shape, TextureCoordinates at) {
  if (shape == TextureShape::linear) {
    const bool inside = at.index >= 0 && static_cast<std::size_t>(at.index) < texture.width;
    Texel none{};
    none.is_real = gives_floats(texture);
    return inside ? texel_at(texture, at.index, 0, 0) : none;
  }
  if (shape == TextureShape::cube) at = on_face(at);
  const Neighbours x = along(texture, at.x, texture.width, 0);
  Neighbours y;
  Neighbours z;
  const bool has_rows = shape != TextureShape::line && shape != TextureShape::lines;
  if (has_rows) y = along(texture, at.y, texture.height, 1);
  if (shape == TextureShape::volume) z = along(texture, at.z, texture.depth, 2);
  const bool has_layers =
      shape == TextureShape::lines || shape == TextureShape::planes || shape == TextureShape::cube;
  if (has_layers) {
    z.first = std::clamp(std::ptrdiff_t{at.index}, std::ptrdiff_t{0},
                         static_cast<std::ptrdiff_t>(texture.depth) - 1);
  }
  return filtered(texture, x, y, z);
}

}  // namespace
}  // namespace warpgauge::emulator

namespace warpgauge_emulator {

using warpgauge::emulator::device;
using warpgauge::emulator::Texture;

void read_texture(Texel* texel, cudaTextureObject_t texture, TextureShape shape,
                  const TextureCoordinates* at, CallSite site) {
  const Texture* found = device().host().textures.find(reinterpret_cast<Texture*>(texture));
  if (found == nullptr) stop_kernel(StopReason::invalid_call, "no such texture", site);
  warpgauge_emulator_thread_memory.runner->note_uncounted(site);
  *texel = warpgauge::emulator::sample(*found, shape, *at);
}

void* surface_element(cudaSurfaceObject_t surface, int x, int y, int z, std::size_t bytes,
                      cudaSurfaceBoundaryMode mode, CallSite site) {
  const Texture* found = device().host().surfaces.find(reinterpret_cast<Texture*>(surface));
  if (found == nullptr) stop_kernel(StopReason::invalid_call, "no such surface", site);
  warpgauge_emulator_thread_memory.runner->note_uncounted(site);
  const auto row_end = static_cast<int>(found->width * found->element_bytes);
  const auto last = static_cast<int>(bytes);
  if (x % last != 0) {
    stop_kernel(StopReason::invalid_call, "access to a surface that is not aligned to its element",
                site);
  }
  const bool inside = x >= 0 && x + last <= row_end && y >= 0 &&
                      static_cast<std::size_t>(y) < found->height && z >= 0 &&
                      static_cast<std::size_t>(z) < found->depth;
  if (!inside && mode == cudaBoundaryModeZero) return nullptr;
  if (!inside && mode == cudaBoundaryModeTrap) {
    stop_kernel(StopReason::invalid_call, "access outside of a surface", site);
  }
  x = std::clamp(x, 0, row_end - last);
  y = std::clamp(y, 0, static_cast<int>(found->height) - 1);
  z = std::clamp(z, 0, static_cast<int>(found->depth) - 1);
  return found->data +
         (static_cast<std::size_t>(z) * found->height + static_cast<std::size_t>(y)) *
             found->row_bytes +
         static_cast<std::size_t>(x);
}

}  // namespace warpgauge_emulator
