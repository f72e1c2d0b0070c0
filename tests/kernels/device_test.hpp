// SPDX-License-Identifier: Apache-2.0
// What the tests of kernels share: a device, random sizes and input with a printed seed.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "profiling/device_buffer.hpp"
#include "profiling/launch.hpp"
#include "profiling/random_input.hpp"

namespace warpgauge {

// Skips where there is no device. Each run draws other input; GTEST_RANDOM_SEED repeats one.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no device: " << cudaGetErrorString(error);
    }
    const auto requested = static_cast<std::uint64_t>(testing::GTEST_FLAG(random_seed));
    seed_ = requested != 0 ? requested : std::random_device()();
    RecordProperty("seed", std::to_string(seed_));
  }

  void TearDown() override {
    if (HasFailure()) std::printf("repeat with GTEST_RANDOM_SEED=%zu\n", std::size_t{seed_});
  }

  [[nodiscard]] std::vector<float> input(std::size_t count) const {
    return random_values(count, 0.25F, 4.0F, seed_);
  }

  // The sizes at which kernels tend to be wrong, for a block of `block` elements.
  [[nodiscard]] static std::vector<std::size_t> awkward_sizes(std::size_t block) {
    return {1, 2, 31, 32, 33, 97, block - 1, block, block + 1, 1009, 4 * block, 7 * block + 13};
  }

  // Fails where the device, or the emulator, found an error in what was launched.
  static void expect_clean() { require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

  std::uint64_t seed_ = 0;
};

}  // namespace warpgauge
