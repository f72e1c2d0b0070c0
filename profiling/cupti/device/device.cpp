// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/device.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "profiling/cupti/device/driver_version.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge::cupti {
namespace {

void require_device() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaErrorInsufficientDriver) {
    throw DeviceError(fmt::format(
        "no NVIDIA driver for CUDA {}.{} (driver: {}): install or update it, or run the emulated "
        "suite",
        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, driver_version()));
  }
  if (error == cudaErrorNoDevice || (error == cudaSuccess && devices == 0)) {
    throw DeviceError(
        "the NVIDIA driver sees no GPU: see nvidia-smi, CUDA_VISIBLE_DEVICES and, in a container, "
        "--gpus; or run the emulated suite");
  }
  require_success(error, "cudaGetDeviceCount");
}

}  // namespace

std::string format_uuid(std::span<const char, 16> bytes) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

results::Device current_device() {
  require_device();
  int ordinal = 0;
  require_success(cudaGetDevice(&ordinal), "cudaGetDevice");
  cudaDeviceProp properties{};
  require_success(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  return {.kind = results::DeviceKind::gpu,
          .name = properties.name,
          .key = results::device_key(properties.name),
          .uuid = format_uuid(std::span<const char, 16>(properties.uuid.bytes)),
          .compute_capability = fmt::format("{}.{}", properties.major, properties.minor),
          .multiprocessors = properties.multiProcessorCount,
          .l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize),
          .memory_bytes = properties.totalGlobalMem,
          .driver = driver_version()};
}

std::vector<VisibleDevice> visible_devices() {
  require_device();
  int count = 0;
  require_success(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<VisibleDevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    require_success(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
    devices.push_back(
        {format_uuid(std::span<const char, 16>(properties.uuid.bytes)), properties.name});
  }
  return devices;
}

std::string current_pci_bus_id() {
  int ordinal = 0;
  require_success(cudaGetDevice(&ordinal), "cudaGetDevice");
  std::array<char, 32> id{};
  require_success(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), ordinal),
                  "cudaDeviceGetPCIBusId");
  return id.data();
}

}  // namespace warpgauge::cupti
