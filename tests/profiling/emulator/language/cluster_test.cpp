// SPDX-License-Identifier: Apache-2.0
// Clusters of several blocks, which reach each other's shared memory: what they compute, which
// accesses are mistakes, and what an H200 counts.
#include <cooperative_groups.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/table_lookup.cuh"
#include "profiling/harness/random_buffer.hpp"
#include "tests/profiling/cluster_visits.cuh"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace cg = cooperative_groups;

namespace warpgauge::emulator {
namespace {

constexpr int kThreads = 64;

struct Ranks {
  unsigned block, thread, blocks, threads, x, y, owner;
};

__global__ void __cluster_dims__(2, 2) ask(Ranks* out) {
  __shared__ int word;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  out[block * kThreads + threadIdx.x] = {
      cluster.block_rank(),
      cluster.thread_rank(),
      cluster.num_blocks(),
      cluster.num_threads(),
      cluster.block_index().x + 10 * cluster.dim_blocks().x,
      cluster.block_index().y + 10 * cluster.dim_blocks().y,
      cluster.query_shared_rank(cluster.map_shared_rank(&word, static_cast<int>(next)))};
}

TEST(Cluster, KnowsItsBlocksAndThreads) {
  const DeviceBuffer<Ranks> out(8 * kThreads);
  const Observation observation = run(ask, dim3(4, 2), dim3(kThreads), out.data());
  EXPECT_EQ(join(observation.errors), "");
  const auto all = out.to_host();
  for (unsigned y = 0; y < 2; ++y) {
    for (unsigned x = 0; x < 4; ++x) {
      const Ranks& ranks = all[(y * 4 + x) * kThreads + 5];
      const unsigned rank = x % 2 + 2 * y;
      EXPECT_EQ(ranks.block, rank);
      EXPECT_EQ(ranks.thread, rank * kThreads + 5);
      EXPECT_EQ(ranks.blocks, 4U);
      EXPECT_EQ(ranks.threads, 4U * kThreads);
      EXPECT_EQ(ranks.x, x % 2 + 20);
      EXPECT_EQ(ranks.y, y + 20);
      EXPECT_EQ(ranks.owner, (rank + 1) % 4);
    }
  }
  ASSERT_EQ(observation.launches.size(), 1U);
  EXPECT_EQ(observation.launches[0].cluster, (results::Extents{2, 2, 1}));
}

enum class ClusterMistakes { none, no_first_barrier, no_last_barrier, no_middle_barrier, beyond };

// Each block hands its values to the next of its cluster, in static and in dynamic shared memory.
template <int Blocks>
__global__ void __cluster_dims__(Blocks, 1, 1) rotate(int* out, ClusterMistakes mistake) {
  __shared__ int values[kThreads];
  extern __shared__ int more[];
  const auto cluster = cg::this_cluster();
  const unsigned i = threadIdx.x;
  values[i] = static_cast<int>(blockIdx.x * 1000 + i);  // rotate: first write
  more[i] = -values[i];
  if (mistake != ClusterMistakes::no_first_barrier) cluster.sync();
  const int next = static_cast<int>((cluster.block_rank() + 1) % Blocks);
  const unsigned from = mistake == ClusterMistakes::beyond ? i + 1 : i;
  const int value = cluster.map_shared_rank(values, next)[from];  // rotate: read
  const int other = *cluster.map_shared_rank(&more[i], next);
  if (mistake != ClusterMistakes::no_middle_barrier) cluster.sync();
  values[i] = value;  // rotate: second write
  __syncthreads();
  out[blockIdx.x * kThreads + i] = values[kThreads - 1 - i] + other;
  if (mistake != ClusterMistakes::no_last_barrier) cluster.sync();
}

template <int Blocks>
Observation run_rotate(DeviceBuffer<int>& out, ClusterMistakes mistake) {
  return observe([&] {
    launch_with_shared(rotate<Blocks>, 2 * Blocks, kThreads, kThreads * sizeof(int), out.data(),
                       mistake);
  });
}

TEST(DistributedSharedMemory, IsReadByOtherBlocks) {
  DeviceBuffer<int> out(8 * kThreads);
  const Observation observation = run_rotate<4>(out, ClusterMistakes::none);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(join(observation.remarks), "");
  const auto result = out.to_host();
  for (int block = 0; block < 8; ++block) {
    const int next = block / 4 * 4 + (block + 1) % 4;
    for (int i = 0; i < kThreads; ++i) {
      ASSERT_EQ(result[static_cast<std::size_t>(block * kThreads + i)],
                (next * 1000 + kThreads - 1 - i) - (next * 1000 + i));
    }
  }
}

TEST(DistributedSharedMemory, TellsOfRacesBetweenBlocks) {
  DeviceBuffer<int> out(4 * kThreads);
  expect_error(run_rotate<2>(out, ClusterMistakes::no_first_barrier),
               {"shared memory race", "values byte", "of block (", own_line("rotate: first write"),
                own_line("rotate: read"), "no barrier of the cluster between"});
  expect_error(run_rotate<2>(out, ClusterMistakes::no_middle_barrier),
               {"shared memory race", "values byte", own_line("rotate: second write"),
                own_line("rotate: read")});
  // The last barrier is there for the block's end alone, and the one before it is enough.
  EXPECT_EQ(join(run_rotate<2>(out, ClusterMistakes::no_last_barrier).errors), "");
}

TEST(DistributedSharedMemory, HasBounds) {
  DeviceBuffer<int> out(4 * kThreads);
  expect_error(run_rotate<2>(out, ClusterMistakes::beyond),
               {"shared memory out of bounds", "byte 256 of values, which has 256",
                "of block (1,0,0)", own_line("rotate: read")});
}

// The block of rank `reader` reads what the other has.
__global__ void __cluster_dims__(2, 1, 1) read_late(int* out, unsigned reader, bool waits) {
  __shared__ int value;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = static_cast<int>(cluster.block_rank());
  cluster.sync();
  if (cluster.block_rank() == reader && threadIdx.x == 0) {
    *out = *cluster.map_shared_rank(&value, static_cast<int>(1 - reader));  // late: read
  }
  if (waits) cluster.sync();
}

TEST(DistributedSharedMemory, EndsWithItsBlock) {
  const DeviceBuffer<int> out(1);
  for (const unsigned reader : {0U, 1U}) {
    EXPECT_EQ(join(run(read_late, dim3(2), dim3(kThreads), out.data(), reader, true).errors), "");
    EXPECT_EQ(out.to_host()[0], static_cast<int>(1 - reader));
    expect_error(
        run(read_late, dim3(2), dim3(kThreads), out.data(), reader, false),
        {"shared memory of a block that may have ended", "block (" + std::to_string(reader),
         own_line("late: read"), "call cluster.sync() after the last access"});
  }
}

// All threads of a cluster count in the memory of its first block, which the last one sets.
__global__ void __cluster_dims__(4, 1, 1) count(int* out, bool atomic) {
  __shared__ int counter;
  __shared__ int from_last;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) counter = 0;
  cluster.sync();
  int* const first = cluster.map_shared_rank(&counter, 0);
  if (atomic) {
    atomicAdd(first, 1);
  } else if (threadIdx.x == 0) {
    *first += 1;  // count: plain
  }
  if (cluster.block_rank() == 3 && threadIdx.x == 1) {
    *cluster.map_shared_rank(&from_last, 0) = 42;
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) out[blockIdx.x / 4] = counter + from_last;
}

TEST(DistributedSharedMemory, IsWrittenAndUpdatedByOtherBlocks) {
  const DeviceBuffer<int> out(2);
  const Observation observation = run(count, dim3(8), dim3(kThreads), out.data(), true);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<int>{4 * kThreads + 42, 4 * kThreads + 42}));
  EXPECT_EQ(join(observation.remarks), "");
  expect_error(run(count, dim3(8), dim3(kThreads), out.data(), false),
               {"shared memory race", "counter byte 0 of block (0,0,0)", own_line("count: plain")});
}

