// SPDX-License-Identifier: Apache-2.0
// cuda::barrier of some threads of a block, and pipelines whose producers are not its consumers:
// who waits for whom, which accesses that orders, and what is a mistake.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <utility>
#include <vector>

#include "tests/profiling/emulator/counting.hpp"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace cg = cooperative_groups;

namespace warpgauge::emulator {
namespace {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

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
  EXPECT_NE(join(observation.errors).find(own_line("hand over: write")), std::string::npos)
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
               {"shared memory race", own_line("wait for one: write")});
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
               {"barrier that never opens", "waits at " + own_line("arrive: wait"),
                "96 arrivals, and 64 have come"});
  expect_error(run(arrive_at, dim3(1), dim3(64), 48, true, true),
               {"more arrivals at a barrier than it expects", own_line("arrive: too often")});
  expect_error(run(arrive_at, dim3(1), dim3(64), 64, false, false),
               {"cuda::barrier that was not initialised in this block", own_line("arrive: wait")});
}

// Thread 32 ends phase after phase; thread 0 waits for the first one only when it is over, and is
// ordered behind no more than that.
__global__ void wait_late(int* out, bool phases) {
  __shared__ int words[2];
  __shared__ Barrier of_one;
  __shared__ Barrier other;
  if (threadIdx.x == 0) {
    init(&of_one, 1);
    init(&other, 1);
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    words[0] = 1;
    static_cast<void>(of_one.arrive());
    words[1] = 2;  // wait late: write
    if (phases) static_cast<void>(of_one.arrive());
  } else if (threadIdx.x == 0) {
    static_cast<void>(other.arrive());  // meanwhile the first phase ends
    of_one.wait_parity(false);
    out[0] = words[0];
    out[0] += words[1];  // wait late: read
  }
}

TEST(CudaBarrier, OrdersNoMoreThanThePhaseWaitedFor) {
  const DeviceBuffer<int> out(1);
  for (const bool phases : {false, true}) {
    expect_error(run(wait_late, dim3(1), dim3(64), out.data(), phases),
                 {"shared memory race", own_line("wait late: write"), own_line("wait late: read")});
  }
}

// Thread 1 waits while what it did before is not observed yet, since thread 0 is behind it.
__global__ void wait_ahead(int* out, const int* in, int loops) {
  __shared__ int word;
  __shared__ Barrier of_one;
  if (threadIdx.x == 0) init(&of_one, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < loops; ++i) sum += in[i];
    out[0] = sum;
  } else if (threadIdx.x == 1) {
    word = 1;  // wait ahead: before the wait
    of_one.wait_parity(false);
    out[1] = word;
  } else if (threadIdx.x == 32) {
    word = 2;
    static_cast<void>(of_one.arrive());
  }
}

TEST(CudaBarrier, OrdersNothingFromBeforeTheWait) {
  const DeviceBuffer<int> out(2);
  constexpr int kLoops = 100000;
  const DeviceBuffer<int> in(std::vector<int>(kLoops, 1));
  expect_error(run(wait_ahead, dim3(1), dim3(64), out.data(), in.data(), kLoops),
               {"shared memory race", own_line("wait ahead: before the wait")});
}

__global__ void wait_two_back() {
  __shared__ Barrier of_one;
  if (threadIdx.x != 0) return;
  init(&of_one, 1);
  auto first = of_one.arrive();
  static_cast<void>(of_one.arrive());
  of_one.wait(std::move(first));  // wait: two back
}

TEST(CudaBarrier, RefusesToWaitForWhatIsLongOver) {
  expect_error(run(wait_two_back, dim3(1), dim3(64)),
               {"wait for a phase of a barrier that is two or more back", "phase 0", "in phase 2",
                own_line("wait: two back"), "wait before the next one is over"});
}

// Adds up what the threads have left, and counts the phases.
struct AddUp {
  const int* words;
  int* sum;
  int phases;

