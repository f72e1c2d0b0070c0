// SPDX-License-Identifier: Apache-2.0
// bfloat16, for the emulator. See cuda_runtime.h.
#pragma once

#include "warpgauge_emulator/low_precision/bfloat16.h"

#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000U)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80U)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fffU)
