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
  uint3 cluster{1, 1, 1};  // its blocks

  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
  [[nodiscard]] bool blocks_are_independent() const {
    return !cooperative && cluster_blocks() == 1;
  }
  [[nodiscard]] unsigned cluster_blocks() const { return cluster.x * cluster.y * cluster.z; }
  // The number of the block of this rank in a cluster.
  [[nodiscard]] std::uint64_t block_of(std::uint64_t cluster_number, unsigned rank) const {
    const std::uint64_t width = grid.x / cluster.x;
    const std::uint64_t height = grid.y / cluster.y;
    const std::uint64_t x = cluster_number % width * cluster.x + rank % cluster.x;
    const std::uint64_t y =
        cluster_number / width % height * cluster.y + rank / cluster.x % cluster.y;
    const std::uint64_t z =
        cluster_number / width / height * cluster.z + rank / cluster.x / cluster.y;
    return (z * grid.y + y) * grid.x + x;
  }
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