  __device__ void operator()() {
    int total = 0;
    for (int i = 0; i < 64; ++i) total += words[i];  // complete: read
    *sum = total;                                    // complete: write
    sum[1] = ++phases;
  }
};

using AddingBarrier = cuda::barrier<cuda::thread_scope_block, AddUp>;

// The mistakes: a thread writes after it has arrived, or reads before it has waited.
enum class Mistakes { none, late_write, early_read };

__global__ void add_up(int* out, int rounds, Mistakes mistake, bool some_drop) {
  __shared__ int words[64];
  __shared__ int sum[2];
  __shared__ AddingBarrier barrier;
  if (threadIdx.x == 0) init(&barrier, 64, AddUp{words, sum, 0});
  __syncthreads();
  int seen = 0;
  for (int round = 0; round < rounds; ++round) {
    words[threadIdx.x] = static_cast<int>(threadIdx.x) + round;
    if (round == 1 && some_drop && threadIdx.x % 2 == 1) {
      barrier.arrive_and_drop();
      return;
    }
    auto token = barrier.arrive();
    if (mistake == Mistakes::late_write && threadIdx.x == 5) words[5] = 0;    // late: write
    if (mistake == Mistakes::early_read && threadIdx.x == 5) seen += sum[0];  // early: read
    barrier.wait(std::move(token));
    seen += 10 * sum[0] + sum[1];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = seen;
}

TEST(CompletedBarrier, DoesItsWorkBetweenPhases) {
  const DeviceBuffer<int> out(64);
  const Observation observation =
      run(add_up, dim3(1), dim3(64), out.data(), 3, Mistakes::none, false);
  EXPECT_EQ(join(observation.errors), "");
  constexpr int kSums = 3 * 63 * 32 + 64 + 128;
  EXPECT_EQ(out.to_host(), std::vector<int>(64, 10 * kSums + 1 + 3 + 5));
  EXPECT_EQ(observation.barriers, 7U);
}

TEST(CompletedBarrier, CountsWhatItsWorkReadsAndWrites) {
  const DeviceBuffer<int> out(64);
  const auto requests = [&](int rounds) {
    const Observation observation =
        run(add_up, dim3(1), dim3(64), out.data(), rounds, Mistakes::none, false);
    return std::pair(sum(observation, Access::shared_load).requests,
                     sum(observation, Access::shared_store).requests);
  };
  const auto [loads, stores] = requests(2);
  const auto [more_loads, more_stores] = requests(3);
  // Two phases a round: the last thread reads 64 words and writes two. Two warps write a word each
  // and read two.
  EXPECT_EQ(more_loads - loads, 2U * 64 + 2U * 2);
  EXPECT_EQ(more_stores - stores, 2U * 2 + 2);
}

TEST(CompletedBarrier, IsCompletedByThreadsThatLeave) {
  const DeviceBuffer<int> out(64);
  EXPECT_EQ(join(run(add_up, dim3(1), dim3(64), out.data(), 2, Mistakes::none, true).errors), "");
  EXPECT_EQ(out.to_host()[0], 10 * (2 * 63 * 32 + 64) + 1 + 3);
}

TEST(CompletedBarrier, ComesAfterAllArrivalsAndBeforeTheEndOfTheWait) {
  const DeviceBuffer<int> out(64);
  expect_error(run(add_up, dim3(1), dim3(64), out.data(), 1, Mistakes::late_write, false),
               {"shared memory race", own_line("late: write"), own_line("complete: read")});
  expect_error(run(add_up, dim3(1), dim3(64), out.data(), 1, Mistakes::early_read, false),
               {"shared memory race", own_line("early: read"), own_line("complete: write")});
}

__global__ void complete_never() {
  const auto work = [] { __syncthreads(); };  // complete: waits
  __shared__ cuda::barrier<cuda::thread_scope_block, decltype(work)> barrier;
  if (threadIdx.x == 0) init(&barrier, 64, work);
  __syncthreads();
  barrier.arrive_and_wait();
}

TEST(CompletedBarrier, MustComeToAnEnd) {
  expect_error(run(complete_never, dim3(1), dim3(64)),
               {"barrier that never opens", "for the completion function of thread (63,0,0)",
                own_line("complete: waits")});
}

void expect_only_own_lines(const Observation& observation) {
  EXPECT_EQ(join(observation.errors), "");
  for (const SourceLine& line : observation.lines) {
    EXPECT_NE(line.file.find("block_barrier_test.cpp"), std::string::npos)
        << line.file << ":" << line.line;
  }
}

TEST(CudaBarrier, HasNoFiguresOfItsOwn) {
  expect_only_own_lines(run(arrive_at, dim3(1), dim3(64), 64, true, false));
  const DeviceBuffer<int> out(64);
  expect_only_own_lines(run(add_up, dim3(1), dim3(64), out.data(), 2, Mistakes::none, false));
}

// Who arrives writes before that, and reads what others wrote behind the wait. Half of the threads
// return if some_leave.
template <class Group>
__device__ void arrive_apart(const Group& group, int* out, Mistakes mistake, bool some_leave) {
  __shared__ int words[64];
  for (int round = 0; round < 2; ++round) {
    words[threadIdx.x] = static_cast<int>(threadIdx.x) + round;
    if (some_leave && threadIdx.x % 2 == 1) return;
    auto token = group.barrier_arrive();
    if (mistake == Mistakes::late_write && threadIdx.x == 4) words[4] = 0;  // apart: late write
    if (mistake == Mistakes::early_read) out[threadIdx.x] = words[62];      // apart: early read
    group.barrier_wait(std::move(token));
    out[threadIdx.x] = words[62 - threadIdx.x / 2 * 2];  // apart: read
    group.sync();
  }
}

__global__ void arrive_apart_in_block(int* out, Mistakes mistake, bool some_leave) {
  arrive_apart(cg::this_thread_block(), out, mistake, some_leave);
}
__global__ void arrive_apart_in_cluster(int* out, Mistakes mistake, bool some_leave) {
  arrive_apart(cg::this_cluster(), out, mistake, some_leave);
}

TEST(BlockBarrier, IsArrivedAtApartFromTheWait) {
  for (const auto kernel : {&arrive_apart_in_block, &arrive_apart_in_cluster}) {
    const DeviceBuffer<int> out(std::vector<int>(64, 0));
    // Each finds nothing of the run before.
    for (const bool some_leave : {false, true, false}) {
      const Observation observation =
          run(*kernel, dim3(1), dim3(64), out.data(), Mistakes::none, some_leave);
      expect_only_own_lines(observation);
      EXPECT_EQ(observation.barriers, 4U);
      EXPECT_EQ(out.to_host()[10], 62 - 10 + 1);
    }
    expect_error(run(*kernel, dim3(1), dim3(64), out.data(), Mistakes::late_write, false),
                 {"shared memory race", own_line("apart: late write"), own_line("apart: read")});
    expect_error(run(*kernel, dim3(1), dim3(64), out.data(), Mistakes::early_read, false),
                 {"shared memory race", own_line("apart: early read")});
  }
}

__global__ void ask_cluster(unsigned* out, int rank) {
  __shared__ unsigned word;
  const cg::cluster_group cluster = cg::this_cluster();
  *cluster.map_shared_rank(&word, rank) = 7;  // cluster: another block
  if (threadIdx.x == 3) {
    out[0] = cluster.num_blocks() + 10 * cluster.block_rank() + 100 * cluster.thread_rank() +
             1000 * cluster.num_threads();
  }
}

TEST(Cluster, IsOneBlockWhereNobodyAsksForMore) {
  const DeviceBuffer<unsigned> out(1);
  EXPECT_EQ(join(run(ask_cluster, dim3(2), dim3(8), out.data(), 0).errors), "");
  EXPECT_EQ(out.to_host()[0], 8301U);
  expect_error(run(ask_cluster, dim3(2), dim3(8), out.data(), 1),
               {"map_shared_rank() or mapa to the block of a rank that the cluster does not have",
                own_line("cluster: another block")});
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
  EXPECT_NE(join(observation.errors).find(own_line("pipeline: read")), std::string::npos)
      << join(observation.errors);
}

// out: how many threads were the last to quit, and of which half of the block.
__global__ void quit_in_order(const float* in, int* out, bool use_after) {
  __shared__ float stage[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, stage, in, sizeof stage, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  if (threadIdx.x == 0) out[2] = static_cast<int>(stage[63]);
  pipe.consumer_release();
  const bool first_half = threadIdx.x < 32;
  if (first_half && pipe.quit()) atomicAdd(&out[0], 1);
  if (use_after) pipe.producer_acquire();  // quit: use after
  block.sync();
  if (first_half || threadIdx.x == 40) return;  // which quits by that
  if (pipe.quit()) atomicAdd(&out[1], 1);
}

TEST(Pipeline, IsQuitByOneThreadLast) {
  const DeviceBuffer<float> in(counting(64));
  const DeviceBuffer<int> out(std::vector<int>(3, 0));
  expect_only_own_lines(run(quit_in_order, dim3(1), dim3(64), in.data(), out.data(), false));
  EXPECT_EQ(out.to_host(), (std::vector<int>{0, 1, 64}));
  expect_error(run(quit_in_order, dim3(1), dim3(64), in.data(), out.data(), true),
               {"use of a cuda::pipeline after quit()", own_line("quit: use after")});
}

__global__ void quit_by_roles(const float* in, int* out) {
  __shared__ float stage[32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block, &state, 32);
  if (produces) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], sizeof(float), pipe);
    pipe.producer_commit();
  } else {
    pipe.consumer_wait();
    if (threadIdx.x == 32) out[2] = static_cast<int>(stage[31]);
    pipe.consumer_release();
  }
  if (pipe.quit()) atomicAdd(&out[produces ? 0 : 1], 1);
}

