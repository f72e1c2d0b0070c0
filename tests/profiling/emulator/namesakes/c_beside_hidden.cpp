// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

extern "C" {
static __global__ void note_blocks_hidden_c(unsigned* out) {
  __shared__ unsigned words[32];
  warpgauge::emulator::namesakes::note_blocks_by(words, out);
}
}

namespace warpgauge::emulator::namesakes {

Shown show_c_beside_hidden() { return show(note_blocks_hidden_c); }

}  // namespace warpgauge::emulator::namesakes
