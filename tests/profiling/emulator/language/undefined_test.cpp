// SPDX-License-Identifier: Apache-2.0
// What would be silently other than on a GPU: it ends the kernel with a line that says so.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cassert>
#include <limits>
#include <string>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

__global__ void shift_left(int distance, unsigned* out) {
  *out = 1U << distance;  // shifts left
}

__global__ void shift_right(int distance, long long* out) {
  *out = *out >> distance;  // shifts right
}

template <class Real, class Integer>
__global__ void convert(Real value, Integer* out) {
  *out = static_cast<Integer>(value);  // converts
}

__global__ void launched(int* out) { *out = 1; }

__global__ void launch_another(int* out) {
  launched<<<1, 1>>>(out);  // launches
}

__global__ void assert_positive(const int* in) { assert(*in > 0); }

__global__ void body_of_architecture(int* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  *out = __CUDA_ARCH__;
#endif
}

TEST(UndefinedResults, ShiftsByTheWidthEndTheKernel) {
  const DeviceBuffer<unsigned> out(1);
  expect_error(run(shift_left, 1, 1, 33, out.data()),
               {"shift by 33 of a value of 32 bits", own_line("shifts left")});
  expect_error(run(shift_left, 1, 1, -1, out.data()), {"shift by -1 ", own_line("shifts left")});
  EXPECT_EQ(run(shift_left, 1, 1, 31, out.data()).errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[0], 0x80000000U);
  const DeviceBuffer<long long> wide(std::vector<long long>{-8});
  expect_error(run(shift_right, 1, 1, 64, wide.data()),
               {"shift by 64 of a value of 64 bits", own_line("shifts right")});
  EXPECT_EQ(run(shift_right, 1, 1, 2, wide.data()).errors, std::vector<std::string>());
  EXPECT_EQ(wide.to_host()[0], -2);
}

TEST(UndefinedResults, ConversionsOutOfRangeEndTheKernel) {
  const DeviceBuffer<int> whole(1);
  const DeviceBuffer<unsigned> natural(1);
  const std::string text = "conversion of a number outside of the integer type's range";
  const std::string place = own_line("converts");
  expect_error(run(convert<float, int>, 1, 1, 1e10F, whole.data()), {text, place});
  expect_error(
      run(convert<float, int>, 1, 1, std::numeric_limits<float>::quiet_NaN(), whole.data()),
      {text, place});
  expect_error(run(convert<double, unsigned>, 1, 1, -5.0, natural.data()), {text, place});
  EXPECT_EQ(run(convert<double, unsigned>, 1, 1, 4e9, natural.data()).errors,
            std::vector<std::string>());
  EXPECT_EQ(natural.to_host()[0], 4'000'000'000U);
}

TEST(UndefinedResults, AreLeftToTheHostInHostCode) {
  volatile float large = 1e10F;
  volatile int distance = 33;
  volatile int whole = static_cast<int>(large);
  volatile unsigned shifted = 1U << distance;
  (void)whole;
  (void)shifted;
}

TEST(Launches, ByAKernelAreRefusedInOneLine) {
  const DeviceBuffer<int> out(1);
  expect_error(run(launch_another, 1, 1, out.data()), {"launch by a kernel", own_line("launches")});
}

// Also where the build type defines NDEBUG.
TEST(Assertions, StayInKernels) {
  const DeviceBuffer<int> in(std::vector<int>{-1});
  expect_error(run(assert_positive, 1, 1, in.data()), {"assertion `*in > 0' failed"});
}

TEST(Architectures, SelectBodies) {
  const DeviceBuffer<int> out(std::vector<int>{0});
  EXPECT_EQ(run(body_of_architecture, 1, 1, out.data()).errors, std::vector<std::string>());
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(out.to_host()[0], properties.major * 100 + properties.minor * 10);
}

}  // namespace
}  // namespace warpgauge::emulator
