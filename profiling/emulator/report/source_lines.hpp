// SPDX-License-Identifier: Apache-2.0
// Traffic by source line instead of by machine instruction.
#pragma once

#include <vector>

#include "profiling/emulator/execution/program.hpp"
#include "profiling/emulator/models/traffic.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::emulator {

// One entry for each place, kind and width of access, sorted by file, line, column, access and
// width. Several instructions for one access in the source become one entry.
[[nodiscard]] std::vector<results::SourceLine> source_lines(const Traffic& traffic,
                                                            Program& program);

// The same without looking the places up: one entry for each kind and width of access.
[[nodiscard]] std::vector<results::SourceLine> lines_without_places(const Traffic& traffic);

}  // namespace warpgauge::emulator
