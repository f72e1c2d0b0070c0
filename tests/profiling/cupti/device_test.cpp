// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/device.hpp"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <string>

#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {
namespace {

bool has_gpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

TEST(Device, UuidReadsAsTheDriversToolsWriteIt) {
  std::array<char, 16> bytes{};
  for (int i = 0; i < 16; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(i * 17);
  EXPECT_EQ(format_uuid(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

TEST(Device, WithoutAGpuTheErrorSaysWhatToDo) {
  if (has_gpu()) GTEST_SKIP() << "this machine has a GPU";
  try {
    static_cast<void>(current_device());
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("emulated suite"), text.npos) << text;
  }
}

TEST(Device, DescribesTheGpu) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU: there is nothing to describe";
  const results::Device device = current_device();
  EXPECT_EQ(device.kind, results::DeviceKind::gpu);
  EXPECT_FALSE(device.name.empty());
  EXPECT_EQ(device.key, results::device_key(device.name));
  const std::regex uuid("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  EXPECT_TRUE(std::regex_match(device.uuid, uuid)) << device.uuid;
  EXPECT_TRUE(std::regex_match(device.driver, std::regex("(CUDA )?[0-9]+(\\.[0-9]+)+")))
      << device.driver;
  EXPECT_GT(device.multiprocessors, 0);
  EXPECT_GT(device.l2_bytes, 0U);
  EXPECT_GT(device.memory_bytes, device.l2_bytes);
}

}  // namespace
}  // namespace warpgauge::cupti
