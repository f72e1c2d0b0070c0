// SPDX-License-Identifier: Apache-2.0
// Groups known when the kernel runs: thread_group, tiles of a size that is no constant, partitions
// by a predicate or a label. See cooperative_groups.h.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

// The block, or lanes of a warp.
class thread_group {
 public:
  thread_group(const thread_block&) : mask_(0) {}
  thread_group(const coalesced_group& group) : mask_(group.mask()) {}
  template <unsigned Size, class Parent>
  thread_group(const thread_block_tile<Size, Parent>& tile) : mask_(0) {
    static_assert(Size <= 32,
                  "the emulator has no thread_group of a tile wider than a warp, as CUDA has none");
    if constexpr (Size <= 32) mask_ = tile.mask();
  }
  // Used by tiled_partition.
  explicit thread_group(unsigned mask) : mask_(mask) {}

  WARPGAUGE_DEVICE_CALL void sync() const {
    if (mask_ == 0) {
      ::warpgauge_emulator::block_barrier(::warpgauge_emulator::BarrierVote::none, false,
                                          WARPGAUGE_CALL_SITE);
    } else {
      ::warpgauge_emulator::warp_operation(::warpgauge_emulator::WarpOperation::synchronize, mask_,
                                           0, 0, WARPGAUGE_CALL_SITE);
    }
  }

  __forceinline__ unsigned num_threads() const {
    return mask_ == 0 ? thread_block::num_threads() : static_cast<unsigned>(__popc(mask_));
  }
  __forceinline__ unsigned size() const { return num_threads(); }
  __forceinline__ unsigned thread_rank() const {
    return mask_ == 0 ? thread_block::thread_rank() : coalesced_group(mask_).thread_rank();
  }
  // For the emulator's own headers; 0: the block.
  __forceinline__ unsigned mask() const { return mask_; }

 private:
  unsigned mask_;
};

namespace detail {

__forceinline__ void require_tile(unsigned size, ::warpgauge_emulator::CallSite site) {
  if (size != 0 && size <= 32 && (size & (size - 1)) == 0) return;
  ::warpgauge_emulator::stop_kernel(
      ::warpgauge_emulator::StopReason::invalid_call,
      "tiled_partition(group, size) where CUDA ends the kernel: the size is no power of two up to "
      "32; wider tiles are tiled_partition<size>(group)",
      site);
}

}  // namespace detail

// The threads of the group whose ranks lie in one piece of `size`, a power of two up to 32.
WARPGAUGE_DEVICE_CALL coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
  detail::require_tile(size, WARPGAUGE_CALL_SITE);
  const unsigned tile = group.thread_rank() / size;
  unsigned mask = 0;
  for (unsigned rank = tile * size; rank < (tile + 1) * size && rank < group.size(); ++rank) {
    mask |= 1U << group.lane_of(rank);
  }
  return coalesced_group(mask, tile, (group.size() + size - 1) / size);
}
WARPGAUGE_DEVICE_CALL thread_group tiled_partition(const thread_group& group, unsigned size) {
  detail::require_tile(size, WARPGAUGE_CALL_SITE);
  if (group.mask() != 0) return tiled_partition(coalesced_group(group.mask()), size);
  const unsigned first = ::warpgauge_emulator::lane_index() / size * size;
  const unsigned left = thread_block::num_threads() - (thread_block::thread_rank() / size * size);
  const unsigned count = left < size ? left : size;
  return thread_group((0xffffffffU >> (32 - count)) << first);
}

// The threads of the group, tile or coalesced, with the same answer or label.
template <class Group>
WARPGAUGE_DEVICE_CALL coalesced_group binary_partition(const Group& group, bool predicate) {
  const auto yes = static_cast<unsigned>(
      ::warpgauge_emulator::warp_operation(::warpgauge_emulator::WarpOperation::ballot,
                                           group.mask(), predicate, 0, WARPGAUGE_CALL_SITE));
  return coalesced_group(predicate ? yes : group.mask() & ~yes, predicate ? 1 : 0, 2);
}
template <class Group, class Label>
WARPGAUGE_DEVICE_CALL coalesced_group labeled_partition(const Group& group, Label label) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &label, sizeof label);
  return coalesced_group(static_cast<unsigned>(::warpgauge_emulator::warp_operation(
      ::warpgauge_emulator::WarpOperation::match, group.mask(), bits, 0, WARPGAUGE_CALL_SITE)));
}

// Room for tiles wider than a warp, which need none here: see wide_tile.h.
template <unsigned Threads = 1024>
struct block_tile_memory {};
template <unsigned Threads>
__forceinline__ thread_block this_thread_block(block_tile_memory<Threads>&) {
  return {};
}

// Calls the function in the thread of rank 0.
template <class Group, class Function, class... Arguments>
__forceinline__ void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
__forceinline__ auto invoke_one_broadcast(const Group& group, Function&& function,
                                          Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
