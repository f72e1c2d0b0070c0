// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove and memset, whose accesses a kernel makes though the compiler writes none. In
// host code they are as ever, and in a constant they are the compiler's. Included last: from here
// on calls by their names are calls of these, and those of __builtin_memcpy and so on in a
// program's own files become them by compile/byte_copies.hpp.
#pragma once

#include <cstddef>
#include <cstring>

#include "../abi.h"

WARPGAUGE_DEVICE_CALL constexpr void* warpgauge_memcpy(void* to, const void* from,
                                                       std::size_t bytes) {
  if (__builtin_is_constant_evaluated()) return __builtin_memcpy(to, from, bytes);
  ::warpgauge_emulator::copy_bytes(to, from, bytes, WARPGAUGE_CALL_SITE);
  return to;
}

WARPGAUGE_DEVICE_CALL constexpr void* warpgauge_memmove(void* to, const void* from,
                                                        std::size_t bytes) {
  if (__builtin_is_constant_evaluated()) return __builtin_memmove(to, from, bytes);
  ::warpgauge_emulator::copy_bytes(to, from, bytes, WARPGAUGE_CALL_SITE);
  return to;
}

WARPGAUGE_DEVICE_CALL constexpr void* warpgauge_memset(void* to, int value, std::size_t bytes) {
  if (__builtin_is_constant_evaluated()) return __builtin_memset(to, value, bytes);
  ::warpgauge_emulator::set_bytes(to, value, bytes, WARPGAUGE_CALL_SITE);
  return to;
}

namespace std {
using ::warpgauge_memcpy;
using ::warpgauge_memmove;
using ::warpgauge_memset;
}  // namespace std

// Of calls alone: a function's address is the library's.
#define memcpy(...) warpgauge_memcpy(__VA_ARGS__)
#define memmove(...) warpgauge_memmove(__VA_ARGS__)
#define memset(...) warpgauge_memset(__VA_ARGS__)
