// SPDX-License-Identifier: Apache-2.0
// Identifies the GPU that is measured.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

// CUDA's current device. Throws DeviceError without a driver or without a GPU.
[[nodiscard]] results::Device current_device();

struct VisibleDevice {
  std::string uuid;
  std::string name;
};

// All devices that CUDA sees, in its order. Throws DeviceError.
[[nodiscard]] std::vector<VisibleDevice> visible_devices();

// The current device's PCI bus id, by which NVML finds it: "0000:19:00.0". Throws DeviceError.
[[nodiscard]] std::string current_pci_bus_id();

// The UUID as nvidia-smi writes it: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
[[nodiscard]] std::string format_uuid(std::span<const char, 16> bytes);

}  // namespace warpgauge::cupti
