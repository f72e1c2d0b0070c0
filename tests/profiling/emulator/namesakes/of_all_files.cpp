// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

__global__ void __cluster_dims__(4) note_blocks(unsigned* out) {
  __shared__ unsigned words[128];
  warpgauge::emulator::namesakes::note_blocks_by(words, out);
}

namespace warpgauge::emulator::namesakes {

Shown show_of_all_files() { return show(note_blocks); }

}  // namespace warpgauge::emulator::namesakes
