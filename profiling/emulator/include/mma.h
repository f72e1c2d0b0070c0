// SPDX-License-Identifier: Apache-2.0
// nvcuda::wmma, for the emulator. See warpgauge_emulator/warp/wmma.h.
#pragma once

#include "warpgauge_emulator/warp/wmma.h"
