// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints. The emulator has no caches, so they are plain loads and
// stores.
#pragma once

#include <type_traits>

#include "../abi.h"

#define WARPGAUGE_LOAD(name)                                                              \
  template <class T>                                                                      \
  WARPGAUGE_DEVICE_CALL T name(const T* address) {                                        \
    static_assert(sizeof(T) <= 16, "one access moves at most 16 bytes");                  \
    ::warpgauge_emulator::record_access(                                                  \
        address, sizeof(T), ::warpgauge_emulator::AccessKind::load, WARPGAUGE_CALL_SITE); \
    return *address;                                                                      \
  }
#define WARPGAUGE_STORE(name)                                                              \
  template <class T>                                                                       \
  WARPGAUGE_DEVICE_CALL void name(T* address, std::common_type_t<T> value) {               \
    static_assert(sizeof(T) <= 16, "one access moves at most 16 bytes");                   \
    ::warpgauge_emulator::record_access(                                                   \
        address, sizeof(T), ::warpgauge_emulator::AccessKind::store, WARPGAUGE_CALL_SITE); \
    *address = value;                                                                      \
  }

WARPGAUGE_LOAD(__ldca)
WARPGAUGE_LOAD(__ldcg)
WARPGAUGE_LOAD(__ldcs)
WARPGAUGE_LOAD(__ldcv)
WARPGAUGE_LOAD(__ldlu)
WARPGAUGE_STORE(__stcg)
WARPGAUGE_STORE(__stcs)
WARPGAUGE_STORE(__stwb)
WARPGAUGE_STORE(__stwt)

#undef WARPGAUGE_LOAD
#undef WARPGAUGE_STORE
