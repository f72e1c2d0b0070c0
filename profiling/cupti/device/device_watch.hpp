// SPDX-License-Identifier: Apache-2.0
// Watches the device while a benchmark is timed, and records how it fared.
#pragma once

#include <optional>
#include <string>

#include "profiling/cupti/device/nvml.hpp"
#include "profiling/cupti/timing/timing.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

class DeviceWatch {
 public:
  // Without NVML, or when it does not know the device, nothing is watched and the reason recorded.
  // Starting NVML takes tens of milliseconds, so once a process is enough.
  explicit DeviceWatch(const std::string& pci_bus_id, const std::string& library = kNvmlLibrary);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch() = default;

  // Forgets the last benchmark.
  void begin();

  // For take_samples. Asked first, it reads the sensors as well: the device is warm by then.
  [[nodiscard]] bool slowed();

  // Reads the sensors again, and puts into the record what was seen.
  void finish(const Timing& timing, results::Record& record);

  [[nodiscard]] results::DeviceSettings settings() const;

 private:
  [[nodiscard]] std::optional<results::DeviceReading> read();

  std::optional<Nvml> nvml_;
  std::optional<NvmlDevice> device_;
  std::string not_watched_;   // why; empty: it is
  std::string not_measured_;  // of this benchmark
  std::optional<results::DeviceReading> before_;
};

}  // namespace warpgauge::cupti
