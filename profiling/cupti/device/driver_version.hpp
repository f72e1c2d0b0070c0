// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace warpgauge::cupti {

// Version of the NVIDIA driver according to NVML, "580.159.04"; without NVML the CUDA version that
// the driver supports, "CUDA 13.0"; without a driver "none". Does not throw.
[[nodiscard]] std::string driver_version();

}  // namespace warpgauge::cupti
