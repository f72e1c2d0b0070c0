// SPDX-License-Identifier: Apache-2.0
// Machine code of a kernel before and after, for a terminal.
#pragma once

#include <string>

#include "profiling/machine_code/text/sass_alignment.hpp"

namespace warpgauge::ci {

// Two columns: "|" between what has other operands, "<" and ">" beside what only one side has, and
// the source lines in front where they change. Every line ends with \n.
[[nodiscard]] std::string side_by_side_text(const machine_code::SideBySide& sass);

}  // namespace warpgauge::ci
