// SPDX-License-Identifier: Apache-2.0
// Watches the device's clocks, power and temperature while a benchmark is timed, and records them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/cupti/device/nvml.hpp"
#include "profiling/cupti/timing/timing.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

class DeviceWatch {
 public:
  // Without NVML, or when NVML does not know the device, only the reason is recorded. Create it
  // once per process: starting NVML takes tens of milliseconds.
  explicit DeviceWatch(const std::string& pci_bus_id, const std::string& library = kNvmlLibrary);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch() = default;

  // Forgets the last benchmark.
  void begin();

  // For take_samples. The first call also reads the sensors: the device is warm by then.
  [[nodiscard]] bool slowed();

  // Reads the sensors again and stores all observations in the record.
  void finish(const Timing& timing, results::Record& record);

  [[nodiscard]] results::DeviceSettings settings() const;

 private:
  [[nodiscard]] std::optional<results::DeviceReading> read();
  [[nodiscard]] std::vector<std::string> others_now();
  [[nodiscard]] std::vector<std::string> others_throughout();

  std::optional<Nvml> nvml_;
  std::optional<NvmlDevice> device_;
  std::string not_watched_;   // why nothing is watched; empty: the device is watched
  std::string not_measured_;  // why this benchmark has no observations
  std::optional<results::DeviceReading> before_;
  std::vector<std::string> others_before_;
  std::string others_unknown_;  // why; empty: they are known
};

}  // namespace warpgauge::cupti
