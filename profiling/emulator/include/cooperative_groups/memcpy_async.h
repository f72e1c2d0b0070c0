// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies by all threads of a group, for the emulator. See async_copy.h.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "../warpgauge_emulator/memory/async_copy.h"

namespace cooperative_groups {

// bytes: a number, or cuda::aligned_size_t.
template <class Group, class To, class From, class Bytes>
WARPGAUGE_DEVICE_CALL void memcpy_async(const Group& group, To* shared, const From* global,
                                        const Bytes& bytes) {
  ::warpgauge_emulator::async_copy_share(shared, global, static_cast<std::size_t>(bytes),
                                         static_cast<unsigned>(group.thread_rank()),
                                         static_cast<unsigned>(group.size()), WARPGAUGE_CALL_SITE);
  ::warpgauge_emulator::async_commit(WARPGAUGE_CALL_SITE);
}

// As many elements as both have room for.
template <class Group, class T>
WARPGAUGE_DEVICE_CALL void memcpy_async(const Group& group, T* shared, std::size_t shared_count,
                                        const T* global, std::size_t global_count) {
  ::warpgauge_emulator::async_copy_share(
      shared, global, (shared_count < global_count ? shared_count : global_count) * sizeof(T),
      static_cast<unsigned>(group.thread_rank()), static_cast<unsigned>(group.size()),
      WARPGAUGE_CALL_SITE);
  ::warpgauge_emulator::async_commit(WARPGAUGE_CALL_SITE);
}

// The group's copies have arrived, but for those of the last Newest calls.
template <unsigned Newest, class Group>
__forceinline__ void wait_prior(const Group& group) {
  __pipeline_wait_prior(Newest);
  group.sync();
}

template <class Group>
__forceinline__ void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups
