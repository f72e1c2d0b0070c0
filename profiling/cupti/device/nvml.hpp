// SPDX-License-Identifier: Apache-2.0
// A GPU's clocks, power, temperature, slowdown reasons and settings, from the driver's management
// library. Loaded at run time, because some machines and toolkits lack it.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// NVML is absent or does not answer. The message says what failed and why.
class NvmlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Loads and starts NVML; shuts it down at the end of its life.
class Nvml {
 public:
  // Throws NvmlError when the library is absent, is not NVML, or does not start.
  explicit Nvml(const std::string& library = kNvmlLibrary);

  // The function of this name, or nullptr: older drivers lack some.
  template <class Function>
  [[nodiscard]] Function function(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

  // Throws NvmlError, with NVML's own reason, unless `result` is success.
  void require(int result, const char* call) const;

  // "580.159.04". Throws NvmlError.
  [[nodiscard]] std::string driver_version() const;

  // Of its program, without the folder; "another program" where NVML does not know.
  [[nodiscard]] std::string name_of_process(unsigned process) const;

 private:
  [[nodiscard]] void* symbol(const char* name) const;

  struct CloseLibrary {
    void operator()(void* library) const;
  };
  struct ShutDown {
    int (*shut_down)();
    void operator()(const void*) const { shut_down(); }
  };
  std::unique_ptr<void, CloseLibrary> library_;
  std::unique_ptr<void, ShutDown> started_{nullptr, {nullptr}};  // only for its deleter
};

class NvmlDevice {
 public:
  // pci_bus_id: from cudaDeviceGetPCIBusId. Throws NvmlError when NVML does not know the device.
  // `nvml` must outlive this.
  NvmlDevice(const Nvml& nvml, const std::string& pci_bus_id);

  // Values that the device does not report are absent. Throws NvmlError when it reports no value.
  [[nodiscard]] results::DeviceReading read() const;

  // Whether heat or the hardware slows the device down now; false when NVML does not know. The
  // driver's power cap does not count: a large matrix product always runs at it.
  [[nodiscard]] bool slowed() const;

  [[nodiscard]] results::DeviceSettings settings() const;

  // Other processes that compute on the device now, on MIG on this process's instance of it,
  // "python3 (process 461)". Throws NvmlError when NVML does not say, or not which of them is this
  // one.
  [[nodiscard]] std::vector<std::string> other_processes() const;

 private:
  [[nodiscard]] std::optional<unsigned long long> reasons() const;

  const Nvml& nvml_;
  void* handle_ = nullptr;
};

}  // namespace warpgauge::cupti
