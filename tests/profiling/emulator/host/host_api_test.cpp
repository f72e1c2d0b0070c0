// SPDX-License-Identifier: Apache-2.0
// The runtime API answers as CUDA does.
#include <unistd.h>

#include <fstream>
#include <type_traits>
#include <vector>

#include "tests/profiling/emulator/faulty_kernels.cuh"
#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

extern "C" __global__ void of_c_linkage(float* out) {
  __shared__ float words[1024];
  words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = words[63 - threadIdx.x];
}

namespace warpgauge::emulator {
namespace {

__global__ void of_internal_linkage(float* out) {
  __shared__ float words[512];
  words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = words[63 - threadIdx.x];
}

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

template <class... Parameters>
cudaError_t launch_with(void (*kernel)(Parameters...), std::size_t dynamic_bytes,
                        std::type_identity_t<Parameters>... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = dynamic_bytes;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

TEST(SharedMemoryOfALaunch, IsAtMost48KiBUnlessTheKernelAskedForMore) {
  const DeviceBuffer<float> in(std::vector<float>(64, 1));
  const DeviceBuffer<float> out(64);
  constexpr auto kKernel = reverse_twice<100>;
  constexpr std::size_t kOwn = 100 * sizeof(float);
  const auto launch_bytes = [&](std::size_t bytes) {
    return launch_with(kKernel, bytes, in.data(), out.data());
  };
  constexpr std::size_t kDefault = 48 << 10;
  constexpr std::size_t kMost = 232448;
  EXPECT_EQ(launch_bytes(kDefault - kOwn), cudaSuccess);
  EXPECT_EQ(launch_bytes(kDefault - kOwn + 1), cudaErrorInvalidValue);
  const auto allow = [&](std::size_t bytes) {
    return cudaFuncSetAttribute(kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
  };
  EXPECT_EQ(allow(kMost - kOwn + 1), cudaErrorInvalidValue);
  EXPECT_EQ(launch_bytes(kDefault), cudaErrorInvalidValue);
  EXPECT_EQ(allow(kMost - kOwn), cudaSuccess);
  EXPECT_EQ(launch_bytes(kMost - kOwn), cudaSuccess);
  EXPECT_EQ(launch_bytes(kMost - kOwn + 1), cudaErrorInvalidValue);
  EXPECT_EQ(allow(1000), cudaSuccess);
  EXPECT_EQ(launch_bytes(1001), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with(reverse_twice<64>, kDefault, in.data(), out.data()), cudaErrorInvalidValue)
      << "what one kernel asked for is not another's";
  EXPECT_EQ(launch_with(reverse_twice<20'000>, 256, in.data(), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kKernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100),
            cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(kKernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101),
            cudaErrorInvalidValue);
  EXPECT_EQ(out.to_host()[5], 1);
}

TEST(SharedMemoryOfALaunch, CountsTheVariablesOfKernelsOfAnyLinkage) {
  const DeviceBuffer<float> out(64);
  EXPECT_EQ(launch_with(of_c_linkage, (48 << 10) - 4096, out.data()), cudaSuccess);
  EXPECT_EQ(launch_with(of_c_linkage, (48 << 10) - 4095, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with(of_internal_linkage, (48 << 10) - 2048, out.data()), cudaSuccess);
  EXPECT_EQ(launch_with(of_internal_linkage, (48 << 10) - 2047, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(Occupancy, IsLimitedByThreadsAndSharedMemory) {
  const auto blocks_of = [](auto kernel, int threads, std::size_t bytes) {
    int blocks = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes),
              cudaSuccess);
    return blocks;
  };
  EXPECT_EQ(blocks_of(votes, 32, 0), 4);
  EXPECT_EQ(blocks_of(votes, 1024, 0), 2);
  EXPECT_EQ(blocks_of(votes, 1025, 0), 0);
  EXPECT_EQ(blocks_of(votes, 32, 48 << 10), 4);
  EXPECT_EQ(blocks_of(votes, 32, (48 << 10) + 1), 0);
  EXPECT_EQ(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10),
            cudaSuccess);
  EXPECT_EQ(blocks_of(reverse, 32, 56 << 10), 4);
  EXPECT_EQ(blocks_of(reverse, 32, (56 << 10) + 1), 3);
  EXPECT_EQ(blocks_of(reverse, 32, 200 << 10), 1);
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, votes, 0, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
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

TEST(Memory, ThatWasFreedIsNeitherCopiedNorFreedAgain) {
  char* pointer = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, 4096), cudaSuccess);
  char on_host[16] = {};
  EXPECT_EQ(cudaFree(pointer + 256), cudaErrorInvalidValue) << "not where it begins";
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDefault}) {
    EXPECT_EQ(cudaMemcpy(pointer, on_host, 16, kind), cudaErrorInvalidValue);
  }
  for (const cudaMemcpyKind kind : {cudaMemcpyDeviceToHost, cudaMemcpyDefault}) {
    EXPECT_EQ(cudaMemcpy(on_host, pointer + 100, 16, kind), cudaErrorInvalidValue);
  }
  EXPECT_EQ(cudaMemcpy(nullptr, on_host, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(on_host, on_host, 16, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemset(pointer, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

std::size_t pages_of_address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

void allocate_and_free(int times) {
  for (int i = 0; i < times; ++i) {
    char* pointer = nullptr;
    ASSERT_EQ(cudaMalloc(&pointer, std::size_t{1} << 20), cudaSuccess);
    ASSERT_EQ(cudaFree(pointer), cudaSuccess);
  }
}

// What was freed is remembered, which takes address space: of the last few hundred, not of all.
TEST(Memory, IsGivenBackHoweverOftenItIsAllocated) {
  ASSERT_NO_FATAL_FAILURE(allocate_and_free(400));
  const std::size_t before = pages_of_address_space();
  ASSERT_NO_FATAL_FAILURE(allocate_and_free(400));
  // Half of what 400 take with their guards: the sanitizer keeps some of what is freed.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_LT(pages_of_address_space(), before + 200 * (std::size_t{3} << 20) / page);
}

TEST(Memory, ThatIsManagedIsTheHostsAndTheDevices) {
  float* pointer = nullptr;
  ASSERT_EQ(cudaMallocManaged(&pointer, 32 * sizeof(float)), cudaSuccess);
  pointer[8] = 5;
  EXPECT_EQ(join(run(exit_before_barrier, dim3(1), dim3(32), pointer).errors), "");
  EXPECT_EQ(pointer[31], 1);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaMallocManaged(&pointer, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&pointer, 8, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(LaunchConfiguration, NeedsAKernel) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  void (*no_kernel)(unsigned*) = nullptr;
  unsigned* nowhere = nullptr;
  EXPECT_EQ(cudaLaunchKernelEx(&config, no_kernel, nowhere), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernelEx(nullptr, votes, nowhere), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(no_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}

TEST(Memory, OfTheHostIsUsedByKernels) {
  float* pointer = nullptr;
  ASSERT_EQ(cudaMallocHost(&pointer, 32 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(join(run(exit_before_barrier, dim3(1), dim3(32), pointer).errors), "");
  EXPECT_EQ(pointer[31], 1);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pointer), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(Memory, IsAllocatedInStreamsAndAccountedFor) {
  std::size_t free_before = 0;
  std::size_t total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
  EXPECT_LE(free_before, total);
  double* pointer = nullptr;
  EXPECT_EQ(cudaMallocAsync(&pointer, 1000, nullptr), cudaSuccess);
  std::size_t free_after = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
  EXPECT_EQ(free_before - free_after, 1000U);
  EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
}

TEST(Symbols, AreCopiedBothWays) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(cudaMemcpyToSymbol(settable, values.data(), 32), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(settable, values.data(), 4, 28), cudaSuccess);
  EXPECT_EQ(join(run(use_settable, dim3(1), dim3(32)).errors), "");
  std::vector<float> back(2);
  EXPECT_EQ(cudaMemcpyFromSymbol(back.data(), device_words, 8, 24), cudaSuccess);
  EXPECT_EQ(back, (std::vector<float>{7, 1}));
  int count = 3;
  EXPECT_EQ(cudaMemcpyToSymbol(device_counter, &count, sizeof count), cudaSuccess);
  EXPECT_EQ(join(run(count_up, dim3(2), dim3(32)).errors), "");
  EXPECT_EQ(cudaMemcpyFromSymbol(&count, device_counter, sizeof count), cudaSuccess);
  EXPECT_EQ(count, 67);
  EXPECT_EQ(cudaMemcpyToSymbol(settable, values.data(), 8, 28), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(settable, values.data(), 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
  const float local = 0;
  EXPECT_EQ(cudaMemcpyToSymbol(local, values.data(), 4), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidSymbol);
}

TEST(Streams, AreMadeUsedAndDestroyed) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_NE(stream, nullptr);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(Events, HappenAtOnceAndTellTheTimeOfTheHost) {
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  cudaEvent_t untimed = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  float milliseconds = 5;
  EXPECT_EQ(cudaEventRecord(start), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle)
      << "not recorded";
  EXPECT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(untimed), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(end), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(milliseconds, 5);
  usleep(2000);
  EXPECT_EQ(cudaEventRecord(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 2);
  EXPECT_LT(milliseconds, 60000);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, end, start), cudaSuccess);
  EXPECT_LE(milliseconds, -2);
  for (const cudaEvent_t event : {start, end, untimed}) {
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event), cudaErrorInvalidResourceHandle);
  }
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST(Events, TellOfFailedLaunches) {
  const DeviceBuffer<float> out(256);
  static_cast<void>(observe([&] {
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    launch(missing_barrier, dim3(1), dim3(256), out.data());
    EXPECT_EQ(cudaEventRecord(event), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(event), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  }));
}

TEST(Devices, TellTheirLimitsInTwoWays) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, which, 0), cudaSuccess);
    return value;
  };
  EXPECT_STREQ(properties.name, "Warpgauge emulator");
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(attribute(cudaDevAttrWarpSize), 32);
  EXPECT_EQ(attribute(cudaDevAttrCooperativeLaunch), 1);
  EXPECT_LE(
      attribute(cudaDevAttrMultiProcessorCount) * attribute(cudaDevAttrMaxBlocksPerMultiprocessor),
      16);
  EXPECT_EQ(attribute(cudaDevAttrMultiProcessorCount), properties.multiProcessorCount);
  EXPECT_EQ(attribute(cudaDevAttrMaxThreadsPerBlock), properties.maxThreadsPerBlock);
  EXPECT_EQ(attribute(cudaDevAttrMaxGridDimX), properties.maxGridSize[0]);
  EXPECT_EQ(attribute(cudaDevAttrL2CacheSize), properties.l2CacheSize);
  EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerBlock), 48 << 10);
  EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), 232448);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, 232448U);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(100000), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST(StreamAttributes, AreKeptByStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.num_bytes = 64;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  const auto window = cudaStreamAttributeAccessPolicyWindow;
  EXPECT_EQ(cudaStreamSetAttribute(stream, window, &value), cudaSuccess);
  value = {};
  EXPECT_EQ(cudaStreamGetAttribute(nullptr, window, &value), cudaSuccess);
  EXPECT_EQ(value.accessPolicyWindow.num_bytes, 0U);
  EXPECT_EQ(cudaStreamGetAttribute(stream, window, &value), cudaSuccess);
  EXPECT_EQ(value.accessPolicyWindow.num_bytes, 64U);
  EXPECT_EQ(value.accessPolicyWindow.hitProp, cudaAccessPropertyPersisting);
  EXPECT_EQ(cudaCtxResetPersistingL2Cache(), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSetAttribute(stream, window, &value), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
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
