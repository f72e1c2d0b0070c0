// SPDX-License-Identifier: Apache-2.0
// Barriers at which threads arrive and wait apart, beside what else these threads do: loops that
// spin, other barriers, and the end of the kernel.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <utility>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace cg = cooperative_groups;

namespace warpgauge::emulator {
namespace {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

std::string line_of(const std::string& comment) {
  return find_line("tests/profiling/emulator/language/split_barrier_test.cpp", comment);
}

// Thread 0 spins, before all that thread 1 does, until thread 1 is behind its wait for thread 32.
// mistake: what thread 32 writes only once it has arrived. sets: the flag.
__global__ void spin_for_a_wait(int* out, bool mistake, bool sets) {
  __shared__ int flag;
  __shared__ int word;
  __shared__ Barrier of_one;
  if (threadIdx.x == 0) {
    init(&of_one, 1);
    flag = 0;
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    if (!mistake) word = 5;
    static_cast<void>(of_one.arrive());
    if (mistake) word = 5;  // spin: late write
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {  // spin: look
    }
    out[0] = 1;
  } else if (threadIdx.x == 1) {
    out[2] = 3;
    of_one.wait_parity(false);
    out[1] = word;  // spin: read
    if (sets) atomicExch(&flag, 1);
  }
}

TEST(SplitBarrier, LetsAThreadGoOnForWhomAnotherOfItsWarpSpins) {
  const DeviceBuffer<int> out(3);
  EXPECT_EQ(join(run(spin_for_a_wait, dim3(1), dim3(64), out.data(), false, true).errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 5, 3}));
  const Observation late = run(spin_for_a_wait, dim3(1), dim3(64), out.data(), true, true);
  EXPECT_NE(join(late.errors).find(line_of("spin: late write")), std::string::npos)
      << join(late.errors);
  EXPECT_NE(join(late.errors).find(line_of("spin: read")), std::string::npos);
}

TEST(SplitBarrier, LeavesAnEndlessSpinAMistake) {
  const DeviceBuffer<int> out(3);
  Options options;
  options.spin_budget = 3'000'000;
  const Observation endless = observe(
      [&] { launch(spin_for_a_wait, dim3(1), dim3(64), out.data(), false, false); }, options);
  ASSERT_EQ(endless.errors.size(), 1U) << join(endless.errors);
  EXPECT_NE(endless.errors[0].find("no progress: "), std::string::npos) << endless.errors[0];
  EXPECT_NE(endless.errors[0].find(line_of("spin: look")), std::string::npos) << endless.errors[0];
}

// The same, but thread 1 hands on what it knows to thread 2.
__global__ void spin_for_two(int* out) {
  __shared__ int flag;
  __shared__ int word;
  __shared__ Barrier of_one;
  if (threadIdx.x == 0) {
    init(&of_one, 1);
    flag = 0;
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    word = 5;
    static_cast<void>(of_one.arrive());
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
  } else if (threadIdx.x <= 2) {
    out[threadIdx.x] = 3;
    if (threadIdx.x == 1) of_one.wait_parity(false);
    __syncwarp(6);
    if (threadIdx.x == 2) {
      out[0] = word;
      atomicExch(&flag, 1);
    }
  }
}

TEST(SplitBarrier, IsHandedOnWhileAnotherOfTheWarpSpins) {
  const DeviceBuffer<int> out(3);
  EXPECT_EQ(join(run(spin_for_two, dim3(1), dim3(64), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[0], 5);
}

}  // namespace
}  // namespace warpgauge::emulator
