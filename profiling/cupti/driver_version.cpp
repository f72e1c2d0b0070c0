// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/driver_version.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

namespace warpgauge::cupti {
namespace {

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};

// Declared here, since not every toolkit has nvml.h: nvmlReturn_t is an int, 0 is success.
using Initialize = int (*)();
using GetDriverVersion = int (*)(char* version, unsigned length);
using Shutdown = int (*)();

std::optional<std::string> version_from_nvml() {
  const std::unique_ptr<void, CloseLibrary> nvml(dlopen("libnvidia-ml.so.1", RTLD_NOW));
  if (!nvml) return std::nullopt;
  const auto initialize = reinterpret_cast<Initialize>(dlsym(nvml.get(), "nvmlInit_v2"));
  const auto get_version =
      reinterpret_cast<GetDriverVersion>(dlsym(nvml.get(), "nvmlSystemGetDriverVersion"));
  const auto shutdown = reinterpret_cast<Shutdown>(dlsym(nvml.get(), "nvmlShutdown"));
  if (initialize == nullptr || get_version == nullptr || shutdown == nullptr) return std::nullopt;
  if (initialize() != 0) return std::nullopt;
  std::array<char, 96> version{};
  const bool found = get_version(version.data(), version.size()) == 0;
  shutdown();
  if (!found) return std::nullopt;
  return std::string(version.data());
}

}  // namespace

std::string driver_version() {
  if (auto version = version_from_nvml()) return *version;
  int cuda = 0;
  if (cudaDriverGetVersion(&cuda) != cudaSuccess || cuda == 0) return "none";
  return fmt::format("CUDA {}.{}", cuda / 1000, cuda % 1000 / 10);
}

}  // namespace warpgauge::cupti
