// SPDX-License-Identifier: Apache-2.0
// Sees other libraries of the program use CUPTI in ways that take records from this one.
#pragma once

#include <vector>

#include "profiling/cupti/inject/program_hooks/import_hooks.hpp"

namespace warpgauge::inject {

class Recording;

// For this recording, which is never destroyed: to be put in place of what the program imports.
const std::vector<ImportHook>& profiler_hooks(Recording& recording);

}  // namespace warpgauge::inject
