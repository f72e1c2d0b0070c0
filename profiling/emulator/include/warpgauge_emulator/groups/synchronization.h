// SPDX-License-Identifier: Apache-2.0
// Barriers, fences, the clock, and functions by which a kernel ends itself.
#pragma once

#include "../abi.h"

void __syncthreads();  // of the runtime

WARPGAUGE_DEVICE_CALL int __syncthreads_count(int predicate) {
  return ::warpgauge_emulator::block_barrier(::warpgauge_emulator::BarrierVote::count,
                                             predicate != 0, WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL int __syncthreads_and(int predicate) {
  return ::warpgauge_emulator::block_barrier(::warpgauge_emulator::BarrierVote::conjunction,
                                             predicate != 0, WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL int __syncthreads_or(int predicate) {
  return ::warpgauge_emulator::block_barrier(::warpgauge_emulator::BarrierVote::disjunction,
                                             predicate != 0, WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL void __syncwarp(unsigned mask = 0xffffffffU) {
  ::warpgauge_emulator::warp_operation(::warpgauge_emulator::WarpOperation::synchronize, mask, 0, 0,
                                       WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL void __threadfence() {
  ::warpgauge_emulator::memory_fence(WARPGAUGE_CALL_SITE);
}
WARPGAUGE_DEVICE_CALL void __threadfence_system() {
  ::warpgauge_emulator::memory_fence(WARPGAUGE_CALL_SITE);
}
WARPGAUGE_DEVICE_CALL void __threadfence_block() {
  ::warpgauge_emulator::block_memory_fence(WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL void __trap() {
  ::warpgauge_emulator::stop_kernel(::warpgauge_emulator::StopReason::trap, "__trap() called",
                                    WARPGAUGE_CALL_SITE);
}

// Time passes by what lanes do, so there is nothing to wait for; but memory may have changed.
__attribute__((always_inline)) inline void __nanosleep(unsigned) { asm volatile("" ::: "memory"); }

WARPGAUGE_DEVICE_CALL long long clock64() { return ::warpgauge_emulator::clock(); }
