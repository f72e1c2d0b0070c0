// SPDX-License-Identifier: Apache-2.0
// Shuffles and atomic additions of half and bfloat16, and of pairs of them.
#pragma once

#include "../memory/atomics.h"
#include "../warp/warp_exchange.h"
#include "narrow_types.h"

#define WARPGAUGE_NARROW_SHUFFLE(type, name, argument)                                            \
  WARPGAUGE_INLINED type name(unsigned mask, const type& value, argument which, int width = 32) { \
    return type::warpgauge_of(                                                                    \
        static_cast<unsigned>(name(mask, unsigned{value.warpgauge_bits()}, which, width)));       \
  }
#define WARPGAUGE_NARROW_SHUFFLES(type)                      \
  WARPGAUGE_NARROW_SHUFFLE(type, __shfl_sync, int)           \
  WARPGAUGE_NARROW_SHUFFLE(type, __shfl_up_sync, unsigned)   \
  WARPGAUGE_NARROW_SHUFFLE(type, __shfl_down_sync, unsigned) \
  WARPGAUGE_NARROW_SHUFFLE(type, __shfl_xor_sync, int)

// One atomic access of the type's size; that of a pair is a loop in shared memory (sm_90).
#define WARPGAUGE_NARROW_ATOMIC_ADD(type, Bits)                                                   \
  WARPGAUGE_DEVICE_CALL unsigned warpgauge_##type##_atomic_add(Bits* address, unsigned value) {   \
    return ::warpgauge_emulator::atomic_update(                                                   \
        address,                                                                                  \
        sizeof(Bits) == 4 ? ::warpgauge_emulator::AccessKind::looping_atomic                      \
                          : ::warpgauge_emulator::AccessKind::atomic,                             \
        WARPGAUGE_CALL_SITE,                                                                      \
        [value](Bits before) __attribute__((no_sanitize("thread"), no_sanitize_coverage))->Bits { \
          return (type::warpgauge_of(before) + type::warpgauge_of(value)).warpgauge_bits();       \
        });                                                                                       \
  }                                                                                               \
  WARPGAUGE_INLINED type atomicAdd(type* address, const type& value) {                            \
    return type::warpgauge_of(                                                                    \
        warpgauge_##type##_atomic_add(reinterpret_cast<Bits*>(address), value.warpgauge_bits())); \
  }
