// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/thread_memory.hpp"

constinit thread_local warpgauge::emulator::ThreadMemory warpgauge_emulator_thread_memory{};
constinit thread_local uint3 warpgauge_emulator_thread_index{};
constinit thread_local uint3 warpgauge_emulator_block_index{};
// Among the constants, since the compiler may read them through a pointer and then notes it.
__attribute__((section("warpgauge_constant"))) uint3 warpgauge_emulator_block_dimensions;
__attribute__((section("warpgauge_constant"))) uint3 warpgauge_emulator_grid_dimensions;
