// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

// Like the one in hidden.cpp, but another file has a static one of its name.
extern "C" [[gnu::visibility("hidden")]] __global__ void __cluster_dims__(4)
    note_blocks_hidden_c(unsigned* out) {
  __shared__ unsigned words[128];
  warpgauge::emulator::namesakes::note_blocks_by(words, out);
}

namespace warpgauge::emulator::namesakes {

Shown show_c_hidden() { return show(note_blocks_hidden_c); }

}  // namespace warpgauge::emulator::namesakes
