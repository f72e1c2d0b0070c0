// SPDX-License-Identifier: Apache-2.0
// Functions of the device, for the emulator: all are in its cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
