// SPDX-License-Identifier: Apache-2.0
// Takes the program's NVTX ranges, of whichever copy of NVTX they come.
//
// Each library that includes NVTX has a table of its own; all hand it to InitializeInjectionNvtx2.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string_view>

#include "profiling/results/launches/ranges.hpp"

namespace warpgauge::inject {

// ranges is never destroyed. opened: called with the name of each range before it is opened.
void take_ranges(NvtxGetExportTableFunc_t table, launches::Ranges& ranges,
                 void (*opened)(std::string_view name));

}  // namespace warpgauge::inject
