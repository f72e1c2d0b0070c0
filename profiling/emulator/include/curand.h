// SPDX-License-Identifier: Apache-2.0
// cuRAND's pseudo-random numbers for the host, for the emulator. All generators are Philox4x32-10:
// the distributions are theirs, the numbers are others than the library's. Quasi-random ones are
// missing.
#pragma once

#define CURAND_H_

#ifdef __NVCC__
#pragma message "cuRAND on the emulator gives other numbers than the library, of its distributions"
#endif

#include "cuda_runtime.h"
#include "warpgauge_emulator/host_api/random_api.h"
