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
  EXPECT_NE(join(late.errors).find(own_line("spin: late write")), std::string::npos)
      << join(late.errors);
  EXPECT_NE(join(late.errors).find(own_line("spin: read")), std::string::npos);
}

TEST(SplitBarrier, LeavesAnEndlessSpinAMistake) {
  const DeviceBuffer<int> out(3);
  Options options;
  options.spin_budget = 3'000'000;
  const Observation endless = observe(
      [&] { launch(spin_for_a_wait, dim3(1), dim3(64), out.data(), false, false); }, options);
  ASSERT_EQ(endless.errors.size(), 1U) << join(endless.errors);
  EXPECT_NE(endless.errors[0].find("no progress: "), std::string::npos) << endless.errors[0];
  EXPECT_NE(endless.errors[0].find(own_line("spin: look")), std::string::npos) << endless.errors[0];
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

// A third of the threads returns; another arrives, meets at another barrier, and returns; the last
// one waits for them.
__global__ void leave_two_barriers(int* out) {
  __shared__ Barrier of_warp;
  if (threadIdx.x == 0) init(&of_warp, 32);
  __syncthreads();
  const auto block = cg::this_thread_block();
  if (threadIdx.x >= 64) return;
  auto token = block.barrier_arrive();
  if (threadIdx.x < 32) {
    of_warp.arrive_and_wait();
    return;
  }
  block.barrier_wait(std::move(token));
  out[threadIdx.x] = 1;
}

TEST(SplitBarrier, IsLeftOnceByThreadsThatUseAnother) {
  const DeviceBuffer<int> out(96);
  EXPECT_EQ(join(run(leave_two_barriers, dim3(1), dim3(96), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[40], 1);
}

// The threads of warp 1 write before they arrive at the one barrier, and again, if mistake, before
// they arrive at the other.
__global__ void arrive_at_two(int* out, bool mistake) {
  __shared__ int words[64];
  const auto block = cg::this_thread_block();
  const auto cluster = cg::this_cluster();
  words[threadIdx.x] = 1;
  auto in_block = block.barrier_arrive();
  if (mistake && threadIdx.x == 40) words[40] = 2;  // two: write
  auto in_cluster = cluster.barrier_arrive();
  block.barrier_wait(std::move(in_block));
  out[threadIdx.x] = words[63 - threadIdx.x];  // two: read
  cluster.barrier_wait(std::move(in_cluster));
}

TEST(SplitBarrier, OfTheClusterIsNotThatOfTheBlock) {
  const DeviceBuffer<int> out(64);
  const Observation observation = run(arrive_at_two, dim3(1), dim3(64), out.data(), false);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.barriers, 2U);
  EXPECT_EQ(out.to_host(), std::vector<int>(64, 1));
  const std::string late = join(run(arrive_at_two, dim3(1), dim3(64), out.data(), true).errors);
  EXPECT_NE(late.find(own_line("two: write")), std::string::npos) << late;
  EXPECT_NE(late.find(own_line("two: read")), std::string::npos) << late;
}

// Thread 32 arrives as soon as thread 0 has begun the barrier anew.
__global__ void begin_anew(int* out) {
  const auto work = [out] { ++out[0]; };
  using Completed = cuda::barrier<cuda::thread_scope_block, decltype(work)>;
  alignas(Completed) __shared__ unsigned char room[sizeof(Completed)];
  auto* const barrier = reinterpret_cast<Completed*>(room);
  if (threadIdx.x == 0) init(barrier, 2, work);
  __syncthreads();
  if (threadIdx.x == 0) init(barrier, 1, work);
  if (threadIdx.x == 32) static_cast<void>(barrier->arrive());
}

TEST(SplitBarrier, HasItsCompletionFunctionFromTheStart) {
  const DeviceBuffer<int> out(std::vector<int>{0});
  EXPECT_EQ(join(run(begin_anew, dim3(1), dim3(64), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[0], 1);
}

// Thread 0 spins, before all that thread 1 does, until thread 1 has arrived and set a flag. late:
// what thread 1 writes only once it has arrived.
enum class Barriers { of_the_block, of_the_cluster, by_number, at_an_address, two };

template <Barriers barriers>
__global__ void spin_for_an_arrival(int* out, bool late) {
  __shared__ int flag;
  __shared__ int words[64];
  __shared__ Barrier of_all;
  const unsigned i = threadIdx.x;
  const auto block = cg::this_thread_block();
  const auto cluster = cg::this_cluster();
  if (i == 0) {
    init(&of_all, 64);
    flag = 0;
  }
  __syncthreads();
  if (i == 0) {
    while (atomicAdd(&flag, 0) == 0) {  // arrival: look
    }
  }
  words[i] = static_cast<int>(i);
  if constexpr (barriers == Barriers::of_the_block) {
    auto token = block.barrier_arrive();
    if (i == 1) atomicExch(&flag, 1);
    if (late && i == 1) words[1] = 1;  // arrival: late write
    block.barrier_wait(std::move(token));
  } else if constexpr (barriers == Barriers::of_the_cluster) {
    auto token = cluster.barrier_arrive();
    if (i == 1) atomicExch(&flag, 1);
    if (late && i == 1) words[1] = 1;  // arrival: late write in the cluster
    cluster.barrier_wait(std::move(token));
  } else if constexpr (barriers == Barriers::by_number) {
    if (i < 32) {
      asm volatile("bar.arrive 3, 64;" ::: "memory");
      if (i == 1) atomicExch(&flag, 1);
      if (late && i == 1) words[1] = 1;  // arrival: late write by number
    } else {
      asm volatile("bar.sync 3, 64;" ::: "memory");
    }
  } else {
    auto token = of_all.arrive();
    if (barriers == Barriers::two) {
      auto second = block.barrier_arrive();
      if (i == 1) atomicExch(&flag, 1);
      block.barrier_wait(std::move(second));
    }
    if (i == 1) atomicExch(&flag, 1);
    if (late && i == 1) words[1] = 1;  // arrival: late write at an address
    of_all.wait(std::move(token));
  }
  if (i >= 32) out[i] = words[63 - i];  // arrival: read
}

TEST(SplitBarrier, LetsAThreadArriveForWhomAnotherOfItsWarpSpins) {
  const auto check = [](auto* kernel, const char* late) {
    const DeviceBuffer<int> out(64);
    const Observation observation = run(kernel, dim3(1), dim3(64), out.data(), false);
    EXPECT_EQ(join(observation.errors), "");
    for (unsigned i = 32; i < 64; ++i) EXPECT_EQ(out.to_host()[i], static_cast<int>(63 - i));
    EXPECT_EQ(sum(observation, Access::shared_store).requests, 2U + 1U);
    if (late == nullptr) return;
    const std::string errors = join(run(kernel, dim3(1), dim3(64), out.data(), true).errors);
    EXPECT_NE(errors.find(own_line(late)), std::string::npos) << errors;
    EXPECT_NE(errors.find(own_line("arrival: read")), std::string::npos) << errors;
  };
  check(&spin_for_an_arrival<Barriers::of_the_block>, "arrival: late write");
  check(&spin_for_an_arrival<Barriers::of_the_cluster>, "arrival: late write in the cluster");
  check(&spin_for_an_arrival<Barriers::by_number>, "arrival: late write by number");
  check(&spin_for_an_arrival<Barriers::at_an_address>, "arrival: late write at an address");
  check(&spin_for_an_arrival<Barriers::two>, nullptr);
}

// Thread 0 works long where the others do not, and all arrive behind that.
__global__ void work_before_arriving(int* out, int rounds) {
  __shared__ int words[64];
  const auto block = cg::this_thread_block();
  int value = 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; ++i) value += *static_cast<volatile int*>(out);
  }
  words[threadIdx.x] = value + 1;
  auto token = block.barrier_arrive();
  out[threadIdx.x] = static_cast<int>(threadIdx.x);
  block.barrier_wait(std::move(token));
  out[64 + threadIdx.x] = words[63 - threadIdx.x];
}

TEST(SplitBarrier, HasTheFiguresOfLanesThatArriveTogether) {
  for (const int rounds : {1, 20'000}) {
    const DeviceBuffer<int> out(std::vector<int>(128, 0));
    const Observation observation =
        run(work_before_arriving, dim3(1), dim3(64), out.data(), rounds);
    EXPECT_EQ(join(observation.errors), "");
    EXPECT_EQ(observation.barriers, 1U);
    EXPECT_EQ(sum(observation, Access::global_store), (Sums{4, 16, 16}));
    EXPECT_EQ(sum(observation, Access::shared_store), (Sums{2, 2, 2}));
    EXPECT_EQ(sum(observation, Access::shared_load), (Sums{2, 2, 2}));
  }
}

// Thread 1 arrives and returns, thread 2 begins barriers and sets the flag for which thread 0
// spins, and thread 32 reads what thread 1 wrote.
__global__ void return_from_an_arrival(int* out) {
  __shared__ int flag;
  __shared__ int word;
  __shared__ Barrier others[2];
  const unsigned i = threadIdx.x;
  const auto block = cg::this_thread_block();
  if (i == 0) flag = 0;
  __syncthreads();
  if (i != 1) {
    auto token = block.barrier_arrive();
    if (i == 32) {
      block.barrier_wait(std::move(token));
      *out = word;
    }
  }
  if (i < 32) __syncwarp();
  if (i == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
  }
  if (i == 1) {
    word = 5;
    static_cast<void>(block.barrier_arrive());
  } else if (i == 2) {
    init(&others[0], 1);
    init(&others[1], 1);
    atomicExch(&flag, 1);
  }
}

TEST(SplitBarrier, IsNotLeftByAThreadThatHasArrived) {
  const DeviceBuffer<int> out(1);
  const Observation observation = run(return_from_an_arrival, dim3(1), dim3(64), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.barriers, 2U);
  EXPECT_EQ(out.to_host()[0], 5);
}

// Thread 1 arrives at a barrier of one, for which thread 0 spins, which arrives then, too.
__global__ void arrive_in_order(int* out, bool sets) {
  __shared__ int flag;
  __shared__ Barrier of_one;
  if (threadIdx.x == 0) {
    init(&of_one, 1);
    flag = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {  // in order: look
    }
  }
  auto token = of_one.arrive();
  if (threadIdx.x == 1 && sets) atomicExch(&flag, 1);
  if (threadIdx.x == 0) {
    of_one.wait(std::move(token));
    *out = 1;
  }
}

TEST(SplitBarrier, CountsArrivalsInTheirOrder) {
  const DeviceBuffer<int> out(1);
  const Observation observation = run(arrive_in_order, dim3(1), dim3(2), out.data(), true);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.barriers, 3U);
  Options options;
  options.spin_budget = 3'000'000;
  expect_error(
      observe([&] { launch(arrive_in_order, dim3(1), dim3(2), out.data(), false); }, options),
      {"no progress: ", "thread (0,0,0) spins", own_line("in order: look")});
}

}  // namespace
}  // namespace warpgauge::emulator
