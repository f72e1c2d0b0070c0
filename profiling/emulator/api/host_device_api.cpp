// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime API that asks for limits, answered by the emulated device.
#include <optional>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/device_api.h"
#include "profiling/emulator/models/device_limits.hpp"

namespace {

using namespace warpgauge::emulator;

std::optional<int> value_of(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return kMaxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimZ:
      return kMaxBlockDepth;
    case cudaDevAttrMaxGridDimX:
      return kMaxGridWidth;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return kMaxGridHeight;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return kDefaultSharedBytes;
    case cudaDevAttrTotalConstantMemory:
      return kConstantBytes;
    case cudaDevAttrWarpSize:
      return kWarpLanes;
    case cudaDevAttrMultiProcessorCount:
      return kMultiprocessors;
    case cudaDevAttrL2CacheSize:
      return kL2CacheBytes;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return kThreadsPerMultiprocessor;
    case cudaDevAttrComputeCapabilityMajor:
      return kComputeCapabilityMajor;
    case cudaDevAttrComputeCapabilityMinor:
      return kComputeCapabilityMinor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return kSharedBytesPerMultiprocessor;
    case cudaDevAttrCooperativeLaunch:
      return 1;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return kMaxSharedBytes;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return kBlocksPerMultiprocessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return kReservedSharedBytesPerBlock;
  }
  return std::nullopt;
}

}  // namespace

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int ordinal) {
  if (ordinal != 0) return device().keep(cudaErrorInvalidDevice);
  const std::optional<int> found = value_of(attribute);
  if (value == nullptr || !found) return device().keep(cudaErrorInvalidValue);
  *value = *found;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal) {
  if (ordinal != 0) return device().keep(cudaErrorInvalidDevice);
  if (properties == nullptr) return device().keep(cudaErrorInvalidValue);
  *properties = {.name = "Warpgauge emulator",
                 .totalGlobalMem = device().memory().total_bytes(),
                 .sharedMemPerBlock = kDefaultSharedBytes,
                 .warpSize = kWarpLanes,
                 .maxThreadsPerBlock = kMaxThreadsPerBlock,
                 .maxThreadsDim = {kMaxThreadsPerBlock, kMaxThreadsPerBlock, kMaxBlockDepth},
                 .maxGridSize = {kMaxGridWidth, kMaxGridHeight, kMaxGridHeight},
                 .totalConstMem = kConstantBytes,
                 .major = kComputeCapabilityMajor,
                 .minor = kComputeCapabilityMinor,
                 .multiProcessorCount = kMultiprocessors,
                 .unifiedAddressing = 1,
                 .l2CacheSize = kL2CacheBytes,
                 .maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor,
                 .sharedMemPerMultiprocessor = kSharedBytesPerMultiprocessor,
                 .cooperativeLaunch = 1,
                 .sharedMemPerBlockOptin = kMaxSharedBytes,
                 .maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor,
                 .reservedSharedMemPerBlock = kReservedSharedBytesPerBlock};
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (kernel == nullptr) return device().keep(cudaErrorInvalidDeviceFunction);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0) break;
      return device().allow_dynamic_shared(kernel, static_cast<std::size_t>(value));
    case cudaFuncAttributePreferredSharedMemoryCarveout:  // a hint, of a cache that is not there
      if (value < -1 || value > 100) break;
      return cudaSuccess;
  }
  return device().keep(cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int block_threads,
                                                          std::size_t dynamic_shared_bytes) {
  if (kernel == nullptr) return device().keep(cudaErrorInvalidDeviceFunction);
  if (blocks == nullptr || block_threads <= 0) return device().keep(cudaErrorInvalidValue);
  *blocks = static_cast<int>(device().tell_blocks_per_multiprocessor(
      kernel, static_cast<unsigned>(block_threads), dynamic_shared_bytes));
  return cudaSuccess;
}
