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

[[nodiscard]] BlockSource block_source(const results::BenchmarkResult& side);
// Absent: the sides differ in it, so that the blocks of one cannot be held against the other's.
[[nodiscard]] std::optional<BlockSource> block_source(const results::BenchmarkResult& before,
                                                      const results::BenchmarkResult& after);

// By the block that leaves room for the fewest. Absent: no block of it is known, or the
// architecture is not.
[[nodiscard]] std::optional<Occupancy> fewest_warps(const results::KernelCode& code,
                                                    const results::BenchmarkResult& side,
                                                    BlockSource source);

}  // namespace warpgauge::ci
