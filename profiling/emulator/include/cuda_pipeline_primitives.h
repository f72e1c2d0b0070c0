// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, for the emulator. See cuda_runtime.h.
#pragma once

#include "warpgauge_emulator/memory/async_copy.h"
