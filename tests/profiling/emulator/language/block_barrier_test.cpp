// SPDX-License-Identifier: Apache-2.0
// cuda::barrier of some threads of a block, and pipelines whose producers are not its consumers:
// who waits for whom, which accesses that orders, and what is a mistake.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace cg = cooperative_groups;

namespace warpgauge::emulator {
namespace {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

std::string line_of(const std::string& comment) {
  return find_line("tests/profiling/emulator/language/block_barrier_test.cpp", comment);
}

// The first 32 threads fill one of two buffers while the 32 others add up the other. forgets: to
// wait until it is empty again.
__global__ void hand_over(float* out, int rounds, bool forgets) {
  __shared__ float buffers[2][32];
  __shared__ Barrier full[2];
  __shared__ Barrier empty[2];
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], 64);
    init(&empty[threadIdx.x], 64);
  }
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      const int buffer = round % 2;
      if (round >= 2 && !forgets) empty[buffer].arrive_and_wait();
      buffers[buffer][lane] = static_cast<float>(round);  // hand over: write
      static_cast<void>(full[buffer].arrive());
    }
    return;
  }
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const int buffer = round % 2;
    full[buffer].arrive_and_wait();
    sum += buffers[buffer][31 - lane];  // hand over: read
    if (round + 2 < rounds && !forgets) static_cast<void>(empty[buffer].arrive());
  }
  out[lane] = sum;
}

TEST(CudaBarrier, HandsOverBetweenSomeThreadsAndOthers) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(hand_over, dim3(1), dim3(64), out.data(), 6, false);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[5], 15);
}

// The second time, a buffer is full before the first has been read.
TEST(CudaBarrier, DoesNotOrderWhatNobodyWaitsFor) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(hand_over, dim3(1), dim3(64), out.data(), 4, true);
  ASSERT_FALSE(observation.errors.empty());
  EXPECT_NE(join(observation.errors).find("shared memory race"), std::string::npos)
      << join(observation.errors);
  EXPECT_NE(join(observation.errors).find(line_of("hand over: write")), std::string::npos)
      << join(observation.errors);
}

// What a thread learns of others by __syncwarp, it tells at the barrier, and its warp learns by
// __syncwarp what it has learned there.
__global__ void tell_for_the_warp(int* out, bool first, bool last) {
  __shared__ int words[64];
  __shared__ Barrier of_two;
  if (threadIdx.x == 0) init(&of_two, 2);
  __syncthreads();
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (first) __syncwarp();
  if (threadIdx.x % 32 == 0) of_two.arrive_and_wait();
  if (last) __syncwarp();
  if (threadIdx.x >= 32) out[threadIdx.x] = words[63 - threadIdx.x];
}

TEST(CudaBarrier, CarriesWhatWarpsKnow) {
  const DeviceBuffer<int> out(64);
  EXPECT_EQ(join(run(tell_for_the_warp, dim3(1), dim3(64), out.data(), true, true).errors), "");
  EXPECT_EQ(out.to_host()[40], 23);
  for (const auto& [first, last] : {std::pair(true, false), std::pair(false, true)}) {
    const Observation observation =
        run(tell_for_the_warp, dim3(1), dim3(64), out.data(), first, last);
    EXPECT_NE(join(observation.errors).find("shared memory race"), std::string::npos)
        << first << last;
  }
}

// All wait for one thread, which waits for nobody.
__global__ void wait_for_one(int* out) {
  __shared__ int word;
  __shared__ Barrier of_one;
  if (threadIdx.x == 0) init(&of_one, 1);
  word = 0;
  __syncthreads();
  out[threadIdx.x] = word;
  if (threadIdx.x == 0) {
    of_one.arrive_and_wait();
    word = 1;  // wait for one: write
  } else {
    of_one.wait_parity(false);
  }
}

TEST(CudaBarrier, OrdersNothingOfThoseWhoOnlyWait) {
  const DeviceBuffer<int> out(64);
  expect_error(run(wait_for_one, dim3(1), dim3(64), out.data()),
               {"shared memory race", line_of("wait for one: write")});
}

__global__ void count_phases(int* out) {
  __shared__ Barrier barrier;
  __shared__ int word;
  if (threadIdx.x == 0) new (&barrier) Barrier(64);
  __syncthreads();
  barrier.wait_parity(true);  // none before the first
  if (threadIdx.x == 0) word = 1;
  static_cast<void>(barrier.arrive());
  barrier.wait_parity(false);
  const int first = word;
  auto token = barrier.arrive();
  while (!barrier.try_wait(std::move(token))) {
  }
  if (threadIdx.x >= 32) {
    barrier.arrive_and_drop();
    return;
  }
  barrier.arrive_and_wait();
  if (threadIdx.x == 7) word = 2;
  static_cast<void>(barrier.arrive(1));  // of 32 now
  barrier.wait_parity(true);
  out[threadIdx.x] = 10 * first + word;
}

