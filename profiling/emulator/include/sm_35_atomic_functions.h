// SPDX-License-Identifier: Apache-2.0
// Atomic operations, for the emulator: all are in its cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
