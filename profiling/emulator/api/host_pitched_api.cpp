// SPDX-License-Identifier: Apache-2.0
// Memory in rows and layers, and memory pools, answered by the emulated device.
#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/memory_pool_api.h"
#include "profiling/emulator/include/warpgauge_emulator/host_api/pitched_memory.h"

namespace {

using warpgauge::emulator::device;
using warpgauge::emulator::in_stream;

constexpr std::size_t kRowAlignment = 512;

cudaError_t worst(cudaError_t first, cudaError_t second) {
  return first == cudaSuccess ? second : first;
}

// The first byte of a row within a layer.
char* row(const cudaPitchedPtr& memory, const cudaPos& from, std::size_t y, std::size_t z) {
  return static_cast<char*>(memory.ptr) +
         ((from.z + z) * memory.ysize + from.y + y) * memory.pitch + from.x;
}

// An array as memory of the host, which it is; x in bytes.
bool as_memory(cudaArray_t array, cudaPitchedPtr& memory, cudaPos& place) {
  cudaArray* found = device().host().arrays.find(array);
  if (found == nullptr) return false;
  memory = make_cudaPitchedPtr(found->memory.data(), found->row_bytes(), found->row_bytes(),
                               found->rows());
  place.x *= found->element_bytes;
  return true;
}

bool fits(const cudaArray& array, const cudaPos& place, const cudaExtent& extent) {
  return place.x + extent.width <= array.row_bytes() && place.y + extent.height <= array.rows() &&
         (place.z + extent.depth - 1) * array.row_bytes() * array.rows() < array.memory.size();
}

// The copy without arrays, whose extents are in elements.
bool by_memory(const cudaMemcpy3DParms& given, cudaMemcpy3DParms& copy) {
  copy = given;
  const cudaArray_t any = given.srcArray != nullptr ? given.srcArray : given.dstArray;
  if (any == nullptr) return true;
  if (device().host().arrays.find(any) == nullptr) return false;
  copy.extent.width *= any->element_bytes;
  if (given.srcArray != nullptr) {
    if (!as_memory(given.srcArray, copy.srcPtr, copy.srcPos)) return false;
    if (!fits(*given.srcArray, copy.srcPos, copy.extent)) return false;
    copy.kind = copy.kind == cudaMemcpyDeviceToHost     ? cudaMemcpyHostToHost
                : copy.kind == cudaMemcpyDeviceToDevice ? cudaMemcpyHostToDevice
                                                        : copy.kind;
  }
  if (given.dstArray != nullptr) {
    if (!as_memory(given.dstArray, copy.dstPtr, copy.dstPos)) return false;
    if (!fits(*given.dstArray, copy.dstPos, copy.extent)) return false;
    copy.kind = copy.kind == cudaMemcpyHostToDevice     ? cudaMemcpyHostToHost
                : copy.kind == cudaMemcpyDeviceToDevice ? cudaMemcpyDeviceToHost
                                                        : copy.kind;
  }
  return true;
}

CUmemPoolHandle_st* find_pool(cudaMemPool_t pool) {
  auto& host = device().host();
  return pool == &host.default_pool ? pool : host.pools.find(pool);
}

}  // namespace

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  if (pitch == nullptr) return device().keep(cudaErrorInvalidValue);
  *pitch = (width + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (pointer == nullptr) return device().keep(cudaErrorInvalidValue);
  *pointer = make_cudaPitchedPtr(nullptr, 0, extent.width, extent.height);
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return device().keep(cudaErrorInvalidPitchValue);
  cudaError_t error = cudaSuccess;
  for (std::size_t y = 0; y < height; ++y) {
    error = worst(error, cudaMemcpy(static_cast<char*>(to) + y * to_pitch,
                                    static_cast<const char*>(from) + y * from_pitch, width, kind));
  }
  return error;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
  });
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  if (width > pitch) return device().keep(cudaErrorInvalidPitchValue);
  cudaError_t error = cudaSuccess;
  for (std::size_t y = 0; y < height; ++y) {
    error = worst(error, cudaMemset(static_cast<char*>(pointer) + y * pitch, value, width));
  }
  return error;
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemset,
                   [=] { return cudaMemset2D(pointer, pitch, value, width, height); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* given) {
  cudaMemcpy3DParms with_memory{};
  if (given == nullptr || !by_memory(*given, with_memory)) {
    return device().keep(cudaErrorInvalidValue);
  }
  const cudaMemcpy3DParms* copy = &with_memory;
  cudaError_t error = cudaSuccess;
  for (std::size_t z = 0; z < copy->extent.depth; ++z) {
    for (std::size_t y = 0; y < copy->extent.height; ++y) {
      error = worst(
          error, cudaMemcpy(row(copy->dstPtr, copy->dstPos, y, z),
                            row(copy->srcPtr, copy->srcPos, y, z), copy->extent.width, copy->kind));
    }
  }
  return error;
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
  if (copy == nullptr) return device().keep(cudaErrorInvalidValue);
  return in_stream(stream, cudaGraphNodeTypeMemcpy,
                   [parameters = *copy] { return cudaMemcpy3D(&parameters); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  cudaError_t error = cudaSuccess;
  for (std::size_t z = 0; z < extent.depth; ++z) {
    for (std::size_t y = 0; y < extent.height; ++y) {
      error = worst(error, cudaMemset(row(pointer, {}, y, z), value, extent.width));
    }
  }
  return error;
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemset,
                   [=] { return cudaMemset3D(pointer, value, extent); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return device().keep(cudaErrorInvalidValue);
  *pool = device().host().pools.create({});
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return device().keep(device().host().pools.destroy(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int ordinal) {
  if (ordinal != 0) return device().keep(cudaErrorInvalidDevice);
  if (pool == nullptr) return device().keep(cudaErrorInvalidValue);
  *pool = &device().host().default_pool;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int ordinal) {
  return cudaDeviceGetDefaultMemPool(pool, ordinal);
}

cudaError_t cudaDeviceSetMemPool(int ordinal, cudaMemPool_t pool) {
  if (ordinal != 0) return device().keep(cudaErrorInvalidDevice);
  return device().keep(find_pool(pool) == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}

// The first three attributes are ints, the others numbers of 8 bytes.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  CUmemPoolHandle_st* found = find_pool(pool);
  if (found == nullptr || value == nullptr) return device().keep(cudaErrorInvalidValue);
  found->attributes[attribute] =
      attribute < cudaMemPoolAttrReleaseThreshold
          ? static_cast<unsigned long long>(*static_cast<const int*>(value))
          : *static_cast<const unsigned long long*>(value);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  CUmemPoolHandle_st* found = find_pool(pool);
  if (found == nullptr || value == nullptr) return device().keep(cudaErrorInvalidValue);
  const unsigned long long kept = found->attributes[attribute];
  if (attribute < cudaMemPoolAttrReleaseThreshold) {
    *static_cast<int*>(value) = static_cast<int>(kept);
  } else {
    *static_cast<unsigned long long*>(value) = kept;
  }
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, std::size_t) {
  return device().keep(find_pool(pool) == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}

// The only device's, and the host's.
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  if (flags == nullptr || location == nullptr || find_pool(pool) == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}

cudaError_t cudaMemPoolExportToShareableHandle(void*, cudaMemPool_t, cudaMemAllocationHandleType,
                                               unsigned) {
  return device().keep(cudaErrorNotSupported);
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t*, void*, cudaMemAllocationHandleType,
                                                 unsigned) {
  return device().keep(cudaErrorNotSupported);
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData*, void*) {
  return device().keep(cudaErrorNotSupported);
}

cudaError_t cudaMemPoolImportPointer(void**, cudaMemPool_t, cudaMemPoolPtrExportData*) {
  return device().keep(cudaErrorNotSupported);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return device().keep(find_pool(pool) == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (find_pool(pool) == nullptr) return device().keep(cudaErrorInvalidValue);
  return cudaMallocAsync(pointer, bytes, stream);
}
