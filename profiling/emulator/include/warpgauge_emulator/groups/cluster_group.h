// SPDX-License-Identifier: Apache-2.0
// The cluster of a launch that asks for none: one block. Clusters of several blocks are refused by
// the names of what asks for them. See cooperative_groups.h.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

class cluster_group {
 public:
  using arrival_token = thread_block::arrival_token;

  WARPGAUGE_DEVICE_CALL static void sync() {
    ::warpgauge_emulator::block_barrier(::warpgauge_emulator::BarrierVote::none, false,
                                        WARPGAUGE_CALL_SITE);
  }
  WARPGAUGE_DEVICE_CALL static arrival_token barrier_arrive() {
    return thread_block::arrive_at(::warpgauge_emulator::kArrivalOfCluster, WARPGAUGE_CALL_SITE);
  }
  WARPGAUGE_DEVICE_CALL static void barrier_wait(arrival_token&& token) {
    thread_block::await(::warpgauge_emulator::kArrivalOfCluster, token, WARPGAUGE_CALL_SITE);
  }
  // Deduced, so that only its use is refused.
  template <class Never = void>
  static void barrier_wait() {
    static_assert(!std::is_void_v<Never>,
                  "the emulator has no wait at a cluster's barrier without the arrival's token");
  }

  template <class T>
  WARPGAUGE_DEVICE_CALL static T* map_shared_rank(T* address, int rank) {
    if (rank != 0) {
      ::warpgauge_emulator::stop_kernel(::warpgauge_emulator::StopReason::invalid_call,
                                        "map_shared_rank() to another block than that of rank 0, "
                                        "where the cluster has no other",
                                        WARPGAUGE_CALL_SITE);
    }
    return address;
  }
  static __forceinline__ unsigned query_shared_rank(const void*) { return 0; }

  static __forceinline__ dim3 block_index() { return dim3(0, 0, 0); }
  static __forceinline__ unsigned block_rank() { return 0; }
  static __forceinline__ dim3 thread_index() { return threadIdx; }
  static __forceinline__ unsigned thread_rank() { return thread_block::thread_rank(); }
  static __forceinline__ dim3 dim_blocks() { return dim3(1, 1, 1); }
  static __forceinline__ unsigned num_blocks() { return 1; }
  static __forceinline__ dim3 dim_threads() { return blockDim; }
  static __forceinline__ unsigned num_threads() { return thread_block::num_threads(); }
  static __forceinline__ unsigned size() { return num_threads(); }
};

__forceinline__ cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
