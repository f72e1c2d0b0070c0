// SPDX-License-Identifier: Apache-2.0
// Sees the process end in ways that run no handler (_exit), another program take its place (exec),
// and fork.
#pragma once

#include <vector>

#include "profiling/cupti/inject/program_hooks/import_hooks.hpp"

namespace warpgauge::inject {

class Recording;

// For this recording, which is never destroyed.
void watch_exits(Recording& recording);

// To be put in place of what the program imports, after that.
const std::vector<ImportHook>& exit_hooks();

}  // namespace warpgauge::inject
