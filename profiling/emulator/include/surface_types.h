// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces, for the emulator: all are in its cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
