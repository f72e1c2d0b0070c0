// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

// Has its name alone. Where a program exports its symbols, the linker makes this one local.
[[gnu::visibility("hidden")]] __global__ void __cluster_dims__(4)
    note_blocks_hidden(unsigned* out) {
  __shared__ unsigned words[128];
  warpgauge::emulator::namesakes::note_blocks_by(words, out);
}

namespace warpgauge::emulator::namesakes {

Shown show_hidden() { return show(note_blocks_hidden); }

}  // namespace warpgauge::emulator::namesakes
