// SPDX-License-Identifier: Apache-2.0
// Shuffles, votes, matches and reductions.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../abi.h"

namespace warpgauge_emulator {

// A lane outside the segment keeps its own value, as on a GPU.
__attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) inline unsigned
in_segment(int source, int segment_begin, int segment_end) {
  return source < segment_begin || source >= segment_end ? lane_index()
                                                         : static_cast<unsigned>(source);
}

// For values of any size, 8 bytes at a time.
template <class T>
__attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) inline T shuffle(
    unsigned mask, T value, unsigned source, CallSite site) {
  static_assert(sizeof(T) <= 32, "shuffles move at most 32 bytes");
  char bytes[sizeof(T)];
  __builtin_memcpy(bytes, static_cast<const void*>(&value), sizeof value);
  for (std::size_t i = 0; i < sizeof value; i += 8) {
    const std::size_t count = sizeof value - i < 8 ? sizeof value - i : 8;
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, bytes + i, count);
    bits = warp_operation(WarpOperation::shuffle, mask, bits, source, site);
    __builtin_memcpy(bytes + i, &bits, count);
  }
  __builtin_memcpy(static_cast<void*>(&value), bytes, sizeof value);
  return value;
}

// What CUDA's overloads take: numbers of 4 and 8 bytes. Shorter ones become int on the way.
template <class T>
using Shuffled = std::enable_if_t<std::is_arithmetic_v<T> && sizeof(T) <= 8, bool>;
template <class T>
using Promoted = decltype(+T());

}  // namespace warpgauge_emulator

template <class T, ::warpgauge_emulator::Shuffled<T> = true>
WARPGAUGE_DEVICE_CALL ::warpgauge_emulator::Promoted<T> __shfl_sync(unsigned mask, T value,
                                                                    int source, int width = 32) {
  const int begin = static_cast<int>(::warpgauge_emulator::lane_index()) & ~(width - 1);
  return ::warpgauge_emulator::shuffle(
      mask, +value, static_cast<unsigned>(begin + (source & (width - 1))), WARPGAUGE_CALL_SITE);
}

template <class T, ::warpgauge_emulator::Shuffled<T> = true>
WARPGAUGE_DEVICE_CALL ::warpgauge_emulator::Promoted<T> __shfl_up_sync(unsigned mask, T value,
                                                                       unsigned delta,
                                                                       int width = 32) {
  const int lane = static_cast<int>(::warpgauge_emulator::lane_index());
  return ::warpgauge_emulator::shuffle(
      mask, +value,
      ::warpgauge_emulator::in_segment(lane - static_cast<int>(delta), lane & ~(width - 1), 32),
      WARPGAUGE_CALL_SITE);
}

template <class T, ::warpgauge_emulator::Shuffled<T> = true>
WARPGAUGE_DEVICE_CALL ::warpgauge_emulator::Promoted<T> __shfl_down_sync(unsigned mask, T value,
                                                                         unsigned delta,
                                                                         int width = 32) {
  const int lane = static_cast<int>(::warpgauge_emulator::lane_index());
  return ::warpgauge_emulator::shuffle(
      mask, +value,
      ::warpgauge_emulator::in_segment(lane + static_cast<int>(delta), 0,
                                       (lane & ~(width - 1)) + width),
      WARPGAUGE_CALL_SITE);
}

template <class T, ::warpgauge_emulator::Shuffled<T> = true>
WARPGAUGE_DEVICE_CALL ::warpgauge_emulator::Promoted<T> __shfl_xor_sync(unsigned mask, T value,
                                                                        int lane_mask,
                                                                        int width = 32) {
  const int lane = static_cast<int>(::warpgauge_emulator::lane_index());
  return ::warpgauge_emulator::shuffle(
      mask, +value,
      ::warpgauge_emulator::in_segment(lane ^ lane_mask, 0, (lane & ~(width - 1)) + width),
      WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(::warpgauge_emulator::warp_operation(
      ::warpgauge_emulator::WarpOperation::ballot, mask, predicate != 0, 0, WARPGAUGE_CALL_SITE));
}

WARPGAUGE_DEVICE_CALL int __any_sync(unsigned mask, int predicate) {
  return ::warpgauge_emulator::warp_operation(::warpgauge_emulator::WarpOperation::ballot, mask,
                                              predicate != 0, 0, WARPGAUGE_CALL_SITE) != 0;
}

WARPGAUGE_DEVICE_CALL int __all_sync(unsigned mask, int predicate) {
  return ::warpgauge_emulator::warp_operation(::warpgauge_emulator::WarpOperation::ballot, mask,
                                              predicate == 0, 0, WARPGAUGE_CALL_SITE) == 0;
}

template <class T>
WARPGAUGE_DEVICE_CALL unsigned __match_any_sync(unsigned mask, T value) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned>(::warpgauge_emulator::warp_operation(
      ::warpgauge_emulator::WarpOperation::match, mask, bits, 0, WARPGAUGE_CALL_SITE));
}

template <class T>
WARPGAUGE_DEVICE_CALL unsigned __match_all_sync(unsigned mask, T value, int* all_match) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  const auto matching = static_cast<unsigned>(::warpgauge_emulator::warp_operation(
      ::warpgauge_emulator::WarpOperation::match_all, mask, bits, 0, WARPGAUGE_CALL_SITE));
  *all_match = matching != 0;
  return matching;
}

#define WARPGAUGE_REDUCE(name, operation)                                                      \
  WARPGAUGE_DEVICE_CALL unsigned name(unsigned mask, unsigned value) {                         \
    return static_cast<unsigned>(::warpgauge_emulator::warp_operation(                         \
        ::warpgauge_emulator::WarpOperation::operation, mask, value, 0, WARPGAUGE_CALL_SITE)); \
  }
// With the sign bit flipped, signed numbers compare like unsigned ones.
#define WARPGAUGE_REDUCE_SIGNED(name, operation, sign)                                          \
  WARPGAUGE_DEVICE_CALL int name(unsigned mask, int value) {                                    \
    return static_cast<int>(static_cast<unsigned>(::warpgauge_emulator::warp_operation(         \
                                ::warpgauge_emulator::WarpOperation::operation, mask,           \
                                static_cast<unsigned>(value) ^ sign, 0, WARPGAUGE_CALL_SITE)) ^ \
                            sign);                                                              \
  }

WARPGAUGE_REDUCE(__reduce_add_sync, reduce_add)
WARPGAUGE_REDUCE(__reduce_min_sync, reduce_min)
WARPGAUGE_REDUCE(__reduce_max_sync, reduce_max)
WARPGAUGE_REDUCE(__reduce_and_sync, reduce_and)
WARPGAUGE_REDUCE(__reduce_or_sync, reduce_or)
WARPGAUGE_REDUCE(__reduce_xor_sync, reduce_xor)
WARPGAUGE_REDUCE_SIGNED(__reduce_add_sync, reduce_add, 0U)
WARPGAUGE_REDUCE_SIGNED(__reduce_min_sync, reduce_min, 0x80000000U)
WARPGAUGE_REDUCE_SIGNED(__reduce_max_sync, reduce_max, 0x80000000U)

#undef WARPGAUGE_REDUCE
#undef WARPGAUGE_REDUCE_SIGNED

// The lanes of the warp that reach this call before they wait for anything else, such as a barrier
// or other lanes. CUDA promises less.
WARPGAUGE_DEVICE_CALL unsigned __activemask() {
  return ::warpgauge_emulator::active_mask(WARPGAUGE_CALL_SITE);
}