TEST(CudaBarrier, HasPhasesAndLosesThreads) {
  const DeviceBuffer<int> out(32);
  EXPECT_EQ(join(run(count_phases, dim3(1), dim3(64), out.data()).errors), "");
  EXPECT_EQ(out.to_host(), std::vector<int>(32, 12));
}

__global__ void arrive_at(int expected, bool begins, bool too_often) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0 && begins) init(&barrier, expected);
  __syncthreads();
  if (too_often) {
    static_cast<void>(barrier.arrive(expected + 1));  // arrive: too often
  } else {
    barrier.arrive_and_wait();  // arrive: wait
  }
}

TEST(CudaBarrier, KnowsItsNumberOfThreads) {
  expect_error(run(arrive_at, dim3(1), dim3(64), 96, true, false),
               {"barrier that never opens", "waits at " + line_of("arrive: wait"),
                "96 arrivals, and 64 have come"});
  expect_error(run(arrive_at, dim3(1), dim3(64), 48, true, true),
               {"more arrivals at a barrier than it expects", line_of("arrive: too often")});
  expect_error(run(arrive_at, dim3(1), dim3(64), 64, false, false),
               {"cuda::barrier that was not initialised in this block", line_of("arrive: wait")});
}

// The first warp copies, the second adds up.
template <class Make>
__device__ void sum_from(const float* in, float* out, int tiles, Make make, bool waits) {
  constexpr int kStages = 2;
  __shared__ float stages[kStages][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = make(block, &state, produces);
  const auto warp = cg::tiled_partition<32>(block);
  if (produces) {
    for (int tile = 0; tile < tiles; ++tile) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, stages[tile % kStages], in + tile * 32, 32 * sizeof(float), pipe);
      pipe.producer_commit();
    }
    return;
  }
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (waits) pipe.consumer_wait();
    sum += stages[tile % kStages][63 - threadIdx.x];  // pipeline: read
    pipe.consumer_release();
  }
  out[threadIdx.x - 32] = sum;
}

__global__ void sum_by_roles(const float* in, float* out, int tiles, bool waits) {
  const auto make = [](const auto& block, auto* state, bool produces) {
    return cuda::make_pipeline(
        block, state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  };
  sum_from(in, out, tiles, make, waits);
}

__global__ void sum_by_count(const float* in, float* out, int tiles, bool waits) {
  const auto make = [](const auto& block, auto* state, bool) {
    return cuda::make_pipeline(block, state, 32);
  };
  sum_from(in, out, tiles, make, waits);
}

TEST(PartitionedPipeline, HandsStagesFromProducersToConsumers) {
  const DeviceBuffer<float> in(counting(32 * 5));
  for (const auto kernel : {&sum_by_roles, &sum_by_count}) {
    const DeviceBuffer<float> out(32);
    const Observation observation = run(*kernel, dim3(1), dim3(64), in.data(), out.data(), 5, true);
    EXPECT_EQ(join(observation.errors), "");
    EXPECT_EQ(out.to_host()[10], 5 * 22 + 32 * 10);
  }
}

TEST(PartitionedPipeline, IsWaitedFor) {
  const DeviceBuffer<float> in(counting(32 * 5));
  const DeviceBuffer<float> out(32);
  const Observation observation =
      run(sum_by_roles, dim3(1), dim3(64), in.data(), out.data(), 2, false);
  ASSERT_FALSE(observation.errors.empty());
  EXPECT_NE(join(observation.errors).find(line_of("pipeline: read")), std::string::npos)
      << join(observation.errors);
}

__global__ void copy_for_a_barrier(const float* in, float* out) {
  __shared__ float words[64];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&words[threadIdx.x], &in[threadIdx.x], sizeof(float), pipe);
  cuda::pipeline_producer_commit(pipe, barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = words[63 - threadIdx.x];
}

TEST(CudaBarrier, WaitsForCopies) {
  const DeviceBuffer<float> in(counting(64));
  const DeviceBuffer<float> out(64);
  EXPECT_EQ(join(run(copy_for_a_barrier, dim3(1), dim3(64), in.data(), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[0], 64);
}

}  // namespace
}  // namespace warpgauge::emulator
