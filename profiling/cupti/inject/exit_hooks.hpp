// SPDX-License-Identifier: Apache-2.0
// Sees the process end in ways that run no handler (_exit), another program take its place (exec),
// and another library take over CUPTI's records.
#pragma once

namespace warpgauge::inject {

class Recording;

// For this recording, which is never destroyed.
void watch_exits(Recording& recording);

// In all libraries that are loaded now.
void hook_exits();

}  // namespace warpgauge::inject
