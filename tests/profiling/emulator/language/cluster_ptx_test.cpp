// SPDX-License-Identifier: Apache-2.0
// Inline PTX of clusters: the halves of their barrier, addresses in another block's shared memory,
// and registers that say where a block is.
#include <cooperative_groups.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace cg = cooperative_groups;

namespace warpgauge::emulator {
namespace {

constexpr unsigned kThreadsOfPtx = 64;

__global__ void __cluster_dims__(2, 2) ask_by_ptx(unsigned* out) {
  unsigned answers[8];
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(answers[0]));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(answers[1]));
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(answers[2]));
  asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(answers[3]));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(answers[4]));
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(answers[5]));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(answers[6]));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(answers[7]));
  for (unsigned i = 0; i < 8; ++i) out[8 * (blockIdx.y * gridDim.x + blockIdx.x) + i] = answers[i];
}

TEST(ClusterPtx, KnowsWhereTheBlockIs) {
  const DeviceBuffer<unsigned> out(8 * 24);
  EXPECT_EQ(join(run(ask_by_ptx, dim3(6, 4), dim3(1), out.data()).errors), "");
  const auto all = out.to_host();
  const auto* const answers = &all[8 * (3 * 6 + 4)];  // of the block (4, 3)
  EXPECT_EQ(std::vector<unsigned>(answers, answers + 8),
            (std::vector<unsigned>{2, 4, 0, 1, 2, 2, 1, 3}));
}

enum class PtxMistakes { none, early_read, late_write, no_arrival, two_arrivals, synced, beyond };

__device__ unsigned shared_number(const void* address) {
  return static_cast<unsigned>(__cvta_generic_to_shared(address));
}

// Each block reads what the next of its cluster shows.
__global__ void __cluster_dims__(4, 1, 1) show(unsigned* out, PtxMistakes mistake) {
  __shared__ unsigned shown[kThreadsOfPtx];
  const unsigned i = threadIdx.x;
  unsigned rank, place, word;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const unsigned other = mistake == PtxMistakes::beyond ? 4 : (rank + 1) % 4;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"  // show: map
      : "=r"(place)
      : "r"(shared_number(&shown[i])), "r"(other));
  shown[i] = 100 * blockIdx.x + i;
  if (mistake != PtxMistakes::no_arrival) {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  if (mistake == PtxMistakes::two_arrivals) {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  // show: second arrival
  }
  if (mistake == PtxMistakes::synced) cg::this_cluster().sync();  // show: synced
  if (mistake == PtxMistakes::late_write) shown[i] = 0;           // show: late write
  if (mistake != PtxMistakes::early_read) {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");  // show: wait
  }
  asm volatile("ld.shared::cluster.u32 %0, [%1];"  // show: read
               : "=r"(word)
               : "r"(place)
               : "memory");
  out[kThreadsOfPtx * blockIdx.x + i] = word;
  if (mistake == PtxMistakes::early_read) asm volatile("barrier.cluster.wait;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
}

TEST(ClusterPtx, ArrivesAndWaits) {
  const DeviceBuffer<unsigned> out(8 * kThreadsOfPtx);
  const Observation observation =
      run(show, dim3(8), dim3(kThreadsOfPtx), out.data(), PtxMistakes::none);
  EXPECT_EQ(join(observation.errors) + join(observation.remarks), "");
  EXPECT_EQ(observation.barriers, 2U * 8);
  EXPECT_EQ(sum(observation, Access::shared_load).requests, 0U);  // of another block
  const auto words = out.to_host();
  for (unsigned block = 0; block < 8; ++block) {
    EXPECT_EQ(words[block * kThreadsOfPtx + 5], 100 * (block / 4 * 4 + (block + 1) % 4) + 5);
  }
}

TEST(ClusterPtx, ReportsRacesAndMisuse) {
  const DeviceBuffer<unsigned> out(4 * kThreadsOfPtx);
  const auto show_with = [&](PtxMistakes mistake) {
    return run(show, dim3(4), dim3(kThreadsOfPtx), out.data(), mistake);
  };
  expect_error(show_with(PtxMistakes::early_read), {"shared memory race", own_line("show: read")});
  expect_error(show_with(PtxMistakes::late_write),
               {"shared memory race", own_line("show: late write"), own_line("show: read")});
  expect_error(show_with(PtxMistakes::no_arrival),
               {"wait at the cluster's barrier by a thread that has not arrived there",
                own_line("show: wait")});
  expect_error(show_with(PtxMistakes::two_arrivals),
               {"arrival at the cluster's barrier by a thread that has not waited there",
                own_line("show: second arrival")});
  expect_error(show_with(PtxMistakes::synced),
               {"arrival at the cluster's barrier by a thread that has not waited there",
                own_line("show: synced")});
  expect_error(
      show_with(PtxMistakes::beyond),
      {"mapa to the block of a rank that the cluster does not have", own_line("show: map")});
}

// Every block counts in the memory of each, by all kinds of addresses.
__global__ void __cluster_dims__(4, 1, 1) reach(unsigned* out) {
  __shared__ unsigned counts[4];
  const unsigned rank = cg::this_cluster().block_rank();
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  cg::this_cluster().sync();
  if (threadIdx.x < 4) {
    unsigned place, old, owner, same_owner;
    unsigned long long pointer;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(place)
        : "r"(shared_number(&counts[rank])), "r"(threadIdx.x));
    asm("mapa.u64 %0, %1, %2;" : "=l"(pointer) : "l"(&counts[rank]), "r"(threadIdx.x));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(place), "r"(7U) : "memory");
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(place), "r"(30U)
                 : "memory");
    *reinterpret_cast<unsigned*>(pointer) += old;
    asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(
                     shared_number(reinterpret_cast<const void*>(pointer))),
                 "r"(100U)
                 : "memory");
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(place));
    asm("getctarank.u64 %0, %1;" : "=r"(same_owner) : "l"(pointer));
    if (owner != threadIdx.x || same_owner != owner) *reinterpret_cast<unsigned*>(pointer) = 0;
  }
  cg::this_cluster().barrier_arrive();
  cg::this_cluster().barrier_wait();
  if (threadIdx.x < 4) out[4 * blockIdx.x + threadIdx.x] = counts[threadIdx.x];
}

