// SPDX-License-Identifier: Apache-2.0
// CUDA's arrays, and what a texture or surface object reads. The host's memory holds an array:
// kernels see it through textures and surfaces only, which no figure counts.
#pragma once

#include <cstddef>
#include <vector>

#include "profiling/emulator/include/warpgauge_emulator/memory/texture_types.h"

struct cudaArray {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  // in elements; 0: the array has not that dimension
  unsigned flags = 0;
  std::size_t element_bytes = 0;
  std::vector<char> memory;

  [[nodiscard]] std::size_t row_bytes() const { return extent.width * element_bytes; }
  [[nodiscard]] std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
};

namespace warpgauge::emulator {

struct Texture {
  cudaResourceDesc resource{};
  cudaTextureDesc description{};
  cudaChannelFormatDesc format{};
  char* data = nullptr;
  std::size_t element_bytes = 0;
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t depth = 1;  // or layers, or faces
  std::size_t row_bytes = 0;
};

}  // namespace warpgauge::emulator
