// SPDX-License-Identifier: Apache-2.0
// Whether a rule of a policy speaks of a metric or a device.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace warpgauge::ci {

[[nodiscard]] inline bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// No devices: any. Of a device that is not known (empty), any may be.
[[nodiscard]] inline bool is_of_any(const std::vector<std::string>& devices,
                                    const std::string& device) {
  return devices.empty() || device.empty() || is_among(devices, device);
}

}  // namespace warpgauge::ci
