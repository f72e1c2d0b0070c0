// SPDX-License-Identifier: Apache-2.0
// A generator of random numbers that the host holds.
#pragma once

#include "profiling/emulator/include/warpgauge_emulator/host_api/stream_api.h"

struct curandGenerator_st {
  bool on_host = false;
  unsigned long long seed = 0;
  unsigned long long place = 0;  // of the next word
  cudaStream_t stream = nullptr;
};