TEST(PartitionedPipeline, IsQuitByOneThreadLast) {
  const DeviceBuffer<float> in(counting(32));
  const DeviceBuffer<int> out(std::vector<int>(3, 0));
  expect_only_own_lines(run(quit_by_roles, dim3(1), dim3(64), in.data(), out.data()));
  EXPECT_EQ(out.to_host(), (std::vector<int>{0, 1, 32}));
}

__global__ void quit_alone(int* out) {
  auto pipe = cuda::make_pipeline();
  out[threadIdx.x] = pipe.quit();
}

TEST(Pipeline, OfAThreadIsQuitByIt) {
  const DeviceBuffer<int> out(2);
  EXPECT_EQ(join(run(quit_alone, dim3(1), dim3(2), out.data()).errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 1}));
}

__device__ auto make_moved(const cg::thread_block& block,
                           cuda::pipeline_shared_state<cuda::thread_scope_block, 1>* state) {
  auto pipe = cuda::make_pipeline(block, state);
  return cuda::pipeline<cuda::thread_scope_block>(std::move(pipe));
}

// out: how many threads were the last to quit.
__global__ void quit_moved(int* out, bool use_source) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto source = make_moved(cg::this_thread_block(), &state);
  auto pipe = std::move(source);
  if (use_source) source.producer_acquire();  // moved: use
  if (pipe.quit()) atomicAdd(&out[0], 1);
}

TEST(Pipeline, IsMoved) {
  const DeviceBuffer<int> out(std::vector<int>{0});
  expect_only_own_lines(run(quit_moved, dim3(1), dim3(64), out.data(), false));
  EXPECT_EQ(out.to_host()[0], 1);
  expect_error(run(quit_moved, dim3(1), dim3(64), out.data(), true),
               {"use of a cuda::pipeline after quit() or a move", own_line("moved: use")});
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
