// SPDX-License-Identifier: Apache-2.0
// What the build makes of inline PTX (compile/ptx/inline_ptx.cpp): a function an instruction.
#pragma once

#include "abi.h"
#include "builtin_variables.h"
#include "groups/cluster_place.h"
#include "groups/synchronization.h"
#include "low_precision/narrow_float.h"
#include "math/integer_intrinsics.h"
#include "memory/async_copy.h"
#include "memory/atomics.h"
#include "memory/cache_hints.h"
#include "vector_types.h"
#include "warp/legacy_warp.h"
#include "warp/matrix.h"

// Addresses of shared memory fit into 32 bits: they are offsets from the thread's own variables,
// which are negative for these. What does not fit may be in another block's memory.
WARPGAUGE_OF_VALUES std::size_t __cvta_generic_to_shared(const void* address) {
  const std::ptrdiff_t offset =
      static_cast<const char*>(address) - static_cast<const char*>(__builtin_thread_pointer());
  if (offset < 0 && offset == static_cast<int>(offset)) return static_cast<unsigned>(offset);
  return ::warpgauge_emulator::shared_address(address);
}
WARPGAUGE_OF_VALUES void* __cvta_shared_to_generic(std::size_t address) {
  const int offset = static_cast<int>(static_cast<unsigned>(address));
  if (offset >= 0) return ::warpgauge_emulator::shared_pointer(static_cast<unsigned>(offset));
  return static_cast<char*>(__builtin_thread_pointer()) + offset;
}

WARPGAUGE_OF_VALUES unsigned __isShared(const void* address) {
  return ::warpgauge_emulator::in_shared_memory(address) ? 1 : 0;
}

namespace warpgauge_emulator {
namespace ptx {

template <class Address>
WARPGAUGE_OF_VALUES void* generic(Address address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}
template <class T>
WARPGAUGE_OF_VALUES void* generic(T* address) {
  return const_cast<void*>(static_cast<const volatile void*>(address));
}
template <class Address>
WARPGAUGE_OF_VALUES void* shared(Address address) {
  return __cvta_shared_to_generic(static_cast<std::size_t>(address));
}

// Bits, whatever they stand for; of another size, the number.
template <class To, class From>
WARPGAUGE_OF_VALUES void pack(To& to, const From& from) {
  if constexpr (sizeof(To) == sizeof(From)) {
    __builtin_memcpy(static_cast<void*>(&to), &from, sizeof to);
  } else {
    to = static_cast<To>(from);
  }
}
// Of parts, the lowest first.
template <class To, class First, class... Parts>
WARPGAUGE_OF_VALUES std::enable_if_t<(sizeof...(Parts) > 0)> pack(To& to, const First& first,
                                                                  const Parts&... parts) {
  static_assert(sizeof(To) == (sizeof(First) + ... + sizeof(Parts)), "the parts are the whole");
  auto* bytes = reinterpret_cast<char*>(&to);
  __builtin_memcpy(bytes, &first, sizeof first);
  std::size_t at = sizeof first;
  ((__builtin_memcpy(bytes + at, &parts, sizeof parts), at += sizeof parts), ...);
}
template <class From, class... Parts>
WARPGAUGE_OF_VALUES void unpack(const From& from, Parts&... parts) {
  static_assert(sizeof(From) == (sizeof(Parts) + ...), "the parts are the whole");
  const auto* bytes = reinterpret_cast<const char*>(&from);
  std::size_t at = 0;
  ((__builtin_memcpy(&parts, bytes + at, sizeof parts), at += sizeof parts), ...);
}
// A register as a word of a matrix, and back.
template <class T>
WARPGAUGE_OF_VALUES unsigned long long word(const T& value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
WARPGAUGE_OF_VALUES void set(T& value, unsigned long long word) {
  __builtin_memcpy(static_cast<void*>(&value), &word, sizeof value);
}
WARPGAUGE_OF_VALUES unsigned long long wide(unsigned x) { return x; }
WARPGAUGE_OF_VALUES long long wide(int x) { return x; }
// The width of a shuffle, of its operand of clamp and mask.
WARPGAUGE_OF_VALUES int segment(unsigned clamp_and_mask) {
  return 32 - static_cast<int>(clamp_and_mask >> 8 & 31U);
}

// Shifts by the width or more leave nothing, or the sign.
template <class T>
WARPGAUGE_OF_VALUES T shl(T x, unsigned distance) {
  return distance >= sizeof(T) * 8 ? T{0} : static_cast<T>(x << distance);
}
template <class T>
WARPGAUGE_OF_VALUES T shr(T x, unsigned distance) {
  if (distance >= sizeof(T) * 8) return x < T{0} ? static_cast<T>(~T{0}) : T{0};
  return static_cast<T>(x >> distance);
}
// By the truth table in `table`.
WARPGAUGE_OF_VALUES unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1U) == 0) continue;
    result |= ((row & 4U) != 0 ? a : ~a) & ((row & 2U) != 0 ? b : ~b) & ((row & 1U) != 0 ? c : ~c);
  }
  return result;
}
// `length` bits from `position`; of signed numbers, with the sign of the uppermost that exists.
WARPGAUGE_OF_VALUES unsigned bfe(unsigned x, unsigned position, unsigned length) {
  position &= 0xffU;
  length &= 0xffU;
  return shr(x, position) & ~shl(~0U, length);
}
WARPGAUGE_OF_VALUES int bfe(int x, unsigned position, unsigned length) {
  position &= 0xffU;
  length &= 0xffU;
  if (length == 0) return 0;
  const int shifted = shr(x, position);
  if (length >= 32 || position + length >= 32) return shifted;
  return static_cast<int>(static_cast<unsigned>(shifted) << (32 - length)) >> (32 - length);
}
WARPGAUGE_OF_VALUES unsigned bfi(unsigned bits, unsigned into, unsigned position, unsigned length) {
  const unsigned mask = shl(~shl(~0U, length & 0xffU), position & 0xffU);
  return (shl(bits, position & 0xffU) & mask) | (into & ~mask);
}

