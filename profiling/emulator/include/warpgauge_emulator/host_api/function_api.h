// SPDX-License-Identifier: Apache-2.0
// Host queries about kernels: attributes, occupancy.
#pragma once

#include <cstddef>

#include "device_api.h"
#include "kernel_pointers.h"

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13,
};

enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxShared = 100,
  cudaSharedmemCarveoutMaxL1 = 0,
};

// Registers and local memory are the machine code's, which the emulator has not: 0.
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
};

inline constexpr unsigned cudaOccupancyDefault = 0;
inline constexpr unsigned cudaOccupancyDisableCachingOverride = 1;

// Static shared memory includes the kernel's own variables only, not those of functions that it
// calls.
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config);
cudaError_t cudaFuncGetName(const char** name, const void* kernel);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int block_threads,
                                                          std::size_t dynamic_shared_bytes);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* kernel,
                                                      int blocks, int block_threads);

namespace warpgauge_emulator {

// The block size, a multiple of a warp, with the most threads on a multiprocessor.
template <class BytesOfBlock>
cudaError_t best_block(int* least_grid, int* block, const void* kernel, BytesOfBlock bytes_of_block,
                       int limit) {
  int most_threads = 0;
  int multiprocessors = 0;
  cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (limit <= 0 || limit > 1024) limit = 1024;
  for (int threads = limit / 32 * 32; threads > 0 && error == cudaSuccess; threads -= 32) {
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, threads, static_cast<std::size_t>(bytes_of_block(threads)));
    if (blocks * threads <= most_threads) continue;
    most_threads = blocks * threads;
    *block = threads;
    *least_grid = blocks * multiprocessors;
  }
  return error;
}

}  // namespace warpgauge_emulator

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(
      static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)), attribute, value);
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
  return cudaFuncGetAttributes(
      attributes, static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)));
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(
      static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)), config);
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(
      static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)), config);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel,
                                                          int block_threads,
                                                          std::size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)), block_threads,
      dynamic_shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel kernel,
                                                                   int block_threads,
                                                                   std::size_t dynamic_shared_bytes,
                                                                   unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_threads,
                                                       dynamic_shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, Kernel* kernel,
                                                      int blocks, int block_threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(
      bytes, static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)), blocks,
      block_threads);
}
template <class Kernel, class BytesOfBlock>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* least_grid, int* block,
                                                           Kernel kernel,
                                                           BytesOfBlock bytes_of_block,
                                                           int limit = 0) {
  return ::warpgauge_emulator::best_block(
      least_grid, block, ::warpgauge_emulator::kernel_pointer(kernel), bytes_of_block, limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* block, Kernel kernel,
                                               std::size_t dynamic_shared_bytes = 0,
                                               int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      least_grid, block, kernel, [=](int) { return dynamic_shared_bytes; }, limit);
}
