// SPDX-License-Identifier: Apache-2.0
// One launch of a kernel, as the emulator's parts share it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiling/emulator/include/warpgauge_emulator/host_api/runtime_api.h"

namespace warpgauge::emulator {

struct Launch {
  warpgauge_emulator::KernelCall call;
  uint3 grid;
  uint3 block;
  std::size_t dynamic_shared_bytes = 0;
  // Most records of a block's threads without any thread finishing.
  std::uint64_t spin_budget = 0;
  bool cooperative = false;  // all blocks run at the same time
  bool continue_after_errors = false;

  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
  [[nodiscard]] unsigned threads() const { return block.x * block.y * block.z; }
  [[nodiscard]] uint3 block_index(std::uint64_t block_number) const {
    return {static_cast<unsigned>(block_number % grid.x),
            static_cast<unsigned>(block_number / grid.x % grid.y),
            static_cast<unsigned>(block_number / grid.x / grid.y)};
  }
  [[nodiscard]] uint3 thread_index(unsigned thread) const {
    return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
  }
};

}  // namespace warpgauge::emulator
