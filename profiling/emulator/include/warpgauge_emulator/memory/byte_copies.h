// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove and memset, whose accesses a kernel makes though the compiler writes none. In
// host code they are as ever. Included last: from here on calls by their names are calls of these.
#pragma once

#include <cstddef>
#include <cstring>

#include "../abi.h"

WARPGAUGE_DEVICE_CALL void* warpgauge_memcpy(void* to, const void* from, std::size_t bytes) {
  ::warpgauge_emulator::copy_bytes(to, from, bytes, WARPGAUGE_CALL_SITE);
  return to;
}

WARPGAUGE_DEVICE_CALL void* warpgauge_memmove(void* to, const void* from, std::size_t bytes) {
  ::warpgauge_emulator::copy_bytes(to, from, bytes, WARPGAUGE_CALL_SITE);
  return to;
}

WARPGAUGE_DEVICE_CALL void* warpgauge_memset(void* to, int value, std::size_t bytes) {
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
