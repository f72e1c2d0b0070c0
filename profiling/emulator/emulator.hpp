// SPDX-License-Identifier: Apache-2.0
// The emulator, as the harness sees it: what kernels did while a piece of host code ran.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::emulator {

struct Options {
  // Threads of the host that run blocks, at most; 0: as many as the machine runs at once. Changes
  // nothing but the time it takes. A cooperative launch takes one a block whatever it says.
  unsigned threads = 0;
  // Steps (accesses and branches) that a block's threads may take while none of them finishes;
  // beyond that the block is taken to wait for something that never comes.
  std::uint64_t spin_budget = std::uint64_t{1} << 30;
};

struct Observation {
  // By file, line, column, kind and width of access; `text` is left empty.
  std::vector<results::SourceLine> lines;
  std::vector<std::string> kernels;  // demangled, each once, in order of their first launch
  std::vector<results::KernelLaunch> launches;
  // A grid had all the blocks that the device holds, after the host asked how many that are.
  bool grid_fills_device = false;
  std::uint64_t barriers = 0;       // of blocks
  std::vector<std::string> errors;  // what was wrong, the first launch and block first
  // What is right by CUDA and often meant otherwise, once a place; a kernel with remarks is no
  // failure.
  std::vector<std::string> remarks;
};

// Calls `launch` and observes all kernels that it runs. Errors of kernels do not outlive the call:
// cudaGetLastError knows nothing of them afterwards. Not to be called by several threads at once.
[[nodiscard]] Observation observe(const std::function<void()>& launch, const Options& options = {});

// What all launches of one kernel did.
struct KernelObservation {
  std::string name;
  std::uint64_t launches = 0;
  Observation did;
};

// From now on what launches outside of observe() do is kept, until the program ends.
void keep_observations();

// What was kept, by kernel, the first launched first. Nothing is forgotten.
[[nodiscard]] std::vector<KernelObservation> kept_observations();

}  // namespace warpgauge::emulator
