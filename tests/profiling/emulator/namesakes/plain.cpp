// SPDX-License-Identifier: Apache-2.0
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

static __global__ void note_blocks(unsigned* out) {
  __shared__ unsigned words[32];
  warpgauge::emulator::namesakes::note_blocks_by(words, out);
}

namespace warpgauge::emulator::namesakes {

Shown show_plain() { return show(note_blocks); }

}  // namespace warpgauge::emulator::namesakes
