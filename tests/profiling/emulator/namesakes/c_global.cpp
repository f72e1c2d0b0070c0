// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

extern "C" __global__ void __cluster_dims__(2) note_blocks_c(unsigned* out) {
  __shared__ unsigned words[64];
  warpgauge::emulator::namesakes::note_blocks_by(words, out);
}

namespace warpgauge::emulator::namesakes {

Shown show_c_global() { return show(note_blocks_c); }

}  // namespace warpgauge::emulator::namesakes
