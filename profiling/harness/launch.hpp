// SPDX-License-Identifier: Apache-2.0
// Launches kernels on a GPU or on the emulator. Launch errors are thrown; with <<<>>> they would
// wait for cudaGetLastError.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "profiling/harness/backend.hpp"

namespace warpgauge {

// Throws DeviceError, with the call and CUDA's reason, unless `error` is success.
inline void require_success(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw DeviceError(std::string(call) + " failed: " + cudaGetErrorString(error) + " (" +
                    cudaGetErrorName(error) + ")");
}

// Of the current device.
[[nodiscard]] inline int device_attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  require_success(cudaGetDevice(&device), "cudaGetDevice");
  require_success(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

// Call it before a launch with more than 48 KiB of dynamic shared memory a block.
template <class... Parameters>
void allow_dynamic_shared(void (*kernel)(Parameters...), std::size_t bytes) {
  require_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)),
                  "cudaFuncSetAttribute");
}

// Enqueues `kernel` on the default stream. Arguments are converted to the kernel's parameters, as
// in a call. An empty grid is not launched.
//
// dynamic_shared_bytes: size of the `extern __shared__` arrays, in bytes per block.
template <class... Parameters, class... Arguments>
void launch_with_shared(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                        std::size_t dynamic_shared_bytes, Arguments&&... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = dynamic_shared_bytes;
  require_success(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
                  "launch");
}

// The same for a kernel whose blocks wait for each other. All must be resident at once, so the grid
// must have at most resident_blocks() blocks.
template <class... Parameters, class... Arguments>
void launch_cooperative(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                        Arguments&&... arguments) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  require_success(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
                  "cooperative launch");
}

// How many blocks of `threads` threads the device holds at once.
template <class... Parameters>
[[nodiscard]] std::size_t resident_blocks(void (*kernel)(Parameters...), unsigned threads,
                                          std::size_t dynamic_shared_bytes = 0) {
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  int blocks = 0;
  require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                      &blocks, kernel, static_cast<int>(threads), dynamic_shared_bytes),
                  "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(multiprocessors);
}

// The grid of a kernel with a grid-stride loop: `needed` blocks, but at most as many as are
// resident at once, and at least one.
template <class... Parameters>
[[nodiscard]] unsigned grid_stride_blocks(void (*kernel)(Parameters...), unsigned threads,
                                          std::size_t needed,
                                          std::size_t dynamic_shared_bytes = 0) {
  return static_cast<unsigned>(
      std::clamp<std::size_t>(needed, 1, resident_blocks(kernel, threads, dynamic_shared_bytes)));
}

// `count` divided by `part`, rounded up.
[[nodiscard]] constexpr std::size_t parts_of(std::size_t count, std::size_t part) {
  return (count + part - 1) / part;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments&&... arguments) {
  launch_with_shared(kernel, grid, block, 0, static_cast<Arguments&&>(arguments)...);
}

}  // namespace warpgauge
