// SPDX-License-Identifier: Apache-2.0
// The device, its limits and settings in the CUDA runtime API, answered by the emulated device.
#include <cstring>
#include <optional>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/device_api.h"
#include "profiling/emulator/include/warpgauge_emulator/versions.h"
#include "profiling/emulator/models/device_limits.hpp"

namespace {

using namespace warpgauge::emulator;

constexpr const char* kBusId = "0000:00:00.0";

cudaDeviceProp properties_of_device() {
  cudaDeviceProp all{};
  std::strcpy(all.name, "Warpgauge emulator");
  all.totalGlobalMem = device().memory().total_bytes();
  all.sharedMemPerBlock = kDefaultSharedBytes;
  all.regsPerBlock = kRegistersPerMultiprocessor;
  all.warpSize = kWarpLanes;
  all.memPitch = kMaxGridWidth;
  all.maxThreadsPerBlock = kMaxThreadsPerBlock;
  const int block[] = {kMaxThreadsPerBlock, kMaxThreadsPerBlock, kMaxBlockDepth};
  const int grid[] = {kMaxGridWidth, kMaxGridHeight, kMaxGridHeight};
  std::memcpy(all.maxThreadsDim, block, sizeof block);
  std::memcpy(all.maxGridSize, grid, sizeof grid);
  all.clockRate = kClockKilohertz;
  all.totalConstMem = kConstantBytes;
  all.major = kComputeCapabilityMajor;
  all.minor = kComputeCapabilityMinor;
  all.textureAlignment = 512;
  all.texturePitchAlignment = 32;
  all.deviceOverlap = 1;
  all.multiProcessorCount = kMultiprocessors;
  all.canMapHostMemory = 1;
  all.computeMode = cudaComputeModeDefault;
  all.surfaceAlignment = 512;
  all.concurrentKernels = 1;
  all.asyncEngineCount = 1;
  all.unifiedAddressing = 1;
  all.memoryClockRate = kMemoryClockKilohertz;
  all.memoryBusWidth = kMemoryBusBits;
  all.l2CacheSize = kL2CacheBytes;
  // Programs may set some of it aside, which changes nothing here.
  all.persistingL2CacheMaxSize = kL2CacheBytes / 4 * 3;
  all.accessPolicyMaxWindowSize = all.persistingL2CacheMaxSize;
  all.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  all.streamPrioritiesSupported = 1;
  all.globalL1CacheSupported = 1;
  all.localL1CacheSupported = 1;
  all.sharedMemPerMultiprocessor = kSharedBytesPerMultiprocessor;
  all.regsPerMultiprocessor = kRegistersPerMultiprocessor;
  all.managedMemory = 1;
  all.hostNativeAtomicSupported = 1;
  all.singleToDoublePrecisionPerfRatio = 2;
  all.concurrentManagedAccess = 1;
  all.computePreemptionSupported = 1;
  all.canUseHostPointerForRegisteredMem = 1;
  all.cooperativeLaunch = 1;
  all.clusterLaunch = 1;
  all.sharedMemPerBlockOptin = kMaxSharedBytes;
  all.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
  all.reservedSharedMemPerBlock = kReservedSharedBytesPerBlock;
  all.hostRegisterSupported = 1;
  all.memoryPoolsSupported = 1;
  return all;
}

// As long as CUDA's list of attributes, one after the other.
// NOLINTNEXTLINE(readability-function-size)
std::optional<int> value_of(cudaDeviceAttr attribute) {
  const cudaDeviceProp all = properties_of_device();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return all.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return all.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return all.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return all.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return all.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return all.maxGridSize[1];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(all.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(all.totalConstMem);
    case cudaDevAttrWarpSize:
      return all.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(all.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return all.regsPerBlock;
    case cudaDevAttrClockRate:
      return all.clockRate;
    case cudaDevAttrTextureAlignment:
      return static_cast<int>(all.textureAlignment);
    case cudaDevAttrMultiProcessorCount:
      return all.multiProcessorCount;
    case cudaDevAttrSurfaceAlignment:
      return static_cast<int>(all.surfaceAlignment);
    case cudaDevAttrMemoryClockRate:
      return all.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
      return all.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return all.l2CacheSize;
    case cudaDevAttrMaxPersistingL2CacheSize:
      return all.persistingL2CacheMaxSize;
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return all.accessPolicyMaxWindowSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return all.maxThreadsPerMultiProcessor;
    case cudaDevAttrTexturePitchAlignment:
      return static_cast<int>(all.texturePitchAlignment);
    case cudaDevAttrComputeCapabilityMajor:
      return all.major;
    case cudaDevAttrComputeCapabilityMinor:
      return all.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(all.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return all.regsPerMultiprocessor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return all.singleToDoublePrecisionPerfRatio;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(all.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return all.maxBlocksPerMultiProcessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(all.reservedSharedMemPerBlock);
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    default:
      break;
  }
  // What the emulator has not, as far as CUDA has a name for it.
  if (attribute > 0 && attribute <= cudaDevAttrMemSyncDomainCount) return 0;
  return std::nullopt;
}

// As CUDA sets them.
std::size_t limit_by_default(cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return 1024;
    case cudaLimitPrintfFifoSize:
      return std::size_t{1} << 20;
    case cudaLimitMallocHeapSize:
      return std::size_t{8} << 20;
    default:
      return 0;
  }
}

bool is_limit(cudaLimit limit) {
  return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
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
  *properties = properties_of_device();
  return cudaSuccess;
}

cudaError_t cudaChooseDevice(int* ordinal, const cudaDeviceProp* wanted) {
  if (ordinal == nullptr || wanted == nullptr) return device().keep(cudaErrorInvalidValue);
  *ordinal = 0;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return device().keep(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  device().host().device_flags = flags;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (flags == nullptr) return device().keep(cudaErrorInvalidValue);
  *flags = device().host().device_flags | cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int ordinal, unsigned, unsigned) { return cudaSetDevice(ordinal); }

cudaError_t cudaSetValidDevices(int* devices, int count) {
  for (int i = 0; i < count; ++i) {
    if (devices[i] != 0) return device().keep(cudaErrorInvalidDevice);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (!is_limit(limit)) return device().keep(cudaErrorUnsupportedLimit);
  device().host().limits[limit] = value;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (!is_limit(limit)) return device().keep(cudaErrorUnsupportedLimit);
  if (value == nullptr) return device().keep(cudaErrorInvalidValue);
  const auto set = device().host().limits.find(limit);
  *value = set == device().host().limits.end() ? limit_by_default(limit) : set->second;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  device().host().cache = config;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (config == nullptr) return device().keep(cudaErrorInvalidValue);
  *config = device().host().cache;
  return cudaSuccess;
}

// No device has had a choice since sm_50.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (config == nullptr) return device().keep(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaDeviceReset() {
  const cudaError_t error = device().synchronize();
  device().memory().reset();
  auto signatures = std::move(device().host().signatures);
  device().host() = HostObjects();
  device().host().signatures = std::move(signatures);
  return error;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int ordinal, int peer) {
  if (can == nullptr) return device().keep(cudaErrorInvalidValue);
  if (ordinal != 0 || peer != 0) return device().keep(cudaErrorInvalidDevice);
  *can = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return device().keep(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return device().keep(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return device().keep(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetPCIBusId(char* name, int length, int ordinal) {
  if (ordinal != 0) return device().keep(cudaErrorInvalidDevice);
  if (name == nullptr || length <= static_cast<int>(std::strlen(kBusId))) {
    return device().keep(cudaErrorInvalidValue);
  }
  std::strcpy(name, kBusId);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* ordinal, const char* name) {
  if (ordinal == nullptr || name == nullptr || std::strcmp(name, kBusId) != 0) {
    return device().keep(cudaErrorInvalidValue);
  }
  *ordinal = 0;
  return cudaSuccess;
}
