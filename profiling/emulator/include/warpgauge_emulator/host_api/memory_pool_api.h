// SPDX-License-Identifier: Apache-2.0
// Memory pools: what they hold is allocated and freed at once, so their settings change nothing.
#pragma once

#include "memory_api.h"

using cudaMemPool_t = struct CUmemPoolHandle_st*;

enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8,
};

enum cudaMemAllocationType {
  cudaMemAllocationTypeInvalid = 0,
  cudaMemAllocationTypePinned = 1,
  cudaMemAllocationTypeManaged = 2,
};

enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone = 0,
  cudaMemHandleTypePosixFileDescriptor = 1,
  cudaMemHandleTypeWin32 = 2,
  cudaMemHandleTypeWin32Kmt = 4,
  cudaMemHandleTypeFabric = 8,
};

struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  std::size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3,
};

struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptions,
                                 std::size_t count);
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes);
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);

// Between processes, which the emulated device does not do: its attribute of the handles that it
// supports is 0, and these give cudaErrorNotSupported.
struct cudaMemPoolPtrExportData {
  unsigned char reserved[64];
};
cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool,
                                               cudaMemAllocationHandleType type, unsigned flags);
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle,
                                                 cudaMemAllocationHandleType type, unsigned flags);
cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* pointer);
cudaError_t cudaMemPoolImportPointer(void** pointer, cudaMemPool_t pool,
                                     cudaMemPoolPtrExportData* data);

template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync(::warpgauge_emulator::untyped(pointer), bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(::warpgauge_emulator::untyped(pointer), bytes, pool, stream);
}