// The block of rank 1 waits for a flag in its memory, without a barrier.
__global__ void __cluster_dims__(2, 1, 1) hand_over_in_cluster(int* out, bool fences) {
  __shared__ int value;
  __shared__ int flag;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = flag = 0;
  cluster.sync();
  if (threadIdx.x == 0) {
    if (cluster.block_rank() == 0) {
      *cluster.map_shared_rank(&value, 1) = 7;  // flag: write
      out[1] = 8;
      if (fences) __threadfence();
      atomicExch(cluster.map_shared_rank(&flag, 1), 1);
    } else {
      while (atomicAdd(&flag, 0) == 0) {
      }
      __threadfence();
      out[0] = value + out[1];  // flag: read
    }
  }
  cluster.sync();
}

TEST(DistributedSharedMemory, IsHandedOverByFencesAndFlags) {
  const DeviceBuffer<int> out(2);
  EXPECT_EQ(join(run(hand_over_in_cluster, dim3(2), dim3(32), out.data(), true).errors), "");
  EXPECT_EQ(out.to_host()[0], 15);
  expect_error(run(hand_over_in_cluster, dim3(2), dim3(32), out.data(), false),
               {"shared memory race", own_line("flag: write"), own_line("flag: read")});
}

// Through device memory: a barrier of the cluster orders its blocks, not those of other clusters.
__global__ void __cluster_dims__(2, 1, 1)
    through_memory(int* words, unsigned distance, bool waits) {
  words[blockIdx.x] = static_cast<int>(blockIdx.x);  // memory: write
  if (waits) cg::this_cluster().sync();
  words[8 + blockIdx.x] = words[blockIdx.x ^ distance];  // memory: read
}

