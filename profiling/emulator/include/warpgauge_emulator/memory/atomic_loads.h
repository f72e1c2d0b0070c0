// SPDX-License-Identifier: Apache-2.0
// Atomic loads and stores, which are single accesses as volatile ones are, of any order and scope.
#pragma once

#include <type_traits>

inline constexpr int __NV_ATOMIC_RELAXED = 0;
inline constexpr int __NV_ATOMIC_CONSUME = 1;
inline constexpr int __NV_ATOMIC_ACQUIRE = 2;
inline constexpr int __NV_ATOMIC_RELEASE = 3;
inline constexpr int __NV_ATOMIC_ACQ_REL = 4;
inline constexpr int __NV_ATOMIC_SEQ_CST = 5;

inline constexpr int __NV_THREAD_SCOPE_THREAD = 0;
inline constexpr int __NV_THREAD_SCOPE_BLOCK = 1;
inline constexpr int __NV_THREAD_SCOPE_CLUSTER = 2;
inline constexpr int __NV_THREAD_SCOPE_DEVICE = 3;
inline constexpr int __NV_THREAD_SCOPE_SYSTEM = 4;

template <class T>
__attribute__((always_inline)) inline std::remove_cv_t<T> __nv_atomic_load_n(
    T* address, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  static_assert(sizeof(T) <= 8, "a single access of the host moves at most 8 bytes");
  return *static_cast<const volatile T*>(address);
}

template <class T>
__attribute__((always_inline)) inline void __nv_atomic_store_n(T* address,
                                                               std::common_type_t<T> value, int,
                                                               int = __NV_THREAD_SCOPE_SYSTEM) {
  static_assert(sizeof(T) <= 8, "a single access of the host moves at most 8 bytes");
  *static_cast<volatile T*>(address) = value;
}
