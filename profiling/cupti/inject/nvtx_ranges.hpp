// SPDX-License-Identifier: Apache-2.0
// Takes the program's NVTX ranges, of whichever copy of NVTX they come.
//
// Each library that includes NVTX has a table of its own; all hand it to InitializeInjectionNvtx2.
#pragma once

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <string_view>

#include "profiling/results/launches/ranges.hpp"

namespace warpgauge::inject {

// ranges is never destroyed. opened: called with the name of each range before it is opened.
void take_ranges(NvtxGetExportTableFunc_t table, launches::Ranges& ranges,
                 void (*opened)(std::string_view name));

// Also those that are opened or closed with a payload, as NCCL closes its own. Comes after
// take_ranges(). Whether module is the extension that does this.
bool take_payload_ranges(const nvtxExtModuleInfo_t& module);

}  // namespace warpgauge::inject
