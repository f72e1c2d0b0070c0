// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove and memset, whose accesses a kernel makes though the compiler writes none. In
// host code they are as ever. Included last: from here on their names are those of the functions
// below.
//
// How wide the accesses are is up to nvcc, which goes by the alignment that the pointers' types
// promise. Of bytes and of void it knows more, by where the pointer comes from: here the address
// tells.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../abi.h"

namespace warpgauge_emulator {

// 0: it promises nothing.
template <class T, class = void>
struct PromisedAlignment {
  static constexpr std::size_t value = 0;
};
template <class T>
struct PromisedAlignment<T, std::enable_if_t<std::is_object<T>::value && (sizeof(T) > 1)>> {
  static constexpr std::size_t value = alignof(T);
};

}  // namespace warpgauge_emulator

#define WARPGAUGE_BYTE_COPY(name)                                                                  \
  template <class To, class From>                                                                  \
  WARPGAUGE_DEVICE_CALL void* name(To* to, const From* from, std::size_t bytes) {                  \
    ::warpgauge_emulator::copy_bytes(to, ::warpgauge_emulator::PromisedAlignment<To>::value, from, \
                                     ::warpgauge_emulator::PromisedAlignment<From>::value, bytes,  \
                                     WARPGAUGE_CALL_SITE);                                         \
    return to;                                                                                     \
  }                                                                                                \
  WARPGAUGE_DEVICE_CALL void* name(void* to, const void* from, std::size_t bytes) {                \
    ::warpgauge_emulator::copy_bytes(to, 0, from, 0, bytes, WARPGAUGE_CALL_SITE);                  \
    return to;                                                                                     \
  }

WARPGAUGE_BYTE_COPY(warpgauge_memcpy)
WARPGAUGE_BYTE_COPY(warpgauge_memmove)
#undef WARPGAUGE_BYTE_COPY

template <class To>
WARPGAUGE_DEVICE_CALL void* warpgauge_memset(To* to, int value, std::size_t bytes) {
  ::warpgauge_emulator::set_bytes(to, ::warpgauge_emulator::PromisedAlignment<To>::value, value,
                                  bytes, WARPGAUGE_CALL_SITE);
  return to;
}
WARPGAUGE_DEVICE_CALL void* warpgauge_memset(void* to, int value, std::size_t bytes) {
  ::warpgauge_emulator::set_bytes(to, 0, value, bytes, WARPGAUGE_CALL_SITE);
  return to;
}

namespace std {
using ::warpgauge_memcpy;
using ::warpgauge_memmove;
using ::warpgauge_memset;
}  // namespace std

#define memcpy warpgauge_memcpy
#define memmove warpgauge_memmove
#define memset warpgauge_memset
