// SPDX-License-Identifier: Apache-2.0
// Source lines out of what a GPU counted of each instruction.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ci/support/files/source_tree.hpp"
#include "profiling/machine_code/suite_code.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// Lines of the tree's files, by place, kernel, kind and width of access. An instruction counts for
// the innermost place it comes from that is in the tree, so that the toolkit's own headers stand
// for the line that uses them; those that come from nowhere in it, or did not run, are left out. A
// copy from global to shared memory is a load and a store.
[[nodiscard]] std::vector<results::SourceLine> counted_lines(
    const std::vector<results::InstructionTraffic>& instructions, const MachineCode& machine_code,
    SourceTree& tree);

// Those kernels of which some access comes from one of the tree's files.
[[nodiscard]] std::set<std::string> kernels_with_lines(const MachineCode& machine_code,
                                                       SourceTree& tree);

// Sets of these kernels where in the tree their loads and accesses to local memory come from, and
// their first instruction.
void add_places(const MachineCode& machine_code, SourceTree& tree,
                std::vector<results::KernelCode>& codes);

}  // namespace warpgauge::ci
