// SPDX-License-Identifier: Apache-2.0
// Reductions over a tile or over coalesced threads, for the emulator.
#pragma once

#include <cooperative_groups.h>

#include <type_traits>
#include <utility>

namespace cooperative_groups {

#define WARPGAUGE_OPERATOR(name, expression)                     \
  template <class T>                                             \
  struct name {                                                  \
    __forceinline__ T operator()(const T& a, const T& b) const { \
      return static_cast<T>(expression);                         \
    }                                                            \
  };

WARPGAUGE_OPERATOR(plus, a + b)
WARPGAUGE_OPERATOR(less, b < a ? b : a)
WARPGAUGE_OPERATOR(greater, a < b ? b : a)
WARPGAUGE_OPERATOR(bit_and, a& b)
WARPGAUGE_OPERATOR(bit_or, a | b)
WARPGAUGE_OPERATOR(bit_xor, a ^ b)

#undef WARPGAUGE_OPERATOR

namespace detail {

using ::warpgauge_emulator::WarpOperation;

// The one instruction that nvcc takes for integers; converge: it has none.
template <class T, class Operation>
constexpr WarpOperation kInstruction = WarpOperation::converge;
template <class T>
constexpr WarpOperation kInstruction<T, plus<T>> = WarpOperation::reduce_add;
template <class T>
constexpr WarpOperation kInstruction<T, less<T>> = WarpOperation::reduce_min;
template <class T>
constexpr WarpOperation kInstruction<T, greater<T>> = WarpOperation::reduce_max;
template <class T>
constexpr WarpOperation kInstruction<T, bit_and<T>> = WarpOperation::reduce_and;
template <class T>
constexpr WarpOperation kInstruction<T, bit_or<T>> = WarpOperation::reduce_or;
template <class T>
constexpr WarpOperation kInstruction<T, bit_xor<T>> = WarpOperation::reduce_xor;

// nvcc takes it for tiles of 16 threads or more. Threads that the block does not have are no part
// of it; a shuffle would read from them.
template <unsigned Size, class T, class Operation>
constexpr bool kHasInstruction = Size >= 16 && std::is_integral_v<T> && sizeof(T) <= 4 &&
                                 kInstruction<T, Operation> != WarpOperation::converge;

template <class T, class Operation>
__forceinline__ T reduce_at_once(unsigned mask, T value, ::warpgauge_emulator::CallSite site) {
  constexpr WarpOperation kOperation = kInstruction<T, Operation>;
  // With the sign bit flipped, signed numbers compare like unsigned ones.
  constexpr bool kCompares =
      kOperation == WarpOperation::reduce_min || kOperation == WarpOperation::reduce_max;
  constexpr unsigned kSign = kCompares && std::is_signed_v<T> ? 0x80000000U : 0;
  const auto result = static_cast<unsigned>(::warpgauge_emulator::warp_operation(
      kOperation, mask, static_cast<unsigned>(value) ^ kSign, 0, site));
  return static_cast<T>(result ^ kSign);
}

// Of a tile wider than a warp: in pairs within each warp, then in pairs of warps.
template <class T, class Operation>
struct Reduction : ::warpgauge_emulator::BarrierWork {
  T value;
  T next;
  Operation* operation;

  static void work(::warpgauge_emulator::BarrierWork* const* threads, unsigned count) {
    for (unsigned distance = 16; distance > 0; distance /= 2) pair(threads, count, distance);
    for (unsigned distance = 32; distance < count; distance *= 2) pair(threads, count, distance);
  }
  static void pair(::warpgauge_emulator::BarrierWork* const* threads, unsigned count,
                   unsigned distance) {
    const auto of = [&](unsigned rank) { return static_cast<Reduction*>(threads[rank]); };
    for (unsigned i = 0; i < count; ++i) {
      const unsigned other = i ^ distance;
      of(i)->next =
          other < count ? (*of(i)->operation)(of(i)->value, of(other)->value) : of(i)->value;
    }
    for (unsigned i = 0; i < count; ++i) of(i)->value = of(i)->next;
  }
};

}  // namespace detail

// Every thread gets the result. Tiles add up in pairs, as nvcc does; coalesced threads by rank.
template <unsigned Size, class Parent, class T, class Operation>
WARPGAUGE_DEVICE_CALL std::decay_t<T> reduce(const thread_block_tile<Size, Parent>& group,
                                             T&& value, Operation&& operation) {
  std::decay_t<T> result = value;
  if constexpr (Size > 32) {
    using Part = detail::Reduction<std::decay_t<T>, std::remove_reference_t<Operation>>;
    Part part{{&Part::work}, result, result, &operation};
    group.meet(&part, WARPGAUGE_CALL_SITE);
    return part.value;
  } else if constexpr (detail::kHasInstruction<Size, std::decay_t<T>, std::decay_t<Operation>>) {
    return detail::reduce_at_once<std::decay_t<T>, std::decay_t<Operation>>(group.mask(), result,
                                                                            WARPGAUGE_CALL_SITE);
  } else {
    for (unsigned distance = Size / 2; distance > 0; distance /= 2) {
      result =
          operation(result, ::warpgauge_emulator::shuffle(
                                group.mask(), result, group.lane_of(group.thread_rank() ^ distance),
                                WARPGAUGE_CALL_SITE));
    }
    return result;
  }
}

template <class T, class Operation>
WARPGAUGE_DEVICE_CALL std::decay_t<T> reduce(const coalesced_group& group, T&& value,
                                             Operation&& operation) {
  const std::decay_t<T> own = value;
  const auto of = [&, site = WARPGAUGE_CALL_SITE](unsigned rank) {
    return ::warpgauge_emulator::shuffle(group.mask(), own, group.lane_of(rank), site);
  };
  std::decay_t<T> result = of(0);
  for (unsigned rank = 1; rank < group.size(); ++rank) result = operation(result, of(rank));
  return result;
}

}  // namespace cooperative_groups