inline unsigned lanemask_lt() { return (1U << lane_index()) - 1U; }
inline unsigned lanemask_eq() { return 1U << lane_index(); }
inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
inline unsigned lanemask_gt() { return ~lanemask_le(); }
inline unsigned lanemask_ge() { return ~lanemask_lt(); }
inline unsigned warpid() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
}

// A barrier by its number, of so many of the block's threads.
__attribute__((no_sanitize("thread"), no_sanitize_coverage)) inline void meet_at(unsigned barrier,
                                                                                 unsigned threads,
                                                                                 bool waits,
                                                                                 CallSite site) {
  constexpr unsigned kBarriers = 16;
  if (barrier >= kBarriers || threads == 0 || threads % 32 != 0) {
    stop_kernel(StopReason::invalid_call,
                "barrier by a number that is not below 16, or of threads that are not whole warps",
                site);
  }
  const unsigned all = blockDim.x * blockDim.y * blockDim.z;
  if (barrier == 0 && waits && threads >= all) {
    block_barrier(BarrierVote::none, false, site);
    return;
  }
  Arrival arrival;
  arrival.barrier = reinterpret_cast<const void*>(std::uintptr_t{barrier} + 1);
  arrival.expected = threads < all ? threads : all;
  arrival.waits = waits;
  arrive(arrival, site);
}
WARPGAUGE_DEVICE_CALL void barrier_sync(unsigned barrier, unsigned threads) {
  meet_at(barrier, threads, true, WARPGAUGE_CALL_SITE);
}
WARPGAUGE_DEVICE_CALL void barrier_arrive(unsigned barrier, unsigned threads) {
  meet_at(barrier, threads, false, WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL void cluster_arrive() { arrive_in_cluster(WARPGAUGE_CALL_SITE); }
WARPGAUGE_DEVICE_CALL void cluster_wait() { await_cluster(WARPGAUGE_CALL_SITE); }

// Where an address of the block's shared memory is in that of another of its cluster.
WARPGAUGE_DEVICE_CALL std::uintptr_t map_address(const void* address, unsigned rank) {
  return reinterpret_cast<std::uintptr_t>(map_shared(address, rank, WARPGAUGE_CALL_SITE));
}
// With the rank in it, also the block's own: another block may get the number.
WARPGAUGE_DEVICE_CALL unsigned map_shared_address(unsigned address, unsigned rank) {
  return shared_address(map_shared(__cvta_shared_to_generic(address), rank, WARPGAUGE_CALL_SITE));
}
WARPGAUGE_DEVICE_CALL unsigned rank_of(const void* address) {
  return rank_of_shared(address, WARPGAUGE_CALL_SITE);
}

// Ends the kernel; `what` names the instruction.
WARPGAUGE_DEVICE_CALL void unsupported(const char* what) {
  require_host(what, WARPGAUGE_CALL_SITE);
}

}  // namespace ptx
}  // namespace warpgauge_emulator
