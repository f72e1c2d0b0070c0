// SPDX-License-Identifier: Apache-2.0
// Shuffles and votes.
#pragma once

#include <cstring>

#include "abi.h"

namespace warpgauge_emulator {

// A lane outside the segment keeps its own value, as on a GPU.
__attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) inline unsigned
in_segment(int source, int segment_begin, int segment_end) {
  return source < segment_begin || source >= segment_end ? lane_index()
                                                         : static_cast<unsigned>(source);
}

template <class T>
__attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) inline T shuffle(
    unsigned mask, T value, unsigned source, CallSite site) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = warp_operation(WarpOperation::shuffle, mask, bits, source, site);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace warpgauge_emulator

template <class T>
WARPGAUGE_DEVICE_CALL T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const int begin = static_cast<int>(::warpgauge_emulator::lane_index()) & ~(width - 1);
  return ::warpgauge_emulator::shuffle(
      mask, value, static_cast<unsigned>(begin + (source & (width - 1))), WARPGAUGE_CALL_SITE);
}

template <class T>
WARPGAUGE_DEVICE_CALL T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int lane = static_cast<int>(::warpgauge_emulator::lane_index());
  return ::warpgauge_emulator::shuffle(
      mask, value,
      ::warpgauge_emulator::in_segment(lane - static_cast<int>(delta), lane & ~(width - 1), 32),
      WARPGAUGE_CALL_SITE);
}

template <class T>
WARPGAUGE_DEVICE_CALL T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const int lane = static_cast<int>(::warpgauge_emulator::lane_index());
  return ::warpgauge_emulator::shuffle(
      mask, value,
      ::warpgauge_emulator::in_segment(lane + static_cast<int>(delta), 0,
                                       (lane & ~(width - 1)) + width),
      WARPGAUGE_CALL_SITE);
}

template <class T>
WARPGAUGE_DEVICE_CALL T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const int lane = static_cast<int>(::warpgauge_emulator::lane_index());
  return ::warpgauge_emulator::shuffle(
      mask, value,
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
  std::memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned>(::warpgauge_emulator::warp_operation(
      ::warpgauge_emulator::WarpOperation::match, mask, bits, 0, WARPGAUGE_CALL_SITE));
}

// CUDA promises no convergence: a lane that finds itself alone is a right answer, and the only
// one that a lane can give without waiting for others.
inline unsigned __activemask() { return 1U << ::warpgauge_emulator::lane_index(); }
