// SPDX-License-Identifier: Apache-2.0
// Ranges and marks for profilers, by the name that they had before.
#pragma once

#include "nvtx3/nvToolsExt.h"
