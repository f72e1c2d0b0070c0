// SPDX-License-Identifier: Apache-2.0
// All thread-local state of the runtime, in one object.
//
// The callbacks of the instrumentation get an address and nothing else, so what they need must be
// found by the thread they run on. It lies beyond the kernels' shared variables, which are
// thread-local too, and behind memory that a stray access may overwrite without harm.
#pragma once

#include <cstddef>

#include "profiling/emulator/include/warpgauge_emulator/vector_types.h"
#include "profiling/emulator/models/device_limits.hpp"

namespace warpgauge::emulator {

class BlockRunner;
struct Lane;
class SharedValues;

struct ThreadMemory {
  alignas(1024) char dynamic_shared[kMaxSharedBytes];
  char guard_after[std::size_t{64} << 10];
  Lane* lane;            // that runs; null while no kernel code does
  SharedValues* values;  // of the block that runs
  BlockRunner* runner;   // of the launch that this thread works for
};

}  // namespace warpgauge::emulator

// Its name is known to the link, which maps `extern __shared__` arrays onto its beginning.
extern "C" {
extern constinit thread_local warpgauge::emulator::ThreadMemory warpgauge_emulator_thread_memory;
}

// What kernels read as threadIdx, blockIdx, blockDim and gridDim. The latter two are the same for
// all threads of the host, since there is one launch at a time.
extern "C" {
extern constinit thread_local uint3 warpgauge_emulator_thread_index;
extern constinit thread_local uint3 warpgauge_emulator_block_index;
extern uint3 warpgauge_emulator_block_dimensions;
extern uint3 warpgauge_emulator_grid_dimensions;
}
