// SPDX-License-Identifier: Apache-2.0
// Tiles wider than a warp: 64 to 1024 neighbouring threads of a block, which meet at a barrier of
// their own. A GPU gives values to other warps through shared memory; here the barrier does, and no
// figure counts that. See cooperative_groups.h.
#pragma once

#include <cuda_runtime.h>

namespace cooperative_groups {

// What the threads of a tile do together once all of them have come, by their rank.
namespace detail {

template <class T>
struct Broadcast : ::warpgauge_emulator::BarrierWork {
  T value;
  unsigned source;
  T result;

  static void work(::warpgauge_emulator::BarrierWork* const* threads, unsigned count) {
    const auto of = [&](unsigned rank) { return static_cast<Broadcast*>(threads[rank]); };
    for (unsigned rank = 0; rank < count; ++rank) {
      of(rank)->result = of(of(rank)->source % count)->value;
    }
  }
};

struct TileVote : ::warpgauge_emulator::BarrierWork {
  bool yes = false;
  bool any = false;

  static void work(::warpgauge_emulator::BarrierWork* const* threads, unsigned count) {
    bool found = false;
    const auto of = [&](unsigned rank) { return static_cast<TileVote*>(threads[rank]); };
    for (unsigned rank = 0; rank < count; ++rank) found |= of(rank)->yes;
    for (unsigned rank = 0; rank < count; ++rank) of(rank)->any = found;
  }
};

}  // namespace detail

// How to tell them from other groups.
struct WideGroup {};

template <unsigned Size>
class WideTile : public WideGroup {
 public:
  // Used by tiled_partition.
  WideTile(unsigned meta_group_rank, unsigned meta_group_size)
      : meta_group_rank_(meta_group_rank), meta_group_size_(meta_group_size) {}

  WARPGAUGE_DEVICE_CALL void sync() const { meet(nullptr, WARPGAUGE_CALL_SITE); }

  static __forceinline__ constexpr unsigned num_threads() { return Size; }
  static __forceinline__ constexpr unsigned size() { return Size; }
  static __forceinline__ unsigned thread_rank() { return rank_in_block() % Size; }
  // Rank among the parent's tiles.
  __forceinline__ unsigned meta_group_rank() const { return meta_group_rank_; }
  __forceinline__ unsigned meta_group_size() const { return meta_group_size_; }

  // Of shuffles, CUDA has this one for tiles wider than a warp.
  template <class T>
  WARPGAUGE_DEVICE_CALL T shfl(T value, unsigned source) const {
    detail::Broadcast<T> part{{&detail::Broadcast<T>::work}, value, source, value};
    meet(&part, WARPGAUGE_CALL_SITE);
    return part.result;
  }
  WARPGAUGE_DEVICE_CALL int any(int predicate) const {
    return vote(predicate != 0, WARPGAUGE_CALL_SITE);
  }
  WARPGAUGE_DEVICE_CALL int all(int predicate) const {
    return !vote(predicate == 0, WARPGAUGE_CALL_SITE);
  }

  // Waits for all threads of the tile, and does the work. For the emulator's own headers.
  static __forceinline__ void meet(::warpgauge_emulator::BarrierWork* work,
                                   ::warpgauge_emulator::CallSite site) {
    const unsigned tile = rank_in_block() / Size;
    const unsigned left = blockDim.x * blockDim.y * blockDim.z - tile * Size;
    ::warpgauge_emulator::Arrival arrival;
    arrival.barrier = reinterpret_cast<const void*>(std::uintptr_t{Size} << 16 | tile);
    arrival.expected = left < Size ? left : Size;
    arrival.waits = true;
    arrival.work = work;
    ::warpgauge_emulator::arrive(arrival, site);
  }

 private:
  static __forceinline__ unsigned rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static __forceinline__ int vote(bool yes, ::warpgauge_emulator::CallSite site) {
    detail::TileVote part;
    part.run = &detail::TileVote::work;
    part.yes = yes;
    meet(&part, site);
    return part.any;
  }

  unsigned meta_group_rank_;
  unsigned meta_group_size_;
};

}  // namespace cooperative_groups
