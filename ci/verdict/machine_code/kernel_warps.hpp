// SPDX-License-Identifier: Apache-2.0
// How many warps of a kernel a multiprocessor holds, by what results say of its blocks.
#pragma once

#include <optional>

#include "profiling/machine_code/occupancy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// What says how large a block is: the launches that were recorded, or where there are none at all
// the launch bounds in the machine code.
enum class BlockSource { launches, launch_bounds };

struct WarpsBy {
  BlockSource blocks = BlockSource::launches;
  bool barriers = true;  // false: those that a block uses are not counted
};

[[nodiscard]] WarpsBy warps_by(const results::BenchmarkResult& side);
// So that one side can be held against the other. Barriers are counted if both sides know them,
// which older results do not. Absent: the sides' blocks are from different sources.
[[nodiscard]] std::optional<WarpsBy> warps_by(const results::BenchmarkResult& before,
                                              const results::BenchmarkResult& after);

// By the block that leaves room for the fewest. Absent: no block of it is known, or the
// architecture is not.
[[nodiscard]] std::optional<Occupancy> fewest_warps(const results::KernelCode& code,
                                                    const results::BenchmarkResult& side,
                                                    WarpsBy by);

}  // namespace warpgauge::ci
