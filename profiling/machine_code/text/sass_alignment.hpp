// SPDX-License-Identifier: Apache-2.0
// Machine code of a kernel before and after, instruction by instruction.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiling/machine_code/text/sass_text.hpp"

namespace warpgauge::machine_code {

enum class SassChange {
  same,      // but for the addresses of branches
  operands,  // the same operation with others
  removed,
  added,
};

// One instruction, or two that stand for each other.
struct SassRow {
  SassChange change = SassChange::same;
  std::string before;       // empty, if added
  std::string after;        // empty, if removed
  std::string place;        // of the instruction after, if there is one; "kernels/copy.cuh:31"
  std::size_t skipped = 0;  // rows before this one that are the same and left out
};

struct SideBySide {
  std::vector<SassRow> rows;  // what changed, and a little around it
  std::size_t more = 0;       // instructions that changed or may have, behind these rows
};
inline constexpr std::size_t kMostSassRows = 400;

// So that most instructions are the same, and of the others most the same operation: a longest
// common subsequence with weights.
[[nodiscard]] SideBySide side_by_side(const std::vector<SassInstruction>& before,
                                      const std::vector<SassInstruction>& after);

}  // namespace warpgauge::machine_code
