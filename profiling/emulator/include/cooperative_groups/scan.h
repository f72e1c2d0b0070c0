// SPDX-License-Identifier: Apache-2.0
// Prefix sums over a tile of a warp or over coalesced threads, for the emulator.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <type_traits>

namespace cooperative_groups {

// Pairs at doubling distances. An exclusive scan gives the first thread a value of zero.
template <class Group, class T, class Operation>
WARPGAUGE_DEVICE_CALL std::decay_t<T> inclusive_scan(const Group& group, T&& value,
                                                     Operation&& operation) {
  std::decay_t<T> result = value;
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const std::decay_t<T> other = ::warpgauge_emulator::shuffle(
        group.mask(), result, group.lane_of(rank >= distance ? rank - distance : rank),
        WARPGAUGE_CALL_SITE);
    if (rank >= distance) result = operation(other, result);
  }
  return result;
}
template <class Group, class T, class Operation>
WARPGAUGE_DEVICE_CALL std::decay_t<T> exclusive_scan(const Group& group, T&& value,
                                                     Operation&& operation) {
  std::decay_t<T> result = value;
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const std::decay_t<T> other = ::warpgauge_emulator::shuffle(
        group.mask(), result, group.lane_of(rank >= distance ? rank - distance : rank),
        WARPGAUGE_CALL_SITE);
    if (rank >= distance) result = operation(other, result);
  }
  const std::decay_t<T> before = ::warpgauge_emulator::shuffle(
      group.mask(), result, group.lane_of(rank > 0 ? rank - 1 : 0), WARPGAUGE_CALL_SITE);
  return rank > 0 ? before : std::decay_t<T>{};
}

template <class Group, class T>
WARPGAUGE_DEVICE_CALL std::decay_t<T> inclusive_scan(const Group& group, T&& value) {
  return inclusive_scan(group, static_cast<T&&>(value), plus<std::decay_t<T>>());
}
template <class Group, class T>
WARPGAUGE_DEVICE_CALL std::decay_t<T> exclusive_scan(const Group& group, T&& value) {
  return exclusive_scan(group, static_cast<T&&>(value), plus<std::decay_t<T>>());
}

}  // namespace cooperative_groups
