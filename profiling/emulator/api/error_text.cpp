// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/api/error_text.hpp"

#include <fmt/format.h>

namespace warpgauge::emulator {

std::string to_string(uint3 index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

std::string describe_block(Program& program, const Launch& launch, std::uint64_t block) {
  return fmt::format("kernel {}, block {}", program.kernel_name(launch.call),
                     to_string(launch.block_index(block)));
}

std::string describe_thread(Program& program, const Launch& launch, std::uint64_t block,
                            unsigned thread) {
  return fmt::format("{}, thread {}", describe_block(program, launch, block),
                     to_string(launch.thread_index(thread)));
}

const char* verb(RecordKind kind) {
  switch (kind) {
    case RecordKind::load:
    case RecordKind::volatile_load:
    case RecordKind::wide_load:
    case RecordKind::matrix_load:
      return "reads";
    case RecordKind::store:
    case RecordKind::volatile_store:
    case RecordKind::wide_store:
      return "writes";
    default:
      return "updates";
  }
}

Mistake mistake_of(const GlobalHazard& hazard) {
  return mistake_between(hazard.same_value ? ErrorKind::same_value : ErrorKind::global_race,
                         hazard.first.pc, hazard.second.pc);
}

KernelError describe_race(Program& program, const Launch& launch, const DeviceMemory& memory,
                          const GlobalHazard& hazard) {
  const GlobalAccess& first = hazard.first;
  const GlobalAccess& second = hazard.second;
  return {
      mistake_of(hazard), second.block,
      fmt::format(
          "{}{} {} {} at {}, {} by block {}, thread {} at {}, and nothing orders the "
          "two blocks",
          hazard.same_value ? "same value written by several threads: " : "global memory race: ",
          describe_thread(program, launch, second.block, second.thread),
          second.writes ? "writes" : "reads", memory.describe_inside(hazard.address),
          to_string(program.locate(second.pc)), first.writes ? "written" : "read",
          to_string(launch.block_index(first.block)), to_string(launch.thread_index(first.thread)),
          to_string(program.locate(first.pc)))};
}

}  // namespace warpgauge::emulator
