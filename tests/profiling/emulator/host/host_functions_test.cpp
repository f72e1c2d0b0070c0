// SPDX-License-Identifier: Apache-2.0
// Kernels by pointer: launches, attributes, occupancy.
#include <cooperative_groups.h>

#include <vector>

#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

__global__ void fill(int* words, int value) {
  __shared__ int tile[256];
  tile[threadIdx.x] = value;
  __syncthreads();
#if __CUDA_ARCH__ >= 900
  words[threadIdx.x] = tile[threadIdx.x];
#endif
}

// Block 0 reads what the last block wrote.
__global__ void over_the_grid(int* words) {
  words[blockIdx.x] = static_cast<int>(blockIdx.x);
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) words[0] = words[gridDim.x - 1];
}

__global__ void never_named(int*) {}

class ByPointer : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&words_, 128), cudaSuccess);
    ASSERT_EQ(cudaMemset(words_, 0, 128), cudaSuccess);
  }
  void TearDown() override { EXPECT_EQ(cudaFree(words_), cudaSuccess); }

  [[nodiscard]] int first_word() const {
    int word = -1;
    EXPECT_EQ(cudaMemcpy(&word, words_, sizeof word, cudaMemcpyDeviceToHost), cudaSuccess);
    return word;
  }

  int* words_ = nullptr;
};

TEST_F(ByPointer, AKernelTakesItsArgumentsByPointers) {
  int value = 17;
  void* arguments[] = {&words_, &value};
  EXPECT_EQ(cudaLaunchKernel(fill, dim3(1), dim3(32), arguments), cudaSuccess);
  EXPECT_EQ(first_word(), 17);
  value = 18;
  EXPECT_EQ(cudaLaunchKernel((void*)fill, dim3(1), dim3(32), arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(first_word(), 18);
}

TEST_F(ByPointer, AGridOfSuchALaunchMaySynchronise) {
  void* arguments[] = {&words_};
  EXPECT_EQ(cudaLaunchCooperativeKernel((void*)over_the_grid, dim3(8), dim3(1), arguments),
            cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(first_word(), 7);
  EXPECT_EQ(cudaLaunchCooperativeKernel((void*)over_the_grid, dim3(17), dim3(1), arguments),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
}

template <class T>
__global__ void fill_by_template(T* words) {
  words[threadIdx.x] = 19;
}

TEST_F(ByPointer, AKernelMayBeATemplatesOrThatOfANode) {
  void* arguments[] = {&words_};
  EXPECT_EQ(cudaLaunchKernel((void*)fill_by_template<int>, dim3(1), dim3(32), arguments, 0, 0),
            cudaSuccess);
  EXPECT_EQ(first_word(), 19);
  cudaKernelNodeParams parameters{};
  parameters.func = (void*)over_the_grid;
  EXPECT_EQ(parameters.func, reinterpret_cast<void*>(&over_the_grid));
}

TEST_F(ByPointer, AnUnknownKernelIsRefusedInOneLine) {
  void* arguments[] = {&words_};
  const void* pointer = reinterpret_cast<const void*>(&never_named);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaLaunchKernel(pointer, dim3(1), dim3(32), arguments),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Warpgauge emulator: a launch by a pointer whose kernel is unknown; pass the "
            "launch (void*)kernel or the kernel's name\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
}

TEST(Attributes, AreTheKernels) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, fill), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 1024U);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, (48 << 10) - 1024);
  EXPECT_EQ(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10),
            cudaSuccess);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, fill), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 100 << 10);
}

TEST(BestBlock, HasTheMostThreadsThatAMultiprocessorHolds) {
  int grid = 0;
  int block = 0;
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, over_the_grid), cudaSuccess);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 8) << "two blocks on each of four multiprocessors";
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, over_the_grid, 0, 100), cudaSuccess);
  EXPECT_EQ(block, 96);
  EXPECT_EQ(grid, 16);
  ASSERT_EQ(
      cudaOccupancyMaxPotentialBlockSizeVariableSMem(
          &grid, &block, over_the_grid, [](int threads) { return threads > 512 ? 1 << 20 : 0; }),
      cudaSuccess);
  EXPECT_EQ(block, 512) << "larger ones would not fit";
}

}  // namespace
}  // namespace warpgauge::emulator
