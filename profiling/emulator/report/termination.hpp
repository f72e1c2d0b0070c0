// SPDX-License-Identifier: Apache-2.0
// Lets a process that is told to end by a signal do something first, then end by that signal.
#pragma once

#include <functional>
#include <string>

namespace warpgauge::emulator {

// Waits for SIGTERM, SIGINT, SIGHUP and SIGXCPU, as far as nobody handles or ignores them, on a
// thread of its own; at the first of them calls `before`, with the signal's name, on that thread. A
// second one ends the process at once. Children of the process end as they would without. Call
// once; lasts until the process ends.
void before_termination(std::function<void(const std::string& signal)> before);

}  // namespace warpgauge::emulator
