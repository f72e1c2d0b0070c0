// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 bits, for the emulator. See cuda_runtime.h.
#pragma once

#include "warpgauge_emulator/low_precision/fp8.h"

#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__
