// SPDX-License-Identifier: Apache-2.0
// What the driver's management library says of a GPU: clocks, power, temperature, why it is slowed,
// and how it is set up. Loaded at run time: neither every machine nor every toolkit has it.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// NVML cannot be had, or does not answer. The message says what failed, and why.
class NvmlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// NVML, ready for use while this lives.
class Nvml {
 public:
  // Throws NvmlError when the library is absent, is none of NVML's, or does not start.
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
  std::unique_ptr<void, ShutDown> started_{nullptr, {nullptr}};  // points to nothing of its own
};

class NvmlDevice {
 public:
  // pci_bus_id: as cudaDeviceGetPCIBusId gives it. Throws NvmlError when NVML does not know the
  // device. `nvml` must outlive this.
  NvmlDevice(const Nvml& nvml, const std::string& pci_bus_id);

  // Values that the device does not give are absent. Throws NvmlError when it gives none at all.
  [[nodiscard]] results::DeviceReading read() const;

  // Whether heat or the hardware slows the device down at this moment; false when NVML cannot tell.
  // The driver's power cap is none of that: a large matrix product runs at it.
  [[nodiscard]] bool slowed() const;

  [[nodiscard]] results::DeviceSettings settings() const;

 private:
  [[nodiscard]] std::optional<unsigned long long> reasons() const;

  const Nvml& nvml_;
  void* handle_ = nullptr;
};

}  // namespace warpgauge::cupti
