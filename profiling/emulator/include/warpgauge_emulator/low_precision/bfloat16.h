// SPDX-License-Identifier: Apache-2.0
// bfloat16 and bfloat162: exact but where the hardware's own functions (hexp, hsin and the like)
// are approximate. The members and functions are here, not in the header that programs include,
// since what is inlined from this folder counts for the line that calls it.
#pragma once

#include <cuda_runtime.h>

#include "narrow_arithmetic.h"
#include "narrow_conversions.h"
#include "narrow_exchange.h"

WARPGAUGE_NARROW(__nv_bfloat16, __nv_bfloat16_raw, __nv_bfloat162, __nv_bfloat162_raw,
                 Bfloat16Format)
WARPGAUGE_NARROW_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
WARPGAUGE_NARROW_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
WARPGAUGE_NARROW_CONVERSIONS(__nv_bfloat16, __nv_bfloat16_raw, Bfloat16Format, bfloat16)
WARPGAUGE_NARROW_PAIRS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
WARPGAUGE_NARROW_SHUFFLES(__nv_bfloat16)
WARPGAUGE_NARROW_SHUFFLES(__nv_bfloat162)
WARPGAUGE_NARROW_ATOMIC_ADD(__nv_bfloat16, unsigned short)
WARPGAUGE_NARROW_ATOMIC_ADD(__nv_bfloat162, unsigned)

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
