// SPDX-License-Identifier: Apache-2.0
// half and half2: exact but where the hardware's own functions (hexp, hsin and the like) are
// approximate. The members and functions are here, not in the header that programs include, since
// what is inlined from this folder counts for the line that calls it.
#pragma once

#include <cuda_runtime.h>

#include "narrow_arithmetic.h"
#include "narrow_conversions.h"
#include "narrow_exchange.h"

WARPGAUGE_NARROW(__half, __half_raw, __half2, __half2_raw, HalfFormat)
WARPGAUGE_NARROW_ARITHMETIC(__half, __half2)
WARPGAUGE_NARROW_FUNCTIONS(__half, __half2)
WARPGAUGE_NARROW_CONVERSIONS(__half, __half_raw, HalfFormat, half)
WARPGAUGE_NARROW_PAIRS(__half, __half2, half, half2)
WARPGAUGE_NARROW_SHUFFLES(__half)
WARPGAUGE_NARROW_SHUFFLES(__half2)
WARPGAUGE_NARROW_ATOMIC_ADD(__half, unsigned short)
WARPGAUGE_NARROW_ATOMIC_ADD(__half2, unsigned)

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;
