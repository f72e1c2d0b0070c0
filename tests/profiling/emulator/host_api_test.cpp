// SPDX-License-Identifier: Apache-2.0
// The runtime API answers as CUDA does.
#include <vector>

#include "tests/profiling/emulator/faulty_kernels.cuh"
#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

cudaError_t launch_votes(dim3 grid, dim3 block, std::size_t shared = 0) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  unsigned* nowhere = nullptr;
  return cudaLaunchKernelEx(&config, votes, nowhere);
}

TEST(LaunchConfiguration, IsCheckedAsCudaDoes) {
  EXPECT_EQ(launch_votes(dim3(1), dim3(1025)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_votes(dim3(1), dim3(32, 33)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_votes(dim3(1), dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_votes(dim3(1), dim3(0)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_votes(dim3(0), dim3(32)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_votes(dim3(1, 65536), dim3(32)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch_votes(dim3(1), dim3(32), 227 * 1024 + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(FailedLaunch, IsToldByTheNextSynchronisation) {
  const DeviceBuffer<float> out(256);
  const Observation observation = observe([&] {
    launch(missing_barrier, dim3(1), dim3(256), out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    launch(wild_pointer, dim3(1), dim3(32), out.data());
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    launch(trap_in_thread, dim3(1), dim3(64), out.data(), 1U);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    launch(assertion_in_thread, dim3(1), dim3(64), out.data(), 1U);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert);
    launch(exit_before_barrier, dim3(1), dim3(64), out.data());
  });
  EXPECT_GE(observation.errors.size(), 3U);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "errors do not outlive the observation";
}

TEST(Memory, ComesAlignedAndIsCopiedBothWays) {
  float* pointer = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, 12), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % 256, 0U);
  const std::vector<float> values{1, 2, 3};
  std::vector<float> back(3);
  EXPECT_EQ(cudaMemcpy(pointer, values.data(), 12, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(back.data(), pointer, 12, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, values);
  EXPECT_EQ(cudaMemset(pointer, 0, 12), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back.data(), pointer, 12, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back, (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST(Memory, MistakesOfTheHostAreRefused) {
  float* pointer = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, 12), cudaSuccess);
  float on_host[8] = {};
  EXPECT_EQ(cudaMemcpy(pointer, on_host, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(on_host, on_host + 4, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(pointer, 0, 13), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(on_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(Devices, AreOne) {
  int count = 0;
  int ordinal = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&ordinal), cudaSuccess);
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST(ErrorNames, AreCudas) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_EQ(static_cast<int>(cudaErrorLaunchFailure), 719);
  EXPECT_EQ(static_cast<int>(cudaErrorInvalidConfiguration), 9);
}

}  // namespace
}  // namespace warpgauge::emulator
