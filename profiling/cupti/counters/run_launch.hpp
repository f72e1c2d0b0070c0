// SPDX-License-Identifier: Apache-2.0
// A launch that is waited for and checked, as counting needs it.
#pragma once

#include <functional>

#include "profiling/harness/launch.hpp"

namespace warpgauge::cupti {

// Throws as require_success() when the launch or the kernel fails.
inline void run(const std::function<void()>& launch) {
  launch();
  require_success(cudaGetLastError(), "launch");
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
}

}  // namespace warpgauge::cupti
