// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for a host compiler: with this folder first on the include path, unchanged kernels and
// the host code around them compile as C++ and run on the emulator.
//
// What is missing here is missing on the emulator; a kernel that needs it does not compile.
#pragma once

#if defined(__CUDACC__) && !defined(__WARPGAUGE_EMULATOR__)
#error "This is the emulator's <cuda_runtime.h>; nvcc must find the toolkit's."
#endif

// Among them those that CUDA's own header includes, on which programs rely.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <new>
#include <utility>

#include "warpgauge_emulator/atomic_loads.h"
#include "warpgauge_emulator/atomics.h"
#include "warpgauge_emulator/builtin_variables.h"
#include "warpgauge_emulator/cache_hints.h"
#include "warpgauge_emulator/chevrons.h"
#include "warpgauge_emulator/conversions.h"
#include "warpgauge_emulator/device_api.h"
#include "warpgauge_emulator/device_heap.h"
#include "warpgauge_emulator/directed_rounding.h"
#include "warpgauge_emulator/dpx.h"
#include "warpgauge_emulator/function_api.h"
#include "warpgauge_emulator/graph_api.h"
#include "warpgauge_emulator/inline_ptx.h"
#include "warpgauge_emulator/integer_intrinsics.h"
#include "warpgauge_emulator/kernel_pointers.h"
#include "warpgauge_emulator/legacy_warp.h"
#include "warpgauge_emulator/math_functions.h"
#include "warpgauge_emulator/memory_api.h"
#include "warpgauge_emulator/memory_pool_api.h"
#include "warpgauge_emulator/pitched_memory.h"
#include "warpgauge_emulator/qualifiers.h"
#include "warpgauge_emulator/runtime_api.h"
#include "warpgauge_emulator/simd_intrinsics.h"
#include "warpgauge_emulator/special_functions.h"
#include "warpgauge_emulator/stream_api.h"
#include "warpgauge_emulator/symbol_api.h"
#include "warpgauge_emulator/synchronization.h"
#include "warpgauge_emulator/textures.h"
#include "warpgauge_emulator/vector_types.h"
#include "warpgauge_emulator/versions.h"
#include "warpgauge_emulator/warp_exchange.h"