TEST(ClusterBarrier, OrdersDeviceMemoryOfItsBlocksAlone) {
  const DeviceBuffer<int> words(16);
  EXPECT_EQ(join(run(through_memory, dim3(4), dim3(1), words.data(), 1U, true).errors), "");
  EXPECT_EQ(words.to_host()[8 + 3], 2);
  for (const bool waits : {false, true}) {
    expect_error(run(through_memory, dim3(4), dim3(1), words.data(), waits ? 2U : 1U, waits),
                 {"global memory race", own_line("memory: write"), own_line("memory: read")});
  }
}

__global__ void __cluster_dims__(3, 1, 1) some_return(int* out) {
  const auto cluster = cg::this_cluster();
  if (cluster.block_rank() == 1) return;
  cluster.sync();
  cluster.sync();
  if (threadIdx.x == 0) atomicAdd(out, 1);
}

TEST(ClusterBarrier, IsLeftByBlocksThatReturn) {
  const DeviceBuffer<int> out(std::vector<int>{0});
  EXPECT_EQ(join(run(some_return, dim3(6), dim3(32), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[0], 4);
}

// Each block shows a value, does something else, and waits for that of the next; where it is racy,
// it shows another in between.
__global__ void __cluster_dims__(4, 1, 1) arrive_in_cluster(int* out, bool some_leave, bool racy) {
  __shared__ int shown;
  __shared__ int own[kThreads];
  const auto cluster = cg::this_cluster();
  if (some_leave && threadIdx.x >= 40) return;
  const int next = static_cast<int>((cluster.block_rank() + 1) % 4);
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x == 0) shown = static_cast<int>(10 * blockIdx.x) + round;
    auto token = cluster.barrier_arrive();
    own[threadIdx.x] = round;
    if (racy && threadIdx.x == 0) shown = 7;  // apart: late write
    cluster.barrier_wait(std::move(token));
    if (threadIdx.x == 32) {
      const int value = *cluster.map_shared_rank(&shown, next);  // apart: read
      out[2 * blockIdx.x + static_cast<unsigned>(round)] = value + own[threadIdx.x] - round;
    }
    cluster.sync();
  }
}

