// SPDX-License-Identifier: Apache-2.0
// What a launch can leave changed on a device, as CUDA's runtime tells it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <map>
#include <string>

namespace warpgauge {

// By name. What a device does not tell is left out, and what CUDA changes by itself: the size of a
// thread's stack, which it raises for kernels that need more, and the flag that local memory stays
// as large as it has become, which it sets when a graph is made.
[[nodiscard]] inline std::map<std::string, std::string> device_state() {
  std::map<std::string, std::string> state;
  const auto limit = [&state](const char* name, cudaLimit which) {
    std::size_t value = 0;
    if (cudaDeviceGetLimit(&value, which) == cudaSuccess) state[name] = std::to_string(value);
  };
  limit("the limit of persisting L2 lines (cudaLimitPersistingL2CacheSize)",
        cudaLimitPersistingL2CacheSize);
  limit("the L2's granularity (cudaLimitMaxL2FetchGranularity)", cudaLimitMaxL2FetchGranularity);
  limit("the size of the device's heap (cudaLimitMallocHeapSize)", cudaLimitMallocHeapSize);
  cudaFuncCache cache = cudaFuncCachePreferNone;
  if (cudaDeviceGetCacheConfig(&cache) == cudaSuccess) {
    state["the split of L1 and shared memory (cudaDeviceSetCacheConfig)"] =
        std::to_string(static_cast<int>(cache));
  }
  unsigned flags = 0;
  if (cudaGetDeviceFlags(&flags) == cudaSuccess) {
    state["the device's flags (cudaSetDeviceFlags)"] =
        std::to_string(flags & ~static_cast<unsigned>(cudaDeviceLmemResizeToMax));
  }
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) {
    state["the current device (cudaSetDevice)"] = std::to_string(device);
  }
  cudaStreamAttrValue attributes{};
  if (cudaStreamGetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &attributes) ==
      cudaSuccess) {
    state["the default stream's window of persisting lines (cudaStreamSetAttribute)"] =
        std::to_string(attributes.accessPolicyWindow.num_bytes) + " bytes";
  }
  static_cast<void>(cudaGetLastError());  // of what a device does not tell
  return state;
}

}  // namespace warpgauge
