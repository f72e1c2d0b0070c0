// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove and memset as kernels call them. The compiler instruments the calls that it makes
// one access of, and the C library's functions are not instrumented: here the bytes are noted. The
// emulator's own headers use the compiler's functions (__builtin_memcpy).
#pragma once

#include <string.h>

#include <cstddef>

#include "../abi.h"

#ifdef __WARPGAUGE_EMULATOR__  // not for the runtime itself

namespace warpgauge_emulator {

constexpr bool is_one_access(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

WARPGAUGE_DEVICE_CALL void* copy_bytes(void* to, const void* from, std::size_t bytes) {
  const CallSite site = WARPGAUGE_CALL_SITE;
  record_range(from, bytes, AccessKind::load, site);
  record_range(to, bytes, AccessKind::store, site);
  return __builtin_memmove(to, from, bytes);
}

WARPGAUGE_DEVICE_CALL void* set_bytes(void* to, int value, std::size_t bytes) {
  record_range(to, bytes, AccessKind::store, WARPGAUGE_CALL_SITE);
  return __builtin_memset(to, value, bytes);
}

}  // namespace warpgauge_emulator

// Inlined before the library's, as <string.h> itself does where _FORTIFY_SOURCE is set.
#define WARPGAUGE_INSTEAD_OF_LIBRARY \
  extern inline __attribute__((always_inline, gnu_inline, artificial))

extern "C" {

WARPGAUGE_INSTEAD_OF_LIBRARY void* memcpy(void* __restrict to, const void* __restrict from,
                                          std::size_t bytes) noexcept {
  if (__builtin_constant_p(bytes) && ::warpgauge_emulator::is_one_access(bytes)) {
    return __builtin_memcpy(to, from, bytes);
  }
  return ::warpgauge_emulator::copy_bytes(to, from, bytes);
}

WARPGAUGE_INSTEAD_OF_LIBRARY void* memmove(void* to, const void* from, std::size_t bytes) noexcept {
  if (__builtin_constant_p(bytes) && ::warpgauge_emulator::is_one_access(bytes)) {
    return __builtin_memmove(to, from, bytes);
  }
  return ::warpgauge_emulator::copy_bytes(to, from, bytes);
}

WARPGAUGE_INSTEAD_OF_LIBRARY void* memset(void* to, int value, std::size_t bytes) noexcept {
  if (__builtin_constant_p(bytes) && ::warpgauge_emulator::is_one_access(bytes)) {
    return __builtin_memset(to, value, bytes);
  }
  return ::warpgauge_emulator::set_bytes(to, value, bytes);
}

}  // extern "C"

#undef WARPGAUGE_INSTEAD_OF_LIBRARY

#endif
