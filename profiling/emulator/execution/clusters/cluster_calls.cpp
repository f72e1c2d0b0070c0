// SPDX-License-Identifier: Apache-2.0
// What kernel code calls about its cluster. Runs on the kernel's stack.
#include "profiling/emulator/execution/block_runner.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace warpgauge_emulator {
namespace {

const warpgauge::emulator::BlockRunner& block() { return *warpgauge_emulator_thread_memory.runner; }

std::uintptr_t value_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

uint3 cluster_dimensions() { return block().cluster_dimensions(); }

void* map_shared(const void* address, unsigned rank, CallSite site) {
  const auto* cluster = block().cluster();
  if (rank >= (cluster == nullptr ? 1 : cluster->size())) {
    stop_kernel(StopReason::invalid_call,
                "map_shared_rank() to the block of a rank that the cluster does not have", site);
  }
  if (cluster == nullptr) return const_cast<void*>(address);
  const std::uintptr_t offset = block().offset_in_shared(value_of(address));
  if (!block().is_shared(value_of(address))) {
    stop_kernel(StopReason::invalid_call,
                "map_shared_rank() of an address that is not in the block's own shared memory",
                site);
  }
  return reinterpret_cast<void*>(cluster->shared_begin(rank) + offset);
}

unsigned rank_of_shared(const void* address, CallSite site) {
  const auto* cluster = block().cluster();
  if (cluster == nullptr) return 0;
  const auto rank = cluster->rank_of(value_of(address));
  if (!rank) {
    stop_kernel(StopReason::invalid_call,
                "query_shared_rank() of an address that is not in the cluster's shared memory",
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
  lane.waiting_at = site;
  lane.scope = block().cluster() == nullptr ? BarrierScope::block : BarrierScope::cluster;
  lane.vote = BarrierVote::none;
  lane.predicate = false;
  lane.clock_seen = nullptr;
  lane.state = warpgauge::emulator::LaneState::at_block_barrier;
  lane.fiber.suspend();
}

}  // namespace warpgauge_emulator
