// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/driver_device.hpp"

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include "profiling/cupti/inject/driver_function.hpp"

namespace warpgauge::inject {
namespace {

void copy_text(const std::string& text, char* to, std::size_t bytes) {
  std::strncpy(to, text.c_str(), bytes - 1);
}

std::string driver_version() {
  std::array<char, 64> text{};
  if (std::FILE* const file = std::fopen("/sys/module/nvidia/version", "re")) {
    if (std::fgets(text.data(), static_cast<int>(text.size()), file) == nullptr) text[0] = '\0';
    std::fclose(file);
  }
  text[std::strcspn(text.data(), "\n")] = '\0';
  return text.data();
}

}  // namespace

launches::DeviceRecord driver_device(std::uint32_t id) {
  launches::DeviceRecord record;
  record.id = id;
  const auto ordinal = static_cast<int>(id);
  CUdevice device = 0;
  const auto get = driver_function<decltype(cuDeviceGet)>("cuDeviceGet");
  const auto attribute = driver_function<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
  const auto name = driver_function<decltype(cuDeviceGetName)>("cuDeviceGetName");
  // Of a part of a GPU (MIG), that part's.
  const auto uuid = driver_function<decltype(cuDeviceGetUuid_v2)>("cuDeviceGetUuid_v2");
  const auto memory = driver_function<decltype(cuDeviceTotalMem_v2)>("cuDeviceTotalMem_v2");
  if (get == nullptr || get(&device, ordinal) != CUDA_SUCCESS) return record;
  const auto ask = [&](CUdevice_attribute what) -> std::uint32_t {
    int value = 0;
    const bool known = attribute != nullptr && attribute(&value, what, device) == CUDA_SUCCESS;
    return known && value > 0 ? static_cast<std::uint32_t>(value) : 0;
  };
  record.major = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  record.minor = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  record.multiprocessors = ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  record.l2_bytes = ask(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  std::size_t bytes = 0;
  if (memory != nullptr && memory(&bytes, device) == CUDA_SUCCESS) record.memory_bytes = bytes;
  CUuuid answer{};
  if (uuid != nullptr && uuid(&answer, device) == CUDA_SUCCESS) {
    std::memcpy(record.uuid, answer.bytes, sizeof record.uuid);
  }
  if (name != nullptr) (void)name(record.name, sizeof record.name - 1, device);
  copy_text(driver_version(), record.driver, sizeof record.driver);
  return record;
}

}  // namespace warpgauge::inject
