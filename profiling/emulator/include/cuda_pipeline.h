// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, for the emulator: the primitives, not the classes of nvcuda::experimental.
#pragma once

#include "cuda_pipeline_primitives.h"