TEST(ClusterPtx, ReachesOtherBlocksByAddresses) {
  const DeviceBuffer<unsigned> out(16);
  EXPECT_EQ(join(run(reach, dim3(4), dim3(kThreadsOfPtx), out.data()).errors), "");
  EXPECT_EQ(out.to_host(), std::vector<unsigned>(16, 7 + 30 + 7 + 100));
}

// Each block sends the other the mapped address of its own word, where that writes.
__global__ void __cluster_dims__(2, 1, 1) send(unsigned* out) {
  __shared__ unsigned word;
  __shared__ unsigned sent;
  const auto cluster = cg::this_cluster();
  unsigned place;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(place)
      : "r"(shared_number(&word)), "r"(cluster.block_rank()));
  *cluster.map_shared_rank(&sent, 1 - static_cast<int>(cluster.block_rank())) = place;
  cluster.sync();
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(sent), "r"(100 + blockIdx.x) : "memory");
  cluster.sync();
  out[blockIdx.x] = word;
}

TEST(ClusterPtx, AMappedAddressIsTheSameInAllBlocks) {
  const DeviceBuffer<unsigned> out(4);
  EXPECT_EQ(join(run(send, dim3(4), dim3(1), out.data()).errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<unsigned>{101, 100, 103, 102}));
}

// Thread 0 spins until thread 1 has arrived; then each block reads what thread 1 of the other
// wrote.
__global__ void __cluster_dims__(2, 1, 1) spin_for_an_arrival(unsigned* out) {
  __shared__ unsigned flag;
  __shared__ unsigned shown;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    flag = 0;
    shown = 0;
  }
  cluster.sync();
  if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
  }
  if (threadIdx.x == 1) shown = 100 + blockIdx.x;
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  if (threadIdx.x == 1) atomicExch(&flag, 1);
  asm volatile("barrier.cluster.wait;" ::: "memory");
  const int other = 1 - static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 40) out[blockIdx.x] = *cluster.map_shared_rank(&shown, other);
  cluster.sync();
}

TEST(ClusterPtx, LetsAThreadArriveForWhomAnotherOfItsWarpSpins) {
  const DeviceBuffer<unsigned> out(4);
  EXPECT_EQ(join(run(spin_for_an_arrival, dim3(4), dim3(kThreadsOfPtx), out.data()).errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<unsigned>{101, 100, 103, 102}));
}

// Without clusters, a block is one of its own.
__global__ void alone(unsigned* out) {
  __shared__ unsigned words[kThreadsOfPtx];
  unsigned place, word, blocks;
  words[threadIdx.x] = threadIdx.x;
  asm volatile("barrier.cluster.arrive;" ::: "memory");
  asm volatile("barrier.cluster.wait;" ::: "memory");
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  asm("mapa.shared::cluster.u32 %0, %1, 0;"
      : "=r"(place)
      : "r"(shared_number(&words[kThreadsOfPtx - 1 - threadIdx.x])));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(place) : "memory");
  if (blockIdx.x == 1) out[threadIdx.x] = 1000 * blocks + word;
}

TEST(ClusterPtx, IsOfOneBlockWhereNobodyAsksForMore) {
  const DeviceBuffer<unsigned> out(kThreadsOfPtx);
  EXPECT_EQ(join(run(alone, dim3(2), dim3(kThreadsOfPtx), out.data()).errors), "");
  EXPECT_EQ(out.to_host()[3], 1060U);
}

}  // namespace
}  // namespace warpgauge::emulator
