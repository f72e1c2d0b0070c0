// SPDX-License-Identifier: Apache-2.0
// make_cudaExtent and its like, for the emulator: all are in its cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
