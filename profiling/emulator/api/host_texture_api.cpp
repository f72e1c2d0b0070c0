// SPDX-License-Identifier: Apache-2.0
// CUDA's arrays, textures and surfaces, as the host makes and fills them.
#include <algorithm>

#include "profiling/emulator/emulated_device.hpp"

namespace {

using warpgauge::emulator::device;
using warpgauge::emulator::in_stream;
using warpgauge::emulator::Texture;

std::size_t bytes_of(const cudaChannelFormatDesc& format) {
  return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

cudaArray* known(cudaArray_const_t array) {
  return device().host().arrays.find(const_cast<cudaArray_t>(array));
}

// The same copy, where an array is memory of the host.
cudaMemcpyKind to_array(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice) return cudaMemcpyHostToHost;
  return kind == cudaMemcpyDeviceToDevice ? cudaMemcpyDeviceToHost : kind;
}
cudaMemcpyKind from_array(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDeviceToHost) return cudaMemcpyHostToHost;
  return kind == cudaMemcpyDeviceToDevice ? cudaMemcpyHostToDevice : kind;
}

bool holds(const cudaArray& array, std::size_t x, std::size_t y, std::size_t width,
           std::size_t height) {
  return x + width <= array.row_bytes() && y + height <= array.rows();
}

// What the resource is, without what is asked of its texture.
cudaError_t resolve(const cudaResourceDesc& resource, Texture& texture) {
  texture.resource = resource;
  if (resource.resType == cudaResourceTypeArray) {
    cudaArray* array = known(resource.res.array.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    texture.format = array->format;
    texture.data = array->memory.data();
    texture.width = array->extent.width;
    texture.height = array->rows();
    texture.depth = std::max<std::size_t>(array->extent.depth, 1);
    texture.row_bytes = array->row_bytes();
  } else if (resource.resType == cudaResourceTypePitch2D) {
    const auto& from = resource.res.pitch2D;
    texture.format = from.desc;
    texture.data = static_cast<char*>(from.devPtr);
    texture.width = from.width;
    texture.height = from.height;
    texture.row_bytes = from.pitchInBytes;
  } else if (resource.resType == cudaResourceTypeLinear) {
    const auto& from = resource.res.linear;
    texture.format = from.desc;
    texture.data = static_cast<char*>(from.devPtr);
    if (bytes_of(from.desc) == 0) return cudaErrorInvalidChannelDescriptor;
    texture.width = from.sizeInBytes / bytes_of(from.desc);
    texture.row_bytes = from.sizeInBytes;
  } else {
    return cudaErrorNotSupported;
  }
  texture.element_bytes = bytes_of(texture.format);
  if (texture.element_bytes == 0) return cudaErrorInvalidChannelDescriptor;
  return texture.data == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}

}  // namespace

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                            std::size_t width, std::size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, desc, make_cudaExtent(width, height, 0), flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                              cudaExtent extent, unsigned flags) {
  if (array == nullptr || desc == nullptr || extent.width == 0) {
    return device().keep(cudaErrorInvalidValue);
  }
  cudaArray made;
  made.format = *desc;
  made.extent = extent;
  made.flags = flags;
  made.element_bytes = bytes_of(*desc);
  if (made.element_bytes == 0) return device().keep(cudaErrorInvalidChannelDescriptor);
  made.memory.resize(made.row_bytes() * made.rows() * std::max<std::size_t>(extent.depth, 1));
  *array = device().host().arrays.create(std::move(made));
  return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  return device().keep(device().host().arrays.destroy(array) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (known(array) == nullptr) return device().keep(cudaErrorInvalidValue);
  if (desc != nullptr) *desc = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  if (desc == nullptr) return device().keep(cudaErrorInvalidValue);
  return cudaArrayGetInfo(desc, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  cudaArray* array = known(to);
  if (array == nullptr || array->row_bytes() * y + x + bytes > array->memory.size()) {
    return device().keep(cudaErrorInvalidValue);
  }
  return cudaMemcpy(array->memory.data() + y * array->row_bytes() + x, from, bytes, to_array(kind));
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  const cudaArray* array = known(from);
  if (array == nullptr || array->row_bytes() * y + x + bytes > array->memory.size()) {
    return device().keep(cudaErrorInvalidValue);
  }
  return cudaMemcpy(to, array->memory.data() + y * array->row_bytes() + x, bytes, from_array(kind));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  cudaArray* array = known(to);
  if (array == nullptr || !holds(*array, x, y, width, height)) {
    return device().keep(cudaErrorInvalidValue);
  }
  return cudaMemcpy2D(array->memory.data() + y * array->row_bytes() + x, array->row_bytes(), from,
                      pitch, width, height, to_array(kind));
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  const cudaArray* array = known(from);
  if (array == nullptr || !holds(*array, x, y, width, height)) {
    return device().keep(cudaErrorInvalidValue);
  }
  return cudaMemcpy2D(to, pitch, array->memory.data() + y * array->row_bytes() + x,
                      array->row_bytes(), width, height, from_array(kind));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemcpy,
                   [=] { return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind); });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
  });
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  if (texture == nullptr || resource == nullptr || description == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  if (view != nullptr || description->sRGB != 0) return device().keep(cudaErrorNotSupported);
  Texture made;
  if (const cudaError_t error = resolve(*resource, made); error != cudaSuccess) {
    return device().keep(error);
  }
  made.description = *description;
  // CUDA refuses, too, what has no meaning: integers have no values between.
  const bool gives_floats = made.format.f == cudaChannelFormatKindFloat ||
                            description->readMode == cudaReadModeNormalizedFloat;
  if (description->filterMode == cudaFilterModeLinear && !gives_floats) {
    return device().keep(cudaErrorInvalidFilterSetting);
  }
  *texture = reinterpret_cast<cudaTextureObject_t>(device().host().textures.create(made));
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return device().keep(device().host().textures.destroy(reinterpret_cast<Texture*>(texture))
                           ? cudaSuccess
                           : cudaErrorInvalidValue);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture) {
  const Texture* found = device().host().textures.find(reinterpret_cast<Texture*>(texture));
  if (found == nullptr || resource == nullptr) return device().keep(cudaErrorInvalidValue);
  *resource = found->resource;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture) {
  const Texture* found = device().host().textures.find(reinterpret_cast<Texture*>(texture));
  if (found == nullptr || description == nullptr) return device().keep(cudaErrorInvalidValue);
  *description = found->description;
  return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  if (surface == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray) {
    return device().keep(cudaErrorInvalidValue);
  }
  Texture made;
  if (const cudaError_t error = resolve(*resource, made); error != cudaSuccess) {
    return device().keep(error);
  }
  *surface = reinterpret_cast<cudaSurfaceObject_t>(device().host().surfaces.create(made));
  return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return device().keep(device().host().surfaces.destroy(reinterpret_cast<Texture*>(surface))
                           ? cudaSuccess
                           : cudaErrorInvalidValue);
}
