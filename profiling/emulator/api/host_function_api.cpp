// SPDX-License-Identifier: Apache-2.0
// Kernels as the CUDA runtime API sees them: by pointer, their attributes, their occupancy.
#include <algorithm>
#include <cstdio>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/function_api.h"
#include "profiling/emulator/models/device_limits.hpp"

using namespace warpgauge::emulator;

namespace warpgauge_emulator {

void remember_kernel(const void* kernel, const KernelSignature& signature) {
  device().host().signatures.insert_or_assign(kernel, signature);
}

const KernelSignature* find_signature(const void* kernel) {
  const auto found = device().host().signatures.find(kernel);
  return found == device().host().signatures.end() ? nullptr : &found->second;
}

}  // namespace warpgauge_emulator

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  if (config == nullptr) return device().keep(cudaErrorInvalidValue);
  const auto* signature = warpgauge_emulator::find_signature(kernel);
  if (signature == nullptr) {
    std::fprintf(
        stderr,
        "Warpgauge emulator: a launch by a pointer whose kernel is unknown; pass the launch "
        "(void*)kernel or the kernel's name\n");
    return device().keep(cudaErrorInvalidDeviceFunction);
  }
  if (signature->count > 0 && arguments == nullptr) return device().keep(cudaErrorInvalidValue);
  return signature->launch(config, kernel, arguments);
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes, cudaStream_t stream) {
  const cudaLaunchConfig_t config{grid, block, dynamic_shared_bytes, stream, nullptr, 0};
  return cudaLaunchKernelExC(&config, kernel, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t dynamic_shared_bytes, cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  const cudaLaunchConfig_t config{grid, block, dynamic_shared_bytes, stream, &cooperative, 1};
  return cudaLaunchKernelExC(&config, kernel, arguments);
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
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      device().allow_large_clusters(kernel, value != 0);
      return cudaSuccess;
  }
  return device().keep(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  if (kernel == nullptr) return device().keep(cudaErrorInvalidDeviceFunction);
  if (attributes == nullptr) return device().keep(cudaErrorInvalidValue);
  *attributes = {};
  attributes->sharedSizeBytes = device().static_shared(kernel);
  attributes->maxThreadsPerBlock = kMaxThreadsPerBlock;
  attributes->ptxVersion = kComputeCapabilityMajor * 10 + kComputeCapabilityMinor;
  attributes->binaryVersion = attributes->ptxVersion;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(device().most_dynamic_shared(kernel));
  attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache) {
  return device().keep(kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess);
}

cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig) {
  return device().keep(kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess);
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

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* kernel,
                                                      int blocks, int block_threads) {
  if (kernel == nullptr) return device().keep(cudaErrorInvalidDeviceFunction);
  if (bytes == nullptr || blocks <= 0 || block_threads <= 0) {
    return device().keep(cudaErrorInvalidValue);
  }
  const std::size_t taken = device().static_shared(kernel) + kReservedSharedBytesPerBlock;
  const std::size_t share = kSharedBytesPerMultiprocessor / static_cast<std::size_t>(blocks);
  *bytes = share > taken ? std::min(share - taken, kMaxSharedBytes) : 0;
  return cudaSuccess;
}
