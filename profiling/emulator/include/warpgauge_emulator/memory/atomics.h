// SPDX-License-Identifier: Apache-2.0
// Atomic operations on shared and global memory, and read-only loads.
#pragma once

#include <cstring>
#include <type_traits>

#include "../abi.h"

namespace warpgauge_emulator {

// Other blocks may run on other threads of the host, so the operation is atomic there too.
template <class T, class Update>
__attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) inline T atomic_update(
    T* address, AccessKind kind, CallSite site, Update update) {
  record_access(address, sizeof(T), kind, site);
  T before;
  __atomic_load(address, &before, __ATOMIC_RELAXED);
  for (;;) {
    T after = update(before);
    if (__atomic_compare_exchange(address, &before, &after, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
      return before;
    }
  }
}

// Whether CUDA has the operation for T.
template <class T, class... Types>
using OneOf = std::enable_if_t<(std::is_same_v<T, Types> || ...), bool>;

// Of arithmetic shared memory has that of words of 32 bits that are whole numbers (sm_90).
template <class T>
inline constexpr bool kLoopsInShared = sizeof(T) == 8 || std::is_floating_point_v<T>;

// T, without a say in what T is.
template <class T>
struct AsGiven {
  using Type = T;
};

}  // namespace warpgauge_emulator

// Of the scope of the device, of the block and of the system: all do the same here, but blocks that
// update one place by those of a block race.
#define WARPGAUGE_ATOMIC(name, expression, ...)                                \
  WARPGAUGE_SCOPED_ATOMIC(name, atomic, expression, __VA_ARGS__)               \
  WARPGAUGE_SCOPED_ATOMIC(name##_block, block_atomic, expression, __VA_ARGS__) \
  WARPGAUGE_SCOPED_ATOMIC(name##_system, atomic, expression, __VA_ARGS__)
#define WARPGAUGE_SCOPED_ATOMIC(name, kind, expression, ...)                                       \
  template <class T, ::warpgauge_emulator::OneOf<T, __VA_ARGS__> = true>                           \
  WARPGAUGE_DEVICE_CALL T name(T* address,                                                         \
                               typename ::warpgauge_emulator::AsGiven<T>::Type value) {            \
    return ::warpgauge_emulator::atomic_update(                                                    \
        address,                                                                                   \
        ::warpgauge_emulator::kLoopsInShared<T> ? ::warpgauge_emulator::AccessKind::looping_##kind \
                                                : ::warpgauge_emulator::AccessKind::kind,          \
        WARPGAUGE_CALL_SITE,                                                                       \
        [value](T before) __attribute__((no_sanitize("thread"), no_sanitize_coverage))->T {        \
          return static_cast<T>(expression);                                                       \
        });                                                                                        \
  }

WARPGAUGE_ATOMIC(atomicAdd, (before + value), int, unsigned, unsigned long long, float, double)
WARPGAUGE_ATOMIC(atomicSub, (before - value), int, unsigned)
WARPGAUGE_ATOMIC(atomicMax, (before < value ? value : before), int, unsigned, long long,
                 unsigned long long)
WARPGAUGE_ATOMIC(atomicMin, (value < before ? value : before), int, unsigned, long long,
                 unsigned long long)
WARPGAUGE_ATOMIC(atomicAnd, (before & value), int, unsigned, unsigned long long)
WARPGAUGE_ATOMIC(atomicOr, (before | value), int, unsigned, unsigned long long)
WARPGAUGE_ATOMIC(atomicXor, (before ^ value), int, unsigned, unsigned long long)
WARPGAUGE_ATOMIC(atomicInc, (before >= value ? 0 : before + 1), unsigned)
WARPGAUGE_ATOMIC(atomicDec, (before == 0 || before > value ? value : before - 1), unsigned)

#undef WARPGAUGE_ATOMIC
#undef WARPGAUGE_SCOPED_ATOMIC

#define WARPGAUGE_EXCHANGE(name, kind)                                                       \
  template <class T,                                                                         \
            ::warpgauge_emulator::OneOf<T, int, unsigned, unsigned long long, float> = true> \
  WARPGAUGE_DEVICE_CALL T name(T* address,                                                   \
                               typename ::warpgauge_emulator::AsGiven<T>::Type value) {      \
    ::warpgauge_emulator::record_overwrite(address, sizeof(T));                              \
    return ::warpgauge_emulator::atomic_update(                                              \
        address, ::warpgauge_emulator::AccessKind::kind, WARPGAUGE_CALL_SITE,                \
        [value](T) __attribute__((no_sanitize("thread"), no_sanitize_coverage))->T {         \
          return value;                                                                      \
        });                                                                                  \
  }

WARPGAUGE_EXCHANGE(atomicExch, atomic)
WARPGAUGE_EXCHANGE(atomicExch_block, block_atomic)
WARPGAUGE_EXCHANGE(atomicExch_system, atomic)

#undef WARPGAUGE_EXCHANGE

#define WARPGAUGE_COMPARE_AND_SWAP(name, kind)                                            \
  template <class T, ::warpgauge_emulator::OneOf<T, int, unsigned, unsigned long long,    \
                                                 unsigned short> = true>                  \
  WARPGAUGE_DEVICE_CALL T name(T* address,                                                \
                               typename ::warpgauge_emulator::AsGiven<T>::Type compare,   \
                               typename ::warpgauge_emulator::AsGiven<T>::Type value) {   \
    ::warpgauge_emulator::record_access(                                                  \
        address, sizeof(T), ::warpgauge_emulator::AccessKind::kind, WARPGAUGE_CALL_SITE); \
    __atomic_compare_exchange(address, &compare, &value, false, __ATOMIC_RELAXED,         \
                              __ATOMIC_RELAXED);                                          \
    return compare;                                                                       \
  }

WARPGAUGE_COMPARE_AND_SWAP(atomicCAS, atomic)
WARPGAUGE_COMPARE_AND_SWAP(atomicCAS_block, block_atomic)
WARPGAUGE_COMPARE_AND_SWAP(atomicCAS_system, atomic)

#undef WARPGAUGE_COMPARE_AND_SWAP

template <class T>
WARPGAUGE_DEVICE_CALL T __ldg(const T* address) {
  ::warpgauge_emulator::record_access(address, sizeof(T), ::warpgauge_emulator::AccessKind::load,
                                      WARPGAUGE_CALL_SITE);
  return *address;
}
