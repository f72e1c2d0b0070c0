// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace warpgauge::cupti {

// Version of the NVIDIA driver, "580.159.04", from the management library that comes with it;
// without that library the CUDA version that the driver supports, "CUDA 13.0". Never throws on an
// absent driver: "none".
[[nodiscard]] std::string driver_version();

}  // namespace warpgauge::cupti
