// SPDX-License-Identifier: Apache-2.0
// The cluster of blocks: one block where neither the kernel nor its launch asks for more. See
// cooperative_groups.h.
#pragma once

#include "cluster_place.h"
#include "cooperative_groups.h"

namespace cooperative_groups {

class cluster_group {
 public:
  struct arrival_token {};

  WARPGAUGE_DEVICE_CALL static void sync() {
    ::warpgauge_emulator::cluster_barrier(WARPGAUGE_CALL_SITE);
  }
  WARPGAUGE_DEVICE_CALL static arrival_token barrier_arrive() {
    ::warpgauge_emulator::arrive_in_cluster(WARPGAUGE_CALL_SITE);
    return {};
  }
  WARPGAUGE_DEVICE_CALL static void barrier_wait(arrival_token&&) {
    ::warpgauge_emulator::await_cluster(WARPGAUGE_CALL_SITE);
  }
  WARPGAUGE_DEVICE_CALL static void barrier_wait() {
    ::warpgauge_emulator::await_cluster(WARPGAUGE_CALL_SITE);
  }

  template <class T>
  WARPGAUGE_DEVICE_CALL static T* map_shared_rank(T* address, int rank) {
    return static_cast<T*>(::warpgauge_emulator::map_shared(address, static_cast<unsigned>(rank),
                                                            WARPGAUGE_CALL_SITE));
  }
  WARPGAUGE_DEVICE_CALL static unsigned query_shared_rank(const void* address) {
    return ::warpgauge_emulator::rank_of_shared(address, WARPGAUGE_CALL_SITE);
  }

  static __forceinline__ dim3 dim_blocks() { return ::warpgauge_emulator::cluster_dimensions(); }
  static __forceinline__ unsigned num_blocks() { return ::warpgauge_emulator::blocks_of_cluster(); }
  static __forceinline__ dim3 block_index() { return ::warpgauge_emulator::block_in_cluster(); }
  static __forceinline__ unsigned block_rank() { return ::warpgauge_emulator::rank_in_cluster(); }
  static __forceinline__ dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  static __forceinline__ unsigned num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  static __forceinline__ unsigned size() { return num_threads(); }
  static __forceinline__ dim3 thread_index() {
    const dim3 index = block_index();
    return dim3(index.x * blockDim.x + threadIdx.x, index.y * blockDim.y + threadIdx.y,
                index.z * blockDim.z + threadIdx.z);
  }
  static __forceinline__ unsigned thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
};

__forceinline__ cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
