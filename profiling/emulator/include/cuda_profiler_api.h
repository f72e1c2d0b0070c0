// SPDX-License-Identifier: Apache-2.0
// cudaProfilerStart and cudaProfilerStop, for the emulator: they do nothing.
#pragma once

#include "cuda_runtime.h"
