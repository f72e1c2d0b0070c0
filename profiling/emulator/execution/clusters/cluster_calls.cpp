// SPDX-License-Identifier: Apache-2.0
// What kernel code calls about its cluster. Runs on the kernel's stack.
#include <cstdint>
#include <optional>
#include <utility>

#include "profiling/emulator/execution/block_runner.hpp"
#include "profiling/emulator/include/warpgauge_emulator/groups/completed_phase.h"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace warpgauge_emulator {
namespace {

const warpgauge::emulator::BlockRunner& block() { return *warpgauge_emulator_thread_memory.runner; }

// nullptr: the block is alone, or host code calls.
const warpgauge::emulator::ClusterMemory* cluster_of_caller() {
  return runs_kernel() ? block().cluster() : nullptr;
}

std::uintptr_t value_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

const void* const kBarrier = reinterpret_cast<const void*>(kArrivalOfCluster);

// An address in another block's shared memory has the rank in front, and behind that the lower bits
// of the same address in the block's own, whose upper bits are set: it precedes the thread's
// pointer.
constexpr unsigned kRankShift = 27;
constexpr unsigned kOwn = ~0U << kRankShift;

[[noreturn]] void stop_at_second_arrival(CallSite site) {
  stop_kernel(
      StopReason::invalid_call,
      "arrival at the cluster's barrier by a thread that has not waited there since it last "
      "arrived",
      site);
}

std::uintptr_t thread_pointer() { return value_of(__builtin_thread_pointer()); }

}  // namespace

uint3 cluster_dimensions() { return block().cluster_dimensions(); }

void* map_shared(const void* address, unsigned rank, CallSite site) {
  const auto* cluster = block().cluster();
  if (rank >= (cluster == nullptr ? 1 : cluster->size())) {
    stop_kernel(StopReason::invalid_call,
                "map_shared_rank() or mapa to the block of a rank that the cluster does not have",
                site);
  }
  if (cluster == nullptr) return const_cast<void*>(address);
  const std::uintptr_t offset = block().offset_in_shared(value_of(address));
  if (!block().is_shared(value_of(address))) {
    stop_kernel(StopReason::invalid_call,
                "map_shared_rank() or mapa of an address that is not in the block's own shared "
                "memory",
                site);
  }
  return reinterpret_cast<void*>(cluster->shared_begin(rank) + offset);
}

unsigned shared_address(const void* pointer) {
  const auto own = static_cast<unsigned>(value_of(pointer) - thread_pointer());
  const auto* cluster = cluster_of_caller();
  const auto rank = cluster == nullptr ? std::nullopt : cluster->rank_of(value_of(pointer));
  if (!rank) return own;
  const std::uintptr_t offset = value_of(pointer) - cluster->shared_begin(*rank);
  const auto same = static_cast<unsigned>(offset - block().offset_in_shared(thread_pointer()));
  return *rank << kRankShift | (same & ~kOwn);
}

void* shared_pointer(unsigned address) {
  const auto* cluster = cluster_of_caller();
  const unsigned rank = address >> kRankShift;
  const auto offset = static_cast<std::intptr_t>(static_cast<int>(address | kOwn));
  const std::uintptr_t same = thread_pointer() + static_cast<std::uintptr_t>(offset);
  if (cluster == nullptr || rank >= cluster->size() || !block().is_shared(same)) {
    return reinterpret_cast<void*>(thread_pointer() + address);  // in no block's shared memory
  }
  return reinterpret_cast<void*>(cluster->shared_begin(rank) + block().offset_in_shared(same));
}

unsigned rank_of_shared(const void* address, CallSite site) {
  const auto* cluster = block().cluster();
  if (cluster == nullptr) return 0;
  const auto rank = cluster->rank_of(value_of(address));
  if (!rank) {
    stop_kernel(StopReason::invalid_call,
                "query_shared_rank() or getctarank of an address that is not in the cluster's "
                "shared memory",
                site);
  }
  return *rank;
}

void require_cluster(const unsigned* extents) {
  const uint3 cluster = block().cluster_dimensions();
  const auto differs = [](unsigned asked, unsigned has) { return (asked == 0 ? 1 : asked) != has; };
  if (differs(extents[0], cluster.x) || differs(extents[1], cluster.y) ||
      differs(extents[2], cluster.z)) {
    stop_kernel(StopReason::invalid_call,
                "kernel with __cluster_dims__ whose launch does not know them (launch it by a name "
                "that means one function, as in kernel<float><<<grid, block>>>)",
                {__builtin_return_address(0), __builtin_frame_address(0)});
  }
}

void cluster_barrier(CallSite site) {
  auto& lane = *warpgauge_emulator_thread_memory.lane;
  if (lane.arrived_in_cluster) stop_at_second_arrival(site);
  lane.waiting_at = site;
  lane.scope = BarrierScope::cluster;
  lane.vote = BarrierVote::none;
  lane.predicate = false;
  lane.clock_seen = nullptr;
  lane.state = warpgauge::emulator::LaneState::at_block_barrier;
  lane.fiber.suspend();
}

void arrive_in_cluster(CallSite site) {
  auto& arrived = warpgauge_emulator_thread_memory.lane->arrived_in_cluster;
  if (arrived) stop_at_second_arrival(site);
  arrived = arrive({.barrier = kBarrier, .expected = block().thread_count()}, site);
}

void await_cluster(CallSite site) {
  auto& arrived = warpgauge_emulator_thread_memory.lane->arrived_in_cluster;
  if (!arrived) {
    stop_kernel(StopReason::invalid_call,
                "wait at the cluster's barrier by a thread that has not arrived there", site);
  }
  await_phase(kBarrier, *std::exchange(arrived, std::nullopt), site);
}

}  // namespace warpgauge_emulator
