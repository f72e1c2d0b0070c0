// SPDX-License-Identifier: Apache-2.0
// Starts kernels, on a GPU and on the emulator alike: no host compiler parses <<<>>>.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "profiling/backend.hpp"

namespace warpgauge {

// Throws DeviceError that names the call and CUDA's reason.
inline void require_success(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw DeviceError(std::string(call) + " failed: " + cudaGetErrorString(error) + " (" +
                    cudaGetErrorName(error) + ")");
}

// Enqueues `kernel` on the default stream. Arguments are converted to the kernel's parameters, as
// in a call. A grid without blocks has nothing to do and is not launched.
//
// dynamic_shared_bytes: what `extern __shared__` arrays get, in bytes a block.
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

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments&&... arguments) {
  launch_with_shared(kernel, grid, block, 0, static_cast<Arguments&&>(arguments)...);
}

}  // namespace warpgauge
