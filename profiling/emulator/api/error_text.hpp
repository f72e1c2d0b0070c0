// SPDX-License-Identifier: Apache-2.0
// Texts for errors of kernels.
#pragma once

#include <string>

#include "profiling/emulator/execution/launch.hpp"
#include "profiling/emulator/execution/program.hpp"
#include "profiling/emulator/memory/device_memory.hpp"
#include "profiling/emulator/memory/global_shadow.hpp"
#include "profiling/emulator/report/error_log.hpp"

namespace warpgauge::emulator {

// "(1,0,0)".
[[nodiscard]] std::string to_string(uint3 index);

// "kernel transpose_tiled<0>, block (1,0,0)".
[[nodiscard]] std::string describe_block(Program& program, const Launch& launch,
                                         std::uint64_t block);

// "kernel transpose_tiled<0>, block (1,0,0), thread (3,4,0)".
[[nodiscard]] std::string describe_thread(Program& program, const Launch& launch,
                                          std::uint64_t block, unsigned thread);

// "reads", "writes" or "updates".
[[nodiscard]] const char* verb(RecordKind kind);

[[nodiscard]] Mistake mistake_of(const GlobalHazard& hazard);

// A race between two blocks in global memory, or their writing the same value.
[[nodiscard]] KernelError describe_race(Program& program, const Launch& launch,
                                        const DeviceMemory& memory, const GlobalHazard& hazard);

}  // namespace warpgauge::emulator
