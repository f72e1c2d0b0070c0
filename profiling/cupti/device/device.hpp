// SPDX-License-Identifier: Apache-2.0
// Which GPU the results are of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

// The device that CUDA calls current. Throws DeviceError when there is no driver or no GPU.
[[nodiscard]] results::Device current_device();

struct VisibleDevice {
  std::string uuid;
  std::string name;
};

// All that CUDA sees, in its order. Throws DeviceError.
[[nodiscard]] std::vector<VisibleDevice> visible_devices();

// Of the current device, for other libraries of the driver's: "0000:19:00.0". Throws DeviceError.
[[nodiscard]] std::string current_pci_bus_id();

// As nvidia-smi writes it: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
[[nodiscard]] std::string format_uuid(std::span<const char, 16> bytes);

}  // namespace warpgauge::cupti
