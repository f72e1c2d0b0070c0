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

#include "warpgauge_emulator/builtin_variables.h"
#include "warpgauge_emulator/groups/synchronization.h"
#include "warpgauge_emulator/host_api/chevrons.h"
#include "warpgauge_emulator/host_api/device_api.h"
#include "warpgauge_emulator/host_api/function_api.h"
#include "warpgauge_emulator/host_api/graph_api.h"
#include "warpgauge_emulator/host_api/kernel_pointers.h"
#include "warpgauge_emulator/host_api/memory_api.h"
#include "warpgauge_emulator/host_api/memory_pool_api.h"
#include "warpgauge_emulator/host_api/pitched_memory.h"
#include "warpgauge_emulator/host_api/runtime_api.h"
#include "warpgauge_emulator/host_api/stream_api.h"
#include "warpgauge_emulator/host_api/symbol_api.h"
#include "warpgauge_emulator/inline_ptx.h"
#include "warpgauge_emulator/math/conversions.h"
#include "warpgauge_emulator/math/directed_rounding.h"
#include "warpgauge_emulator/math/dpx.h"
#include "warpgauge_emulator/math/integer_intrinsics.h"
#include "warpgauge_emulator/math/math_functions.h"
#include "warpgauge_emulator/math/simd_intrinsics.h"
#include "warpgauge_emulator/math/special_functions.h"
#include "warpgauge_emulator/math/table_functions.h"
#include "warpgauge_emulator/memory/atomic_loads.h"
#include "warpgauge_emulator/memory/atomics.h"
#include "warpgauge_emulator/memory/cache_hints.h"
#include "warpgauge_emulator/memory/device_heap.h"
#include "warpgauge_emulator/memory/textures.h"
#include "warpgauge_emulator/qualifiers.h"
#include "warpgauge_emulator/vector_types.h"
#include "warpgauge_emulator/versions.h"
#include "warpgauge_emulator/warp/legacy_warp.h"
#include "warpgauge_emulator/warp/warp_exchange.h"

// Last: it takes over the names of C's functions.
#include "warpgauge_emulator/memory/byte_copies.h"
