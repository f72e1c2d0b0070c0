// SPDX-License-Identifier: Apache-2.0
// threadIdx and its like.
//
// To a kernel they never change, so they are constants: reading one is no access to memory. The
// runtime, which knows them by other names, sets them before it goes on with a thread.
//
// g++ takes only what needs no constructor for constant, so blockDim and gridDim are no dim3.
#pragma once

#include "vector_types.h"

extern const thread_local uint3 threadIdx __asm__("warpgauge_emulator_thread_index");
extern const thread_local uint3 blockIdx __asm__("warpgauge_emulator_block_index");
extern const uint3 blockDim __asm__("warpgauge_emulator_block_dimensions");
extern const uint3 gridDim __asm__("warpgauge_emulator_grid_dimensions");

inline constexpr int warpSize = 32;
