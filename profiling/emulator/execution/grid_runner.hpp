// SPDX-License-Identifier: Apache-2.0
// Runs all blocks of a launch, on several host threads if the kernel allows it.
//
// Results do not depend on the number of threads: counts are sums over blocks, errors are those of
// the first blocks. If a kernel's first block uses global atomics or fences, blocks may communicate
// and results may depend on their order, so all blocks run one after the other. The blocks of a
// cooperative launch or of a cluster take turns, each on its own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/emulator/execution/block_runner.hpp"

namespace warpgauge::emulator {

// A mistake, and its kind and place in the source, equal for the same mistake.
struct PlacedError {
  KernelError error;
  std::string place;
};

struct LaunchResult {
  Traffic traffic;
  std::uint64_t barriers = 0;
  std::vector<PlacedError> errors;  // of any severity, by block
  bool completed = true;            // every block ran to its end
};

class GridRunner {
 public:
  GridRunner(Program& program, const DeviceMemory& memory) : program_(program), memory_(memory) {}

  // threads: the most host threads, at least 1; a cooperative launch uses one per block, and
  // one with clusters one per block of a cluster.
  [[nodiscard]] LaunchResult run(const Launch& launch, unsigned threads);

 private:
  class Blocks;

  // These return how many of runners_, from the first on, took part.
  [[nodiscard]] std::size_t run_independent(Blocks& blocks, unsigned threads);
  [[nodiscard]] std::size_t run_together(const Launch& launch);
  [[nodiscard]] std::size_t run_clusters(const Launch& launch);
  static void run_blocks(BlockRunner& runner, Blocks& blocks, std::uint64_t most);
  [[nodiscard]] std::vector<PlacedError> merge_errors(std::vector<KernelError> errors,
                                                      std::uint64_t end);
  // Adds the races that no block could see while it ran.
  [[nodiscard]] std::vector<KernelError> find_races(const Launch& launch);
  [[nodiscard]] bool unordered_communication(const Launch& launch, std::size_t used) const;
  void work(std::unique_ptr<BlockRunner>& runner, const Launch& launch,
            const std::function<void(BlockRunner&)>& run);

  Program& program_;
  const DeviceMemory& memory_;
  GlobalShadow global_shadow_;
  StoreTurns store_turns_;
  bool first_communicates_ = false;  // the first block of the launch
  // One per thread, kept from launch to launch; the first is the calling thread's.
  std::vector<std::unique_ptr<BlockRunner>> runners_;
};

}  // namespace warpgauge::emulator
