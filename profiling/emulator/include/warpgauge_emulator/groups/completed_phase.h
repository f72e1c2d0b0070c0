// SPDX-License-Identifier: Apache-2.0
// Barriers of some threads whose last thread to arrive does something before a phase is over, as
// the emulator's runtime has them. Used by <cuda/barrier>.
#pragma once

#include "../abi.h"

namespace warpgauge_emulator {

// Like begin_barrier, but a phase in which all have arrived lasts until complete_phase is called.
void begin_completed_barrier(const void* barrier, unsigned expected, CallSite site);

// Whether the running thread was the last to arrive in the current phase, and so has to complete
// it. By then it knows what all others have told by arriving.
bool completes_phase(const void* barrier);

// waits: as the thread did when it arrived.
void complete_phase(const void* barrier, bool waits, CallSite site);

// The numbers of the barriers at which the threads of a block, and of a cluster, arrive apart from
// their wait. As at __syncthreads, threads that have returned leave them.
constexpr std::uintptr_t kArrivalOfBlock = 32;
constexpr std::uintptr_t kArrivalOfCluster = 33;

}  // namespace warpgauge_emulator