TEST(ClusterBarrier, IsArrivedAtApartFromTheWait) {
  const DeviceBuffer<int> out(16);
  for (const bool some_leave : {false, true, false}) {
    const Observation observation =
        run(arrive_in_cluster, dim3(8), dim3(kThreads), out.data(), some_leave, false);
    EXPECT_EQ(join(observation.errors), "");
    EXPECT_EQ(out.to_host(),
              (std::vector<int>{10, 11, 20, 21, 30, 31, 0, 1, 50, 51, 60, 61, 70, 71, 40, 41}));
  }
  expect_error(run(arrive_in_cluster, dim3(8), dim3(kThreads), out.data(), false, true),
               {"shared memory race", own_line("apart: late write"), own_line("apart: read")});
}

template <class... Parameters>
cudaError_t launch_in_clusters(void (*kernel)(Parameters...), unsigned blocks, unsigned cluster,
                               unsigned threads, std::type_identity_t<Parameters>... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

// Of each block some threads arrive and wait apart, the others at once, first or last.
__global__ void halves_and_wholes(int* out, bool halves_first, bool racy) {
  __shared__ int shown[kThreads];
  const auto cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const bool by_halves = (threadIdx.x < kThreads / 2) == halves_first;
  shown[threadIdx.x] = static_cast<int>(blockIdx.x * 100 + threadIdx.x);
  for (int round = 0; round < 2; ++round) {
    if (by_halves) {
      auto token = cluster.barrier_arrive();
      if (racy) shown[threadIdx.x] = 7;  // halves: late write
      cluster.barrier_wait(std::move(token));
    } else {
      cluster.sync();
    }
  }
  const int* const theirs = cluster.map_shared_rank(shown, static_cast<int>(next));
  out[blockIdx.x * kThreads + threadIdx.x] = theirs[kThreads - 1 - threadIdx.x];  // halves: read
  cluster.sync();
}

TEST(ClusterBarrier, IsOneForThoseWhoArriveApartAndThoseWhoDoNot) {
  for (const unsigned blocks : {1U, 4U}) {
    for (const bool halves_first : {false, true}) {
      const DeviceBuffer<int> out(4 * kThreads);
      const auto launch = [&](bool racy) {
        return observe([&] {
          EXPECT_EQ(launch_in_clusters(halves_and_wholes, blocks, blocks, kThreads, out.data(),
                                       halves_first, racy),
                    cudaSuccess);
        });
      };
      EXPECT_EQ(join(launch(false).errors), "") << blocks << halves_first;
      EXPECT_EQ(out.to_host()[3], blocks == 1 ? 60 : 160);
      if (blocks > 1) {
        expect_error(launch(true), {"shared memory race", own_line("halves: late write"),
                                    own_line("halves: read")});
      }
    }
  }
}

__global__ void syncs_of_two_kinds(int* out) {
  if (threadIdx.x < 32) {
    cg::this_cluster().sync();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

TEST(ClusterBarrier, OfABlockAloneIsThatOfTheBlock) {
  for (const bool goes_on : {false, true}) {
    const DeviceBuffer<int> out(std::vector<int>(64, 0));
    const Observation observation =
        observe([&] { launch(syncs_of_two_kinds, dim3(1), dim3(64), out.data()); },
                {.continue_after_errors = goes_on});
    expect_error(observation, {"divergent barrier", "kernel syncs_of_two_kinds"});
    EXPECT_EQ(out.to_host(), std::vector<int>(64, goes_on ? 1 : 0));
  }
}

__global__ void count_blocks(unsigned* out) {
  if (threadIdx.x == 0) atomicAdd(out, cg::this_cluster().num_blocks());
}

cudaError_t count_in_clusters(unsigned blocks, unsigned cluster, unsigned* out) {
  return launch_in_clusters(count_blocks, blocks, cluster, 32, out);
}

TEST(ClusterLaunch, MayAskForClusters) {
  const DeviceBuffer<unsigned> out(std::vector<unsigned>{0});
  const Observation observation =
      observe([&] { EXPECT_EQ(count_in_clusters(8, 4, out.data()), cudaSuccess); });
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[0], 32U);
}

TEST(ClusterLaunch, IsRefusedWhereClustersDoNotFit) {
  const DeviceBuffer<unsigned> out(1);
  EXPECT_EQ(count_in_clusters(6, 4, out.data()), cudaErrorInvalidClusterSize);
  EXPECT_EQ(count_in_clusters(16, 16, out.data()), cudaErrorInvalidClusterSize);
  EXPECT_EQ(count_in_clusters(8, 0, out.data()), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaFuncSetAttribute(count_blocks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(count_in_clusters(16, 16, out.data()), cudaSuccess);
  EXPECT_EQ(count_in_clusters(32, 32, out.data()), cudaErrorInvalidClusterSize);
  const DeviceBuffer<int> some(1);
  some_return<<<4, 32>>>(some.data());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
}

template <class T>
__global__ void __cluster_dims__(2, 1, 1) deduced(T* out) {
  *out = 1;
}

TEST(ClusterLaunch, NeedsANameThatMeansOneFunction) {
  const DeviceBuffer<int> out(1);
  EXPECT_EQ(join(observe([&] { deduced<int><<<2, 1>>>(out.data()); }).errors).find("cluster_dims"),
            std::string::npos);
  expect_error(observe([&] { deduced<<<2, 1>>>(out.data()); }),
               {"kernel with __cluster_dims__ whose launch does not know them"});
}

TEST(DistributedSharedMemory, CountsOnlyLanesThatStayInTheirBlock) {
  const DeviceBuffer<int> out(kVisitors);
  for (const CountedVisit& visit : kCountedVisits) {
    const auto counted = [&](auto* kernel, Access access) {
      const Observation seen =
          run(kernel, dim3(2), dim3(kVisitors), visit.own, visit.stride, out.data());
      EXPECT_EQ(join(seen.errors) + join(seen.remarks), "");
      EXPECT_EQ(sum(seen, Access::global_load).requests, 0U);
      EXPECT_EQ(sum(seen, Access::global_store).requests,
                access == Access::shared_load ? 1U : 0U);  // of what was read
      EXPECT_EQ(sum(seen, Access::global_atomic).requests, 0U);
      const Sums sums = sum(seen, access);
      return std::pair(sums.requests, sums.moved);
    };
    SCOPED_TRACE(testing::Message() << visit.own << " lanes, stride " << visit.stride);
    const std::pair<std::uint64_t, std::uint64_t> wanted(visit.requests, visit.wavefronts);
    EXPECT_EQ(counted(visit_words<Visit::load>, Access::shared_load), wanted);
    EXPECT_EQ(counted(visit_words<Visit::store>, Access::shared_store),
              std::pair(kVisitFills + wanted.first, kVisitFills + wanted.second));
    EXPECT_EQ(counted(visit_words<Visit::atomic>, Access::shared_atomic), wanted);
  }
}

// What the H200's counters said of table_lookup/distributed/100003 in all sessions of
// baselines/nvidia-h200/table_lookup.json, with the same words and indices.
TEST(DistributedSharedMemory, IsCountedAsOnAnH200) {
  constexpr std::size_t kLookups = 100003;
  constexpr std::uint64_t kSeed = kInputSeed;
  const auto table = random_buffer<int>(kTableWords, kSeed);
  const auto index = random_buffer<unsigned>(kLookups, kSeed + 1);
  const DeviceBuffer<int> out(kLookups);
  allow_dynamic_shared(table_lookup_distributed, kTablePartBytes);
  const Observation observation = observe([&] {
    launch_with_shared(table_lookup_distributed, 196, kTableBlock, kTablePartBytes, table.data(),
                       index.data(), out.data(), kLookups);
  });
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(join(observation.remarks), "");
  EXPECT_EQ(sum(observation, Access::global_load), (Sums{103478, 413909, 413909}));
  EXPECT_EQ(sum(observation, Access::global_store), (Sums{3126, 12501, 12501}));
  const Sums loads = sum(observation, Access::shared_load);
  EXPECT_EQ(loads.requests, 3126U);
  EXPECT_EQ(loads.moved, 5168U);
  EXPECT_EQ(sum(observation, Access::shared_store), (Sums{100352, 100352, 100352}));
}

}  // namespace
}  // namespace warpgauge::emulator
