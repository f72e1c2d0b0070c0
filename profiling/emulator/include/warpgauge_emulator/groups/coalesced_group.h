// SPDX-License-Identifier: Apache-2.0
// The lanes that reached a place together, as a group. See cooperative_groups.h.
#pragma once

#include <cuda_runtime.h>

namespace cooperative_groups {

class coalesced_group {
 public:
  // Used by coalesced_threads and by partitions.
  explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

  WARPGAUGE_DEVICE_CALL void sync() const {
    ::warpgauge_emulator::warp_operation(::warpgauge_emulator::WarpOperation::synchronize, mask_, 0,
                                         0, WARPGAUGE_CALL_SITE);
  }

  __forceinline__ unsigned num_threads() const { return static_cast<unsigned>(__popc(mask_)); }
  __forceinline__ unsigned size() const { return num_threads(); }
  __forceinline__ unsigned thread_rank() const {
    return rank_of(::warpgauge_emulator::lane_index());
  }
  __forceinline__ unsigned meta_group_rank() const { return meta_rank_; }
  __forceinline__ unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl(T value, unsigned source) const {
    return ::warpgauge_emulator::shuffle(mask_, value, lane_of(source % num_threads()),
                                         WARPGAUGE_CALL_SITE);
  }
  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return ::warpgauge_emulator::shuffle(
        mask_, value, lane_of(rank + delta < num_threads() ? rank + delta : rank),
        WARPGAUGE_CALL_SITE);
  }
  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return ::warpgauge_emulator::shuffle(mask_, value, lane_of(rank >= delta ? rank - delta : rank),
                                         WARPGAUGE_CALL_SITE);
  }

  WARPGAUGE_DEVICE_CALL int any(int predicate) const {
    return vote(predicate != 0, WARPGAUGE_CALL_SITE) != 0;
  }
  WARPGAUGE_DEVICE_CALL int all(int predicate) const {
    return vote(predicate == 0, WARPGAUGE_CALL_SITE) == 0;
  }
  // A bit for each thread of the group, by rank.
  WARPGAUGE_DEVICE_CALL unsigned ballot(int predicate) const {
    const unsigned lanes = vote(predicate != 0, WARPGAUGE_CALL_SITE);
    unsigned ranks = 0;
    for (unsigned rank = 0; rank < num_threads(); ++rank) {
      ranks |= (lanes >> lane_of(rank) & 1U) << rank;
    }
    return ranks;
  }

  // The lane of the thread of this rank. For the emulator's own headers, as is the next.
  __forceinline__ unsigned lane_of(unsigned rank) const {
    unsigned left = mask_;
    while (rank-- > 0) left &= left - 1;
    return static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
  }
  __forceinline__ unsigned mask() const { return mask_; }

 private:
  __forceinline__ unsigned rank_of(unsigned lane) const {
    return static_cast<unsigned>(__popc(mask_ & ((1U << lane) - 1U)));
  }
  __forceinline__ unsigned vote(bool yes, ::warpgauge_emulator::CallSite site) const {
    return static_cast<unsigned>(::warpgauge_emulator::warp_operation(
        ::warpgauge_emulator::WarpOperation::ballot, mask_, yes, 0, site));
  }

  unsigned mask_;
  unsigned meta_rank_;
  unsigned meta_size_;
};

// The lanes of the warp that reach this call before they wait for anything else; see
// __activemask().
WARPGAUGE_DEVICE_CALL coalesced_group coalesced_threads() {
  return coalesced_group(::warpgauge_emulator::active_mask(WARPGAUGE_CALL_SITE));
}

}  // namespace cooperative_groups
