// SPDX-License-Identifier: Apache-2.0
// Shuffles and votes without a mask, as before CUDA 9: of the lanes that come to the call together,
// as __activemask() gives them.
#pragma once

#include "warp_exchange.h"

namespace warpgauge_emulator {

__attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) inline unsigned
votes_of_converged(bool yes, unsigned* mask, CallSite site) {
  *mask = active_mask(site);
  return static_cast<unsigned>(warp_operation(WarpOperation::ballot, *mask, yes, 0, site));
}

}  // namespace warpgauge_emulator

// The source in terms of the lane, `which`, and the lanes from `begin` to `begin` + `width`.
#define WARPGAUGE_LEGACY_SHUFFLE(name, argument, expression)                                  \
  template <class T>                                                                          \
  WARPGAUGE_DEVICE_CALL ::warpgauge_emulator::Promoted<T> name(T value, argument which,       \
                                                               int width = 32) {              \
    const int lane = static_cast<int>(::warpgauge_emulator::lane_index());                    \
    const int begin = lane & ~(width - 1);                                                    \
    const int source = expression;                                                            \
    return ::warpgauge_emulator::shuffle(                                                     \
        ::warpgauge_emulator::active_mask(WARPGAUGE_CALL_SITE), +value,                       \
        ::warpgauge_emulator::in_segment(source, begin, begin + width), WARPGAUGE_CALL_SITE); \
  }

WARPGAUGE_LEGACY_SHUFFLE(__shfl, int, begin + (which & (width - 1)))
WARPGAUGE_LEGACY_SHUFFLE(__shfl_up, unsigned, lane - static_cast<int>(which))
WARPGAUGE_LEGACY_SHUFFLE(__shfl_down, unsigned, lane + static_cast<int>(which))
WARPGAUGE_LEGACY_SHUFFLE(__shfl_xor, int, lane ^ which)

#undef WARPGAUGE_LEGACY_SHUFFLE

WARPGAUGE_DEVICE_CALL unsigned __ballot(int predicate) {
  unsigned mask = 0;
  return ::warpgauge_emulator::votes_of_converged(predicate != 0, &mask, WARPGAUGE_CALL_SITE);
}
WARPGAUGE_DEVICE_CALL int __any(int predicate) {
  unsigned mask = 0;
  return ::warpgauge_emulator::votes_of_converged(predicate != 0, &mask, WARPGAUGE_CALL_SITE) != 0;
}
WARPGAUGE_DEVICE_CALL int __all(int predicate) {
  unsigned mask = 0;
  return ::warpgauge_emulator::votes_of_converged(predicate != 0, &mask, WARPGAUGE_CALL_SITE) ==
         mask;
}
