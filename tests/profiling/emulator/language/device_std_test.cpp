// SPDX-License-Identifier: Apache-2.0
// cuda::std in kernels, and the driver's questions for the device in <cuda.h>.
#include <cuda.h>

#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <string>

#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

template <class T>
__global__ void smallest_and_sum(T* out) {
  static_assert(cuda::std::is_same_v<cuda::std::remove_const_t<const T>, T>);
  cuda::std::array<T, 4> values{1, 2, 3, 4};
  cuda::std::tuple<T, cuda::std::uint8_t> both{cuda::std::numeric_limits<T>::lowest(), 1};
  T sum = 0;
  for (const T value : values) sum += value;
  out[0] = cuda::std::get<0>(both);
  out[1] = cuda::std::move(sum);
}

TEST(DeviceStd, HasTheHostsTypesAndFunctions) {
  DeviceBuffer<int> out(2);
  const Observation observed = run(smallest_and_sum<int>, dim3(1), dim3(1), out.data());
  EXPECT_EQ(join(observed.errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<int>{std::numeric_limits<int>::lowest(), 10}));
}

// As the runtime answers.
TEST(DriverApi, AnswersForTheDevice) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  CUdevice device = -1;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
            CUDA_SUCCESS);
  EXPECT_EQ(value, properties.major);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
            CUDA_SUCCESS);
  EXPECT_EQ(value, properties.multiProcessorCount);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, device),
            CUDA_SUCCESS);
  EXPECT_EQ(value, properties.persistingL2CacheMaxSize);
  EXPECT_GT(value, 0) << "programs may set some of it aside";
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device + 1),
            cudaErrorInvalidDevice);
  char name[5] = "----";
  EXPECT_EQ(cuDeviceGetName(name, sizeof name, device), CUDA_SUCCESS);
  EXPECT_EQ(name, std::string(properties.name).substr(0, 4));
  std::size_t bytes = 0;
  EXPECT_EQ(cuDeviceTotalMem(&bytes, device), CUDA_SUCCESS);
  EXPECT_EQ(bytes, properties.totalGlobalMem);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

}  // namespace
}  // namespace warpgauge::emulator
