// SPDX-License-Identifier: Apache-2.0
// Prefix sums over a tile or over coalesced threads, for the emulator.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <type_traits>

namespace cooperative_groups {

namespace detail {

// Of a tile wider than a warp: at doubling distances within each warp, then with the warps before.
template <class T, class Operation>
struct Scan : ::warpgauge_emulator::BarrierWork {
  T value;
  T next;
  Operation* operation;
  bool exclusive;

  static void work(::warpgauge_emulator::BarrierWork* const* threads, unsigned count) {
    const auto of = [&](unsigned rank) { return static_cast<Scan*>(threads[rank]); };
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      for (unsigned i = 0; i < count; ++i) {
        const bool added = i % 32 >= distance;
        of(i)->next =
            added ? (*of(i)->operation)(of(i - distance)->value, of(i)->value) : of(i)->value;
      }
      for (unsigned i = 0; i < count; ++i) of(i)->value = of(i)->next;
    }
    for (unsigned i = 32; i < count; ++i) {
      of(i)->value = (*of(i)->operation)(of(i / 32 * 32 - 1)->value, of(i)->value);
    }
    if (!of(0)->exclusive) return;
    for (unsigned i = count; i-- > 1;) of(i)->value = of(i - 1)->value;
    of(0)->value = T{};
  }
};

template <class Group, class T, class Operation>
__forceinline__ T scan_wide(const Group& group, const T& value, Operation& operation,
                            bool exclusive, ::warpgauge_emulator::CallSite site) {
  Scan<T, Operation> part{{&Scan<T, Operation>::work}, value, value, &operation, exclusive};
  group.meet(&part, site);
  return part.value;
}

// Of at most a warp: pairs at doubling distances.
template <class Group, class T, class Operation>
__forceinline__ T scan_tile(const Group& group, T result, Operation& operation,
                            ::warpgauge_emulator::CallSite site) {
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T other = ::warpgauge_emulator::shuffle(
        group.mask(), result, group.lane_of(rank >= distance ? rank - distance : rank), site);
    if (rank >= distance) result = operation(other, result);
  }
  return result;
}

}  // namespace detail

// An exclusive scan gives the first thread a value of zero.
template <class Group, class T, class Operation>
WARPGAUGE_DEVICE_CALL std::decay_t<T> inclusive_scan(const Group& group, T&& value,
                                                     Operation&& operation) {
  std::decay_t<T> result = value;
  if constexpr (std::is_base_of_v<WideGroup, Group>) {
    return detail::scan_wide(group, result, operation, false, WARPGAUGE_CALL_SITE);
  } else {
    return detail::scan_tile(group, result, operation, WARPGAUGE_CALL_SITE);
  }
}
template <class Group, class T, class Operation>
WARPGAUGE_DEVICE_CALL std::decay_t<T> exclusive_scan(const Group& group, T&& value,
                                                     Operation&& operation) {
  std::decay_t<T> result = value;
  if constexpr (std::is_base_of_v<WideGroup, Group>) {
    return detail::scan_wide(group, result, operation, true, WARPGAUGE_CALL_SITE);
  } else {
    result = detail::scan_tile(group, result, operation, WARPGAUGE_CALL_SITE);
    const unsigned rank = group.thread_rank();
    const std::decay_t<T> before = ::warpgauge_emulator::shuffle(
        group.mask(), result, group.lane_of(rank > 0 ? rank - 1 : 0), WARPGAUGE_CALL_SITE);
    return rank > 0 ? before : std::decay_t<T>{};
  }
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
