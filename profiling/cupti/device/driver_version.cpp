// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/driver_version.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "profiling/cupti/device/nvml.hpp"

namespace warpgauge::cupti {

std::string driver_version() {
  try {
    return Nvml().driver_version();
  } catch (const NvmlError&) {
    // Fall back to CUDA's answer.
  }
  int cuda = 0;
  if (cudaDriverGetVersion(&cuda) != cudaSuccess || cuda == 0) return "none";
  return fmt::format("CUDA {}.{}", cuda / 1000, cuda % 1000 / 10);
}

}  // namespace warpgauge::cupti
