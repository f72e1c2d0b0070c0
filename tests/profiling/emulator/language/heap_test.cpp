// SPDX-License-Identifier: Apache-2.0
// Memory that kernels allocate.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

struct Node {
  int value;
  Node* next;
};

__global__ void sum_of_lists(int* out) {
  Node* list = nullptr;
  for (int i = 0; i < 10; ++i) list = new Node{static_cast<int>(threadIdx.x) + i, list};
  int* copies = static_cast<int*>(malloc(4096 * sizeof(int)));
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    Node* next = list->next;
    copies[i] = list->value;
    delete list;
    list = next;
  }
  for (int i = 0; i < 10; ++i) sum += copies[i];
  free(copies);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// More than the heap holds, if nothing were used again.
TEST(DeviceHeap, GivesMemoryThatKernelsMayUse) {
  const DeviceBuffer<int> out(128);
  for (int launch = 0; launch < 36; ++launch) {
    const Observation did = run(sum_of_lists, 2, 64, out.data());
    ASSERT_EQ(did.errors, std::vector<std::string>());
    ASSERT_EQ(out.to_host()[66], 10 * 2 + 45);
  }
}

__global__ void keep(int** kept) { *kept = new int[4]{1, 2, 3, 4}; }
__global__ void use(int** kept, int* out) {
  *out = (*kept)[2];
  delete[] * kept;
}
__global__ void free_twice(int** kept) {
  *kept = static_cast<int*>(malloc(8));
  __syncthreads();
  free(*kept);
  free(*kept);  // frees it twice
}
__global__ void new_of_nothing(char** last) {
  if (threadIdx.x == 0) return;
  for (std::size_t bytes = 1 << 20; bytes > 0; bytes /= 2) {
    while (void* memory = malloc(bytes)) *last = static_cast<char*>(memory);
  }
  *last = new char[1];  // nothing is left
}
__global__ void too_much(int* out) { *out = malloc(std::size_t{1} << 40) == nullptr ? 1 : 0; }

TEST(DeviceHeap, KeepsMemoryFromLaunchToLaunch) {
  const DeviceBuffer<int*> kept(1);
  const DeviceBuffer<int> out(1);
  EXPECT_EQ(run(keep, 1, 1, kept.data()).errors, std::vector<std::string>());
  EXPECT_EQ(run(use, 1, 1, kept.data(), out.data()).errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[0], 3);
}

TEST(DeviceHeap, SaysWhatIsFreedTwiceAndHasAnEnd) {
  const DeviceBuffer<int> out(1);
  const DeviceBuffer<int*> kept(1);
  const DeviceBuffer<char*> last(1);
  expect_error(run(free_twice, 1, 1, kept.data()),
               {"free of memory that no kernel has allocated, or that was freed before",
                own_line("frees it twice")});
  EXPECT_EQ(run(too_much, 1, 1, out.data()).errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[0], 1);
  expect_error(run(new_of_nothing, 1, 2, last.data()),
               {"new beyond the 64 MiB heap of kernels", own_line("nothing is left")});
  void* of_host = malloc(100);  // as ever
  free(of_host);
  delete new std::string("a longer text than fits into it");
}

}  // namespace
}  // namespace warpgauge::emulator
