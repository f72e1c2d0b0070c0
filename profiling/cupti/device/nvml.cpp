// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace warpgauge::cupti {
namespace {

// NVML's types and constants, so that nvml.h is not needed: nvmlReturn_t and the other enumerations
// are ints, a device is a pointer.
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kTemperatureOfGpu = 0;

using GetNumber = int (*)(Device, unsigned*);
using GetNumberOf = int (*)(Device, int, unsigned*);
using GetNumbers = int (*)(Device, unsigned* current, unsigned* pending);
using GetReasons = int (*)(Device, unsigned long long*);

constexpr unsigned long long kHardwareSlowdown = 0x8;
constexpr unsigned long long kSoftwareThermalSlowdown = 0x20;
constexpr unsigned long long kHardwareThermalSlowdown = 0x40;
constexpr unsigned long long kHardwarePowerBrake = 0x80;
constexpr unsigned long long kSlowdown =
    kHardwareSlowdown | kSoftwareThermalSlowdown | kHardwareThermalSlowdown | kHardwarePowerBrake;

constexpr std::array<std::pair<unsigned long long, const char*>, 9> kReasons{
    {{0x1, "idle"},
     {0x2, "application_clocks"},
     {0x4, "software_power_cap"},
     {kHardwareSlowdown, "hardware_slowdown"},
     {0x10, "sync_boost"},
     {kSoftwareThermalSlowdown, "software_thermal_slowdown"},
     {kHardwareThermalSlowdown, "hardware_thermal_slowdown"},
     {kHardwarePowerBrake, "hardware_power_brake"},
     {0x100, "display_clocks"}}};

std::vector<std::string> names_of(unsigned long long reasons) {
  std::vector<std::string> names;
  for (const auto& [bit, name] : kReasons) {
    if ((reasons & bit) != 0) names.emplace_back(name);
    reasons &= ~bit;
  }
  if (reasons != 0) names.push_back(fmt::format("unknown_{:#x}", reasons));
  return names;
}

// The value that a call returns; absent when the driver lacks the call or the device has no answer.
class Asker {
 public:
  Asker(const Nvml& nvml, Device device) : nvml_(nvml), device_(device) {}

  [[nodiscard]] std::optional<double> number(const char* name, double unit = 1) const {
    const auto get = nvml_.function<GetNumber>(name);
    unsigned value = 0;
    if (get == nullptr || get(device_, &value) != kSuccess) return std::nullopt;
    return value * unit;
  }

  [[nodiscard]] std::optional<double> number_of(const char* name, int what) const {
    const auto get = nvml_.function<GetNumberOf>(name);
    unsigned value = 0;
    if (get == nullptr || get(device_, what, &value) != kSuccess) return std::nullopt;
    return value;
  }

  // Whether a mode is on now; a pending change takes effect at the next restart.
  [[nodiscard]] std::optional<bool> mode(const char* name) const {
    const auto get = nvml_.function<GetNumbers>(name);
    unsigned current = 0;
    unsigned pending = 0;
    if (get == nullptr || get(device_, &current, &pending) != kSuccess) return std::nullopt;
    return current != 0;
  }

 private:
  const Nvml& nvml_;
  Device device_;
};

constexpr double kMilliwatt = 1e-3;

// nvmlProcessInfo_t, version 2 and later.
struct ProcessOnDevice {
  unsigned id;
  unsigned long long memory_bytes;
  unsigned gpu_instance;  // of MIG; all alike without it
  unsigned compute_instance;
};
using GetProcesses = int (*)(Device, unsigned* count, ProcessOnDevice*);

}  // namespace

void Nvml::CloseLibrary::operator()(void* library) const { dlclose(library); }

Nvml::Nvml(const std::string& library) : library_(dlopen(library.c_str(), RTLD_NOW)) {
  if (!library_) {
    throw NvmlError(
        fmt::format("there is no {}, which comes with NVIDIA's driver; in a container, "
                    "let it in with NVIDIA_DRIVER_CAPABILITIES=utility,compute",
                    library));
  }
  using Call = int (*)();
  const auto start = function<Call>("nvmlInit_v2");
  const auto shut_down = function<Call>("nvmlShutdown");
  if (start == nullptr || shut_down == nullptr) {
    throw NvmlError(
        fmt::format("{} lacks nvmlInit_v2 or nvmlShutdown: it is not NVML, or older "
                    "than any driver that CUDA can use",
                    library));
  }
  require(start(), "nvmlInit_v2");
  started_ = {library_.get(), {shut_down}};
}

// Without its folder.
std::string Nvml::name_of_process(unsigned process) const {
  const auto get = function<int (*)(unsigned, char*, unsigned)>("nvmlSystemGetProcessName");
  std::array<char, 256> name{};
  if (get == nullptr || get(process, name.data(), name.size()) != kSuccess)
    return "another program";
  return std::filesystem::path(name.data()).filename().string();
}

void* Nvml::symbol(const char* name) const { return dlsym(library_.get(), name); }

