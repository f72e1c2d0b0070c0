// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/error_text.hpp"

#include <fmt/format.h>

namespace warpgauge::emulator {

std::string to_string(uint3 index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

std::string describe_block(Program& program, const Launch& launch, std::uint64_t block) {
  return fmt::format("kernel {}, block {}", program.kernel_name(launch.call.kernel),
                     to_string(launch.block_index(block)));
}

std::string describe_thread(Program& program, const Launch& launch, std::uint64_t block,
                            unsigned thread) {
  return fmt::format("{}, thread {}", describe_block(program, launch, block),
                     to_string(launch.thread_index(thread)));
}

}  // namespace warpgauge::emulator
