// SPDX-License-Identifier: Apache-2.0
// threadIdx, blockIdx, blockDim, gridDim and warpSize.
//
// They never change within a kernel, so they are constants: reading one is no memory access. The
// runtime, which has other names for them, sets them before it resumes a thread.
//
// g++ treats only types without a constructor as constant, so blockDim and gridDim are not dim3.
#pragma once

#include "vector_types.h"

extern const thread_local uint3 threadIdx __asm__("warpgauge_emulator_thread_index");
extern const thread_local uint3 blockIdx __asm__("warpgauge_emulator_block_index");
extern const uint3 blockDim __asm__("warpgauge_emulator_block_dimensions");
extern const uint3 gridDim __asm__("warpgauge_emulator_grid_dimensions");

inline constexpr int warpSize = 32;