void Nvml::require(int result, const char* call) const {
  if (result == kSuccess) return;
  const auto describe = function<const char* (*)(int)>("nvmlErrorString");
  const char* reason = describe == nullptr ? nullptr : describe(result);
  throw NvmlError(fmt::format("{} failed: {} (NVML's error {})", call,
                              reason == nullptr ? "no reason given" : reason, result));
}

std::string Nvml::driver_version() const {
  const auto get = function<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (get == nullptr) throw NvmlError("NVML has no nvmlSystemGetDriverVersion");
  std::array<char, 96> version{};
  require(get(version.data(), version.size()), "nvmlSystemGetDriverVersion");
  return version.data();
}

NvmlDevice::NvmlDevice(const Nvml& nvml, const std::string& pci_bus_id) : nvml_(nvml) {
  constexpr const char* kCall = "nvmlDeviceGetHandleByPciBusId_v2";
  const auto get = nvml.function<int (*)(const char*, Device*)>(kCall);
  if (get == nullptr) throw NvmlError(fmt::format("NVML has no {}: update the driver", kCall));
  nvml.require(get(pci_bus_id.c_str(), &handle_), kCall);
}

std::optional<unsigned long long> NvmlDevice::reasons() const {
  // The first name is used since driver 535, the second before it.
  for (const char* name :
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}) {
    const auto get = nvml_.function<GetReasons>(name);
    unsigned long long reasons = 0;
    if (get != nullptr && get(handle_, &reasons) == kSuccess) return reasons;
  }
  return std::nullopt;
}

results::DeviceReading NvmlDevice::read() const {
  const Asker ask(nvml_, handle_);
  results::DeviceReading reading;
  reading.sm_clock_mhz = ask.number_of("nvmlDeviceGetClockInfo", kSmClock);
  reading.memory_clock_mhz = ask.number_of("nvmlDeviceGetClockInfo", kMemoryClock);
  reading.power_w = ask.number("nvmlDeviceGetPowerUsage", kMilliwatt);
  reading.power_limit_w = ask.number("nvmlDeviceGetEnforcedPowerLimit", kMilliwatt);
  reading.temperature_c = ask.number_of("nvmlDeviceGetTemperature", kTemperatureOfGpu);
  if (const auto all = reasons()) reading.slowed_by = names_of(*all);
  if (reading == results::DeviceReading()) {
    throw NvmlError("the device gives neither clocks nor power nor temperature");
  }
  return reading;
}

bool NvmlDevice::slowed() const { return (reasons().value_or(0) & kSlowdown) != 0; }

results::DeviceSettings NvmlDevice::settings() const {
  const Asker ask(nvml_, handle_);
  results::DeviceSettings settings;
  settings.sm_clock_mhz = ask.number_of("nvmlDeviceGetApplicationsClock", kSmClock);
  settings.memory_clock_mhz = ask.number_of("nvmlDeviceGetApplicationsClock", kMemoryClock);
  settings.most_sm_clock_mhz = ask.number_of("nvmlDeviceGetMaxClockInfo", kSmClock);
  settings.most_memory_clock_mhz = ask.number_of("nvmlDeviceGetMaxClockInfo", kMemoryClock);
  settings.power_limit_w = ask.number("nvmlDeviceGetEnforcedPowerLimit", kMilliwatt);
  settings.usual_power_limit_w = ask.number("nvmlDeviceGetPowerManagementDefaultLimit", kMilliwatt);
  settings.ecc = ask.mode("nvmlDeviceGetEccMode");
  settings.mig = ask.mode("nvmlDeviceGetMigMode");
  if (const auto mode = ask.number("nvmlDeviceGetPersistenceMode")) {
    settings.persistence = *mode != 0;
  }
  if (settings == results::DeviceSettings()) {
    settings.not_measured = "NVML gives none of this device's settings";
  }
  return settings;
}

std::vector<std::string> NvmlDevice::other_processes() const {
  constexpr const char* kCall = "nvmlDeviceGetComputeRunningProcesses_v3";
  constexpr std::size_t kMost = 64;
  const auto get = nvml_.function<GetProcesses>(kCall);
  if (get == nullptr) throw NvmlError(fmt::format("NVML has no {}: update the driver", kCall));
  std::array<ProcessOnDevice, kMost> all{};
  unsigned count = kMost;
  nvml_.require(get(handle_, &count, all.data()), kCall);
  const auto own = static_cast<unsigned>(::getpid());
  const auto there = std::span(all).first(std::min<std::size_t>(count, kMost));
  const auto us =
      std::find_if(there.begin(), there.end(), [&](const auto& each) { return each.id == own; });
  if (us == there.end()) {
    throw NvmlError(
        "NVML does not list this process by its number, as in a container that numbers its own: "
        "start it with the host's numbers, as by docker's --pid=host");
  }
  std::vector<std::string> others;
  for (const ProcessOnDevice& each : there) {
    if (each.id == own || each.gpu_instance != us->gpu_instance) continue;
    others.push_back(fmt::format("{} (process {})", nvml_.name_of_process(each.id), each.id));
  }
  return others;
}

}  // namespace warpgauge::cupti
