// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

static __global__ void __cluster_dims__(2) note_blocks(unsigned* out) {
  __shared__ unsigned words[64];
  warpgauge::emulator::namesakes::note_blocks_by(words, out);
}

namespace warpgauge::emulator::namesakes {

Shown show_clustered() { return show(note_blocks); }

}  // namespace warpgauge::emulator::namesakes
