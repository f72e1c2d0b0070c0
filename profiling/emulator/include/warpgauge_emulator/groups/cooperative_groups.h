// SPDX-License-Identifier: Apache-2.0
// The groups of cooperative groups: the grid, the block, and tiles of a warp.
//
// See also coalesced_group.h, wide_tile.h, thread_group.h, cluster_group.h, <…/reduce.h>,
// <…/scan.h> and <…/memcpy_async.h>. Unsupported, so code with it does not compile: a grid's
// barrier_arrive apart from its barrier_wait.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "coalesced_group.h"
#include "completed_phase.h"
#include "wide_tile.h"

namespace cooperative_groups {

class grid_group {
 public:
  template <class Never = void>
  static int barrier_arrive() {
    static_assert(!std::is_void_v<Never>,
                  "the emulator has no arrival at a grid's barrier apart from the wait");
    return 0;
  }

  // Waits for all threads of the grid; an error where the launch is not cooperative.
  WARPGAUGE_DEVICE_CALL static void sync() {
    ::warpgauge_emulator::grid_barrier(WARPGAUGE_CALL_SITE);
  }

  static __forceinline__ bool is_valid() { return ::warpgauge_emulator::cooperative_launch(); }

  static __forceinline__ unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static __forceinline__ unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static __forceinline__ unsigned long long num_threads() {
    return num_blocks() * (blockDim.x * blockDim.y * blockDim.z);
  }
  static __forceinline__ unsigned long long size() { return num_threads(); }
  static __forceinline__ unsigned long long thread_rank() {
    return block_rank() * (blockDim.x * blockDim.y * blockDim.z) +
           (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static __forceinline__ dim3 dim_blocks() { return gridDim; }
  static __forceinline__ dim3 group_dim() { return gridDim; }
  static __forceinline__ dim3 block_index() { return blockIdx; }
};

class thread_block {
 public:
  class arrival_token {
    friend thread_block;
    std::uint64_t phase = 0;
  };

  // What a thread did before it arrives is known to all behind their wait, and no more than that.
  WARPGAUGE_DEVICE_CALL static arrival_token barrier_arrive() {
    ::warpgauge_emulator::Arrival arrival;
    arrival.barrier = reinterpret_cast<const void*>(::warpgauge_emulator::kArrivalOfBlock);
    arrival.expected = num_threads();
    arrival_token token;
    token.phase = ::warpgauge_emulator::arrive(arrival, WARPGAUGE_CALL_SITE);
    return token;
  }
  WARPGAUGE_DEVICE_CALL static void barrier_wait(arrival_token&& token) {
    ::warpgauge_emulator::await_phase(
        reinterpret_cast<const void*>(::warpgauge_emulator::kArrivalOfBlock), token.phase,
        WARPGAUGE_CALL_SITE);
  }
  WARPGAUGE_DEVICE_CALL static void sync() {
    ::warpgauge_emulator::block_barrier(::warpgauge_emulator::BarrierVote::none, false,
                                        WARPGAUGE_CALL_SITE);
  }

  static __forceinline__ unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static __forceinline__ unsigned size() { return num_threads(); }
  static __forceinline__ unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static __forceinline__ dim3 group_index() { return blockIdx; }
  static __forceinline__ dim3 thread_index() { return threadIdx; }
  static __forceinline__ dim3 dim_threads() { return blockDim; }
  static __forceinline__ dim3 group_dim() { return blockDim; }
};

__forceinline__ grid_group this_grid() { return {}; }
__forceinline__ thread_block this_thread_block() { return {}; }

// Size neighbouring threads of a warp.
template <unsigned Size>
class WarpTile {
 public:
  // Used by tiled_partition.
  WarpTile(unsigned meta_group_rank, unsigned meta_group_size)
      : meta_group_rank_(meta_group_rank), meta_group_size_(meta_group_size) {}

  WARPGAUGE_DEVICE_CALL void sync() const {
    ::warpgauge_emulator::warp_operation(::warpgauge_emulator::WarpOperation::synchronize, mask(),
                                         0, 0, WARPGAUGE_CALL_SITE);
  }

  static __forceinline__ constexpr unsigned num_threads() { return Size; }
  static __forceinline__ constexpr unsigned size() { return Size; }
  static __forceinline__ unsigned thread_rank() {
    return ::warpgauge_emulator::lane_index() % Size;
  }
  // Rank among the parent's tiles.
  __forceinline__ unsigned meta_group_rank() const { return meta_group_rank_; }
  __forceinline__ unsigned meta_group_size() const { return meta_group_size_; }

  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl(T value, unsigned source) const {
    return ::warpgauge_emulator::shuffle(mask(), value, first_lane() + source % Size,
                                         WARPGAUGE_CALL_SITE);
  }
  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl_down(T value, unsigned delta) const {
    const unsigned source = thread_rank() + delta < Size ? thread_rank() + delta : thread_rank();
    return ::warpgauge_emulator::shuffle(mask(), value, first_lane() + source, WARPGAUGE_CALL_SITE);
  }
  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl_up(T value, unsigned delta) const {
    const unsigned source = thread_rank() >= delta ? thread_rank() - delta : thread_rank();
    return ::warpgauge_emulator::shuffle(mask(), value, first_lane() + source, WARPGAUGE_CALL_SITE);
  }
  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl_xor(T value, unsigned lane_mask) const {
    const unsigned other = thread_rank() ^ lane_mask;
    return ::warpgauge_emulator::shuffle(
        mask(), value, first_lane() + (other < Size ? other : thread_rank()), WARPGAUGE_CALL_SITE);
  }

  WARPGAUGE_DEVICE_CALL int any(int predicate) const {
    return vote(predicate != 0, WARPGAUGE_CALL_SITE) != 0;
  }
  WARPGAUGE_DEVICE_CALL int all(int predicate) const {
    return vote(predicate == 0, WARPGAUGE_CALL_SITE) == 0;
  }
  // A bit for each thread of the tile, the first one's lowest.
  WARPGAUGE_DEVICE_CALL unsigned ballot(int predicate) const {
    return vote(predicate != 0, WARPGAUGE_CALL_SITE) >> first_lane();
  }

  // The lanes of the tile with the same value, the first one's bit lowest; those of all threads, or
  // 0 where not all have the same.
  template <class T>
  WARPGAUGE_DEVICE_CALL unsigned match_any(T value) const {
    return matching(::warpgauge_emulator::WarpOperation::match, &value, sizeof value,
                    WARPGAUGE_CALL_SITE);
  }
  template <class T>
  WARPGAUGE_DEVICE_CALL unsigned match_all(T value, int& all_match) const {
    const unsigned lanes = matching(::warpgauge_emulator::WarpOperation::match_all, &value,
                                    sizeof value, WARPGAUGE_CALL_SITE);
    all_match = lanes != 0;
    return lanes;
  }

  // The lane of the thread of this rank. For the emulator's own headers, as is the next.
  static __forceinline__ unsigned lane_of(unsigned rank) { return first_lane() + rank; }
  static __forceinline__ unsigned mask() { return (0xffffffffU >> (32 - Size)) << first_lane(); }

 private:
  static __forceinline__ unsigned first_lane() {
    return ::warpgauge_emulator::lane_index() / Size * Size;
  }
  static __forceinline__ unsigned vote(bool yes, ::warpgauge_emulator::CallSite site) {
    return static_cast<unsigned>(::warpgauge_emulator::warp_operation(
        ::warpgauge_emulator::WarpOperation::ballot, mask(), yes, 0, site));
  }

  __attribute__((no_sanitize("thread"), no_sanitize_coverage)) static inline unsigned matching(
      ::warpgauge_emulator::WarpOperation operation, const void* value, std::size_t bytes,
      ::warpgauge_emulator::CallSite site) {
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, value, bytes);
    return static_cast<unsigned>(
               ::warpgauge_emulator::warp_operation(operation, mask(), bits, 0, site)) >>
           first_lane();
  }

  unsigned meta_group_rank_;
  unsigned meta_group_size_;
};

// Size neighbouring threads of a block.
template <unsigned Size, class Parent = void>
class thread_block_tile : public std::conditional_t<(Size <= 32), WarpTile<Size>, WideTile<Size>> {
  static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0,
                "a tile has a power of two of threads, at most 1024");
  using Tile = std::conditional_t<(Size <= 32), WarpTile<Size>, WideTile<Size>>;

 public:
  using Tile::Tile;
  // As in CUDA, a tile's type may omit its parent.
  template <class OtherParent>
  thread_block_tile(const thread_block_tile<Size, OtherParent>& other)
      : Tile(other.meta_group_rank(), other.meta_group_size()) {}
};

template <unsigned Size>
__forceinline__ thread_block_tile<Size, thread_block> tiled_partition(const thread_block& block) {
  return {block.thread_rank() / Size, (block.num_threads() + Size - 1) / Size};
}

template <unsigned Size, unsigned ParentSize, class Parent>
__forceinline__ thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent>& parent) {
  static_assert(Size <= ParentSize, "a tile is no larger than what it is a part of");
  return {parent.thread_rank() / Size, ParentSize / Size};
}

// Waits for all threads of the group.
template <class Group>
__forceinline__ void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
