// SPDX-License-Identifier: Apache-2.0
// What a second build made worse in machine code, kernel by kernel, without benchmarks: that
// decides how `warpgauge static` ends. How it reads is a report's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/machine_code/image_changes.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/machine_code/occupancy.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// For which blocks occupancy is computed: of this many threads; if absent, of the recorded launches
// the one that lets the fewest warps be resident; without any, of the kernel's launch bounds. Where
// no launch is recorded, with the dynamic shared memory that Triton notes.
struct StaticBlocks {
  std::optional<std::uint64_t> threads;
  std::map<std::string, std::vector<results::KernelLaunch>> launches;  // by kernel
};

struct KernelOccupancy {
  Occupancy occupancy;
  std::uint64_t block_threads = 0;
  const char* from = "";  // "given", "recorded", "launch bounds"
};

// Absent: no block is known, or the architecture is not. With no warps: it cannot be launched so.
[[nodiscard]] std::optional<KernelOccupancy> occupancy_of(const machine_code::ImageKernel& kernel,
                                                          const StaticBlocks& blocks);

// What got worse in one kernel, or in all of an architecture. In the order of gravity.
enum class Worsening {
  architecture_removed,
  spills,     // more bytes of them
  local,      // accesses to local memory where there were none
  occupancy,  // fewer resident warps
  narrower_loads,
};

struct StaticFinding {
  Worsening kind = Worsening::spills;
  machine_code::KernelKey key;  // with kAllKernels for what is of no kernel alone
  std::string what;             // "spill_store_bytes 0 -> 16"
  // Of accesses whose places in the source show it; empty: it shows where the kernel begins.
  std::vector<std::string> access_kinds = {};
  std::string sass_hash = {};  // of the kernel that shows it; empty: it is gone
  std::string line = {};       // "kernels/copy.cuh:31"; empty: not looked up, or not known
};
inline constexpr const char* kAllKernels = "(all kernels)";

// The changes of a build, with kernels that were renamed: "copy" of "void copy<4>(float*)" tells
// that those of a template with other arguments are.
[[nodiscard]] machine_code::ImageChanges static_changes_of(machine_code::ImageKernels before,
                                                           machine_code::ImageKernels after);

// The gravest first. Of several kernels of one name the worst are held against each other.
[[nodiscard]] std::vector<StaticFinding> worse_code(const machine_code::ImageChanges& changes,
                                                    const StaticBlocks& blocks);

// How many kernels changed of which no block is known, so that their occupancy is not compared.
[[nodiscard]] std::size_t unknown_blocks(const machine_code::ImageChanges& changes,
                                         const StaticBlocks& blocks);

// How many kernels changed of which one side's compiler does not tell what it spilled.
[[nodiscard]] std::size_t unknown_spills(const machine_code::ImageChanges& changes);

}  // namespace warpgauge::ci
