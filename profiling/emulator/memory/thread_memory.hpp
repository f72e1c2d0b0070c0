// SPDX-License-Identifier: Apache-2.0
// All thread-local state of the runtime, in one object.
//
// The instrumentation's callbacks get only an address, so they find everything else by their
// thread. The object lies beyond the kernels' shared variables, which are thread-local, too, and
// behind memory that a stray access may overwrite without harm.
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

// threadIdx, blockIdx, blockDim and gridDim as kernels read them. All host threads share the last
// two, because there is one launch at a time.
extern "C" {
extern constinit thread_local uint3 warpgauge_emulator_thread_index;
extern constinit thread_local uint3 warpgauge_emulator_block_index;
extern uint3 warpgauge_emulator_block_dimensions;
extern uint3 warpgauge_emulator_grid_dimensions;
}
