// SPDX-License-Identifier: Apache-2.0
// half, for the emulator. See cuda_runtime.h.
#pragma once

#include "warpgauge_emulator/low_precision/half.h"

#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#define CUDART_ZERO_FP16 __ushort_as_half(0x0000U)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000U)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00U)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00U)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fffU)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bffU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001U)
